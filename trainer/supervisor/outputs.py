"""What the driver writes: its events and its output, each line taken exactly once, also after an adoption.

Every line of horovodrun.log becomes one LogRecord, so the log journal's last number says how many were taken.
Driver events are counted in the event journal likewise. An adopting supervisor reads both files from the
start, which also brings the splitter into the right state, and passes over as many as are journaled.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Tuple

from ..driverlog import LogLine, LogSplitter
from ..events import Event, event_from_wire
from ..journal import LogJournal
from ..protocol import ProtocolError, decode, number
from ..rundir import RunDir
from ..stocklog import StockLog
from ..tail import Tail

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
        self._run = run
        self._log = log
        self._stock = StockLog() if stock else None
        self._skip_events, self._skip_lines = events_taken, log.last
        self._on_event, self._rank_of = on_event, rank_of
        self._splitter = LogSplitter()
        self._events_tail = Tail(run.driver_events)
        self._output_tail = Tail(run.driver_log)
        self._files: Dict[Path, Any] = {}
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

    def close(self) -> None:
        for file in self._files.values():
            file.close()
        self._files.clear()

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
        if self._skip_lines > 0:
            self._skip_lines -= 1
            return
        rank = self._rank_of(line.worker) if line.worker else line.launch_rank
        self._log.append(line.host, line.slot, rank, line.stream, line.text, line.worker)
        if line.host:
            self._write(line)

    def _write(self, line: LogLine) -> None:
        incarnation = line.worker.rpartition(".")[2] or "start"
        path = self._run.log_of(line.host, line.slot, incarnation)
        file = self._files.get(path)
        if file is None:
            if len(self._files) >= _MAX_OPEN:
                self.close()
            path.parent.mkdir(parents=True, exist_ok=True)
            file = self._files[path] = path.open("a", encoding="utf-8", buffering=1)
        file.write(line.text + "\n")


def _driver_event(line: str) -> Optional[Tuple[Event, float]]:
    """None for a line that is not one: drive was killed in the middle of it."""
    try:
        wire = decode(line.encode("utf-8"))
        return event_from_wire(wire.get("event")), number(wire.get("time"))
    except ProtocolError:
        return None
