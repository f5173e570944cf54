"""What the driver writes: its events and its output, each line taken exactly once, also after an adoption.

Every line of horovodrun.log becomes one LogRecord, so the log journal's last number says how many were taken.
Driver events are counted in the event journal likewise. An adopting supervisor reads both files from the
start, which also brings the splitter into the right state, and passes over as many as are journaled. The
files in logs/ are copies, and complete themselves (logfiles.py).
"""

from __future__ import annotations

import collections
from typing import Callable, Deque, Dict, List, Optional, Tuple

from ..driverlog import LogSplitter
from ..eventcodec import event_from_wire
from ..events import Event
from ..journal import LogJournal
from ..protocol import ProtocolError, decode, number
from ..rundir import RunDir
from ..stocklog import StockLog
from ..tail import Tail
from .logfiles import LogFiles

_MAX_OPEN = 64


class Outputs:
    """``on_event(event, time)`` journals a driver event; ``rank_of(worker)`` gives its rank now."""

    def __init__(
        self,
        run: RunDir,
        log: LogJournal,
        stock: bool,
        events_taken: int,
        on_event: Callable[[Event, Optional[float]], None],
        rank_of: Callable[[str], int],
    ) -> None:
        self._log = log
        self._stock = StockLog() if stock else None
        self._skip_events, self._skip_lines = events_taken, log.last
        self._on_event, self._rank_of = on_event, rank_of
        self._splitter = LogSplitter()
        self._events_tail = Tail(run.driver_events)
        self._output_tail = Tail(run.driver_log)
        self._copies = LogFiles(run)
        self._errors: Dict[str, Deque[str]] = {}
        self.last_lines: List[str] = []
        """Of the driver itself, for the reason of a failure."""

    def read(self) -> bool:
        """Takes what is new. Whether there was anything."""
        lines = self._events_tail.read()
        for line in lines:
            event = _driver_event(line)
            if event is not None:
                self._event(*event)
        output = self._output_tail.read()
        for line in output:
            self._line(line)
        return bool(lines or output)

    def finish(self) -> None:
        """The driver has ended: takes all that is left, a line without its end too."""
        while self.read():
            pass
        for line in self._output_tail.flush():
            self._line(line)

    def last_errors(self, worker: str) -> List[str]:
        """The last lines that a worker wrote to its standard error."""
        return list(self._errors.get(worker, ()))

    def close(self) -> None:
        self._copies.close()

    def _event(self, event: Event, time: Optional[float]) -> None:
        if self._skip_events > 0:
            self._skip_events -= 1
        else:
            self._on_event(event, time)

    def _line(self, text: str) -> None:
        line = self._splitter.feed(text)
        if self._stock is not None:
            for event in self._stock.feed(text):
                self._event(event, None)
        if line.slot < 0 and line.text.strip():
            self.last_lines = [*self.last_lines[-19:], line.text]
        if line.stream == "stderr" and line.worker and line.text.strip():
            self._remember(line.worker, line.text)
        if line.host:
            self._copies.write(line)
        if self._skip_lines > 0:
            self._skip_lines -= 1
            return
        rank = self._rank_of(line.worker) if line.worker else line.launch_rank
        self._log.append(line.host, line.slot, rank, line.stream, line.text, line.worker)

    def _remember(self, worker: str, text: str) -> None:
        if worker not in self._errors and len(self._errors) >= _MAX_OPEN:
            del self._errors[next(iter(self._errors))]
        self._errors.setdefault(worker, collections.deque(maxlen=3)).append(text)


def _driver_event(line: str) -> Optional[Tuple[Event, float]]:
    """None for a line that is not one: drive was killed in the middle of it."""
    try:
        wire = decode(line.encode("utf-8"))
        return event_from_wire(wire.get("event")), number(wire.get("time"))
    except ProtocolError:
        return None
