"""Following a run in a terminal: a client's events as an iterator, and their printing."""

from __future__ import annotations

import queue
import sys
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Self

from core.errors import RunError
from core.events import (
    Batch,
    ClientEvent,
    CommandReply,
    EpochEnd,
    LinkChanged,
    LinkState,
    LogRecord,
    Record,
    RunInfo,
    wire_line,
)
from core.machine import Machine
from core.runclient import RunClient
from core.runview import RunView

from . import text

_AHEAD = 1000
"""Events that the client may read ahead of the terminal."""
_STOP_TIMEOUT = 10.0
_BETWEEN = 10.0
"""Seconds of training between two lines about single batches."""


class Following:
    """Iterate it within ``with``; it ends with the run. ``view`` is as far as the iteration is."""

    def __init__(self, machine: Machine, python: str, bundle: str, run_dir: str) -> None:
        self.view = RunView()
        self.live = False
        self._events: queue.Queue[ClientEvent] = queue.Queue(_AHEAD)
        self._left = threading.Event()
        self.client = RunClient(machine, python, bundle, run_dir, self._listen)

    def __enter__(self) -> Self:
        self.client.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._left.set()
        self.client.stop(_STOP_TIMEOUT)

    def __iter__(self) -> Iterator[ClientEvent]:
        """Up to and with the ENDED link, if nobody leaves before."""
        while True:
            event = self._events.get()
            if isinstance(event, RunInfo):
                self.view.spec = event.spec
            elif isinstance(event, Record):
                self.view.apply(event)
            elif isinstance(event, LinkChanged):
                self.live = event.state in (LinkState.LIVE, LinkState.ENDED)
            yield event
            if isinstance(event, LinkChanged) and event.state is LinkState.ENDED:
                return

    def reply(self, id: str, printer: Printer) -> CommandReply:
        """The answer to the command ``id``. Raises RunError when it was refused."""
        while True:
            for event in self:
                printer.show(event, self)
                if isinstance(event, CommandReply) and event.id == id:
                    if not event.ok:
                        raise RunError(event.error or f"The run refused {event.name}.")
                    return event

    def _listen(self, event: ClientEvent) -> None:
        while not self._left.is_set():
            try:
                self._events.put(event, timeout=0.2)
            except queue.Full:
                continue
            return


class Printer:
    """``history``: whether what was before this command is printed too."""

    def __init__(self, json: bool, log: bool, history: bool = True) -> None:
        self._json = json
        self._log = log
        self._history = history
        self._next_batch = 0.0

    def show(self, event: ClientEvent, following: Following) -> None:
        match event:
            case LinkChanged(LinkState.LOST, reason):
                print(f"maypole: {reason}", file=sys.stderr, flush=True)
            case Record():
                if self._history or following.live:
                    self._line(self._record(event, following.view))
            case LogRecord():
                if self._log and (self._history or following.live):
                    self._line(self._log_record(event))
            case _:
                pass

    def _record(self, record: Record, view: RunView) -> str:
        if self._json:
            return wire_line(record).decode("utf-8")
        event = record.event
        if isinstance(event, EpochEnd):
            words = text.progress(view, event.metrics)
        elif isinstance(event, Batch):
            if event.wall < self._next_batch:
                return ""
            words = text.progress(view, event.metrics)
        else:
            words = text.sentence(event)
        if isinstance(event, (Batch, EpochEnd)):
            self._next_batch = event.wall + _BETWEEN
        return f"{text.clock(record.time)}  {words}\n" if words else ""

    def _log_record(self, record: LogRecord) -> str:
        if self._json:
            return wire_line(record).decode("utf-8")
        return f"{text.clock(record.time)}  {text.log_line(record)}\n"

    def _line(self, line: str) -> None:
        if line:
            sys.stdout.write(line)
            sys.stdout.flush()
