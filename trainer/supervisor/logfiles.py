"""``logs/<host>/<slot>.<incarnation>.log``: every worker's output in a file of its own, for people.

A copy of what the log journal holds. It is fed with every line of the run from the first one on, also by a
supervisor that adopts the run: a file knows how many lines it has and passes over those.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Dict, List, Optional, TextIO, Tuple

from ..driverlog import LogLine
from ..rundir import RunDir

_MAX_OPEN = 64
_UNNAMED = "start"
"""Of lines before a worker has said its name: the shell's, or ssh's."""
_Key = Tuple[str, int, str]


class LogFiles:
    """Errors cost these copies and nothing else: they are told once, and writing is tried again."""

    def __init__(self, run: RunDir) -> None:
        self._run = run
        self._there: Dict[_Key, int] = {}
        """Lines that a file had and that were not seen yet."""
        self._open: Dict[_Key, TextIO] = {}
        self._complained = False

    def write(self, line: LogLine) -> None:
        key = (line.host, line.slot, line.worker.rpartition(".")[2] or _UNNAMED)
        try:
            there = self._there.get(key)
            if there is None:
                there = whole_lines(self._run.log_of(*key))
            self._there[key] = max(0, there - 1)
            if there == 0:
                self._file(key).write(line.text + "\n")
        except OSError as error:
            self._complain(error)

    def close(self) -> None:
        for file in self._open.values():
            try:
                file.close()
            except OSError as error:
                self._complain(error)
        self._open.clear()

    def _file(self, key: _Key) -> TextIO:
        file: Optional[TextIO] = self._open.get(key)
        if file is None:
            if len(self._open) >= _MAX_OPEN:
                self.close()
            path = self._run.log_of(*key)
            path.parent.mkdir(parents=True, exist_ok=True)
            file = self._open[key] = path.open("a", encoding="utf-8", buffering=1)
        return file

    def _complain(self, error: OSError) -> None:
        if not self._complained:
            self._complained = True
            sys.stderr.write("logs/ cannot be written: %s\n" % error)


def whole_lines(path: Path) -> int:
    """How many there are; a torn one behind them is cut off. Raises OSError, but not for no file."""
    try:
        with path.open("r+b") as file:
            lines: List[bytes] = file.readlines()
            if lines and not lines[-1].endswith(b"\n"):
                file.truncate(sum(map(len, lines[:-1])))
                lines.pop()
    except FileNotFoundError:
        return 0
    return len(lines)
