"""Following a run and commanding it, whatever happens to the link.

Two threads, owned here: one attaches, reads and attaches again; one sends commands and watches their
deadlines. The listener is called from both, one call at a time, and may block: then reading waits.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from trainer.protocol import MAX_LINE, ProtocolError

from .attachment import (
    Ended,
    Gap,
    Live,
    Message,
    Other,
    Position,
    Refused,
    Reply,
    Welcome,
    hello,
    read_message,
)
from .errors import MachineError
from .events import (
    ClientEvent,
    CommandReply,
    LinkChanged,
    LinkState,
    LogRecord,
    Record,
    RunInfo,
)
from .machine import Channel, Machine
from .outbox import Outbox

log = logging.getLogger(__name__)

Listener = Callable[[ClientEvent], None]


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds. A link counts as good again once it brought something new or lived ``settled``."""

    first: float = 0.2
    longest: float = 10.0
    settled: float = 5.0
    patience: float = 30.0
    """How long a command waits for its reply."""


class _LinkLost(Exception):
    """Why an attachment ended; a clause that fits behind "the link was lost:"."""


class RunClient:
    """``bundle`` and ``run_dir`` are paths on ``machine``. Used once: start, then stop."""

    def __init__(
        self,
        machine: Machine,
        python: str,
        bundle: str,
        run_dir: str,
        listener: Listener,
        pace: Pace | None = None,
    ) -> None:
        self._machine = machine
        self._argv = (python, bundle, "attach", run_dir)
        self._run_dir = run_dir
        self._listener = listener
        self._pace = pace or Pace()
        self._position = Position()
        self._outbox = Outbox(self._pace.patience)
        self._delivering = threading.Lock()
        self._changed = threading.Condition()
        self._channel: Channel | None = None
        self._welcomed = False
        self._stopping = False
        self._added = 0
        self._over = False
        name = run_dir.rstrip("/").rpartition("/")[2]
        self._threads = (
            threading.Thread(target=self._guard, args=(self._read_all,), name=f"read {name}"),
            threading.Thread(target=self._guard, args=(self._command_all,), name=f"command {name}"),
        )
        for thread in self._threads:
            thread.daemon = True  # a stop() that ran out of time must not keep the program

    # ---- for any thread -----------------------------------------------------------------------

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def request_stop(self) -> None:
        """Returns at once. The run goes on; nothing more is delivered once stop() says True."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()

    def stop(self, timeout: float) -> bool:
        """Whether both threads ended within ``timeout`` seconds. Not from the listener."""
        self.request_stop()
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            if thread.ident is not None:
                thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def set_hosts(self, hosts: Mapping[str, int], confirmed: bool = False) -> str:
        """Name -> slots. ``confirmed``: the person said yes to falling below --min-np."""
        args: dict[str, Any] = {"hosts": dict(hosts)}
        if confirmed:
            args["confirmed"] = True
        return self._add("set_hosts", args)

    def stop_run(self, now: bool = False) -> str:
        """At the next commit, or ``now``."""
        return self._add("stop", {"now": now})

    def export(self) -> str:
        """The reply's value has the "request" that the ExportProgress events carry."""
        return self._add("export", {})

    def _add(self, name: str, args: Mapping[str, Any]) -> str:
        """Raises RunError when too many commands wait."""
        id = self._outbox.add(name, args, time.monotonic())
        with self._changed:
            self._added += 1
            self._changed.notify_all()
        return id

    # ---- both threads -------------------------------------------------------------------------

    def _guard(self, body: Callable[[], None]) -> None:
        try:
            body()
        except Exception as error:  # a thread's outermost loop: told, and it ends
            log.exception("the client of %s ended", self._run_dir)
            self.request_stop()
            self._tell(
                LinkChanged(LinkState.LOST, f"Maypole itself failed: {error!r}. Reopen the run.")
            )

    def _tell(self, event: ClientEvent) -> None:
        with self._delivering:
            self._listener(event)

    # ---- the reading thread -------------------------------------------------------------------

    def _read_all(self) -> None:
        delay = self._pace.first
        while not self._stopping:
            before, began = self._position.seq + self._position.log, time.monotonic()
            try:
                self._attach()
            except (_LinkLost, MachineError, ProtocolError, Gap) as error:
                if self._position.seq + self._position.log > before:
                    delay = self._pace.first
                if time.monotonic() - began > self._pace.settled:
                    delay = self._pace.first
                self._after_loss(str(error), delay)
                delay = min(2 * delay, self._pace.longest)
            else:
                self._wait(self._outbox_has_work, None)
                delay = self._pace.first

    def _attach(self) -> None:
        """Returns when the run is over and all of it was read, or this client is to stop."""
        self._tell(LinkChanged(LinkState.ATTACHING))
        channel = self._machine.open(self._argv)
        self._over = False
        try:
            with self._changed:
                if self._stopping:
                    return
                self._channel = channel
            channel.write(hello(self._position))
            self._follow(channel)
        finally:
            with self._changed:
                self._channel, self._welcomed = None, False
            channel.close()
            self._tell_all(self._outbox.link_lost(self._over))

    def _follow(self, channel: Channel) -> None:
        while line := channel.readline(MAX_LINE):
            if not line.endswith(b"\n"):
                break  # torn: the process ended within it
            self._on(read_message(line))
        if not self._over and not self._stopping:
            words = channel.last_words().splitlines()
            raise _LinkLost(words[-1] if words else "the supervisor's side closed it")

    def _on(self, message: Message) -> None:
        match message:
            case Record() | LogRecord():
                if self._position.is_new(message):
                    self._tell(message)
            case Reply():
                reply = self._outbox.answer(message)
                if reply is not None:
                    self._tell(reply)
            case Welcome(spec, last):
                self._tell(RunInfo(self._run_dir, self._run_dir.rpartition("/")[2], spec, last))
                with self._changed:
                    self._welcomed = True
                    self._changed.notify_all()
            case Live():
                self._tell(LinkChanged(LinkState.LIVE))
            case Ended():
                self._over = True
                self._tell(LinkChanged(LinkState.ENDED))
            case Refused(text):
                raise _LinkLost(text or "attach refused without a reason")
            case Other():
                pass

    def _after_loss(self, why: str, delay: float) -> None:
        if self._stopping:
            return
        self._tell(
            LinkChanged(
                LinkState.LOST,
                f"The link to the run was lost: {why.rstrip('.')}. The training does not need it; "
                f"trying again in {delay:.1f} s.",
            )
        )
        self._wait(lambda: False, delay)

    def _wait(self, ready: Callable[[], bool], timeout: float | None) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._stopping or ready(), timeout)

    def _outbox_has_work(self) -> bool:
        return self._outbox.has_unsent

    # ---- the commanding thread ----------------------------------------------------------------

    def _command_all(self) -> None:
        while not self._stopping:
            added = self._added
            self._tell_all(self._outbox.overdue(time.monotonic()))
            self._send_unsent()
            self._wait_for_command(added)
        with self._changed:
            channel = self._channel
        if channel is not None:
            channel.close()  # wakes the reading thread

    def _wait_for_command(self, added: int) -> None:
        """Until there is something to send, a deadline passes, or a command (with its own) is added."""
        deadline = self._outbox.next_deadline()
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        self._wait(
            lambda: self._added != added or (self._welcomed and self._outbox.has_unsent), left
        )

    def _send_unsent(self) -> None:
        with self._changed:
            channel = self._channel if self._welcomed else None
        if channel is None:
            return
        try:
            for line in self._outbox.take_unsent():
                channel.write(line)
        except MachineError as error:
            log.info("a command was not sent, the link is down: %s", error)  # link_lost() answers

    def _tell_all(self, replies: list[CommandReply]) -> None:
        for reply in replies:
            self._tell(reply)
