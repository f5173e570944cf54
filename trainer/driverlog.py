"""Whose line is it: splits horovodrun's output into the streams of its workers and its own.

Two forms of prefix: drive's ``[HOST[SLOT]#RANK]<stdout>:`` and stock's ``[RANK]<stdout>:``
(safe_shell_exec.py:103, Horovod 0.28.1). RANK is the one at the process's start and never changes: after a
reset two living processes can have the same. So stock's lines are told apart as well as can be: by the INFO
lines that say which worker is started, and for certain once a worker has said
``maypole-worker HOST[SLOT].INCARNATION pid N``.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Dict, List, Match, Optional, Tuple

from .events import worker_id

TEXT_LIMIT = 64 * 1024
"""Characters of one line that are kept."""

_STAMP = r"(?:[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})?"
_HOST = r"[A-Za-z0-9_][A-Za-z0-9._@-]{0,252}"
_OURS = re.compile(_STAMP + r"\[(" + _HOST + r")\[(\d{1,4})\]#(\d{1,6})\]<(stdout|stderr)>:")
_STOCK = re.compile(_STAMP + r"\[(\d{1,6})\]<(stdout|stderr)>:")
_HELLO = re.compile(r"maypole-worker (" + _HOST + r")\[(\d{1,4})\]\.([0-9a-z]{1,64}) pid \d+\s*\Z")
LEVEL = re.compile(r"\A(TRACE|DEBUG|INFO|WARNING|ERROR|CRITICAL):root:")
"""What Python's logging puts before every line of horovodrun (runner/launch.py:833-835)."""
_RESET = re.compile(r"reset workers: (\d{1,6})\Z")
_START = re.compile(r"start worker process: (" + _HOST + r")\[(\d{1,4})\]\Z")


def is_workers(line: str) -> bool:
    """Whether ``line`` is a worker's output, in either form."""
    return (_OURS.match(line) or _STOCK.match(line)) is not None


@dataclasses.dataclass(frozen=True)
class LogLine:
    """``slot`` -1 and ``host`` "": the driver's own, or a stock line whose worker is not known.

    ``launch_rank`` -1: the driver's own. ``worker``: its full name once it has said it, else "".
    """

    host: str
    slot: int
    launch_rank: int
    stream: str
    text: str
    worker: str = ""


class LogSplitter:
    """Fed every line of horovodrun's log in order, without its end."""

    def __init__(self) -> None:
        self._ranks = LaunchRanks()
        self._workers: Dict[Tuple[str, int, int], str] = {}

    def feed(self, line: str) -> LogLine:
        line = _last_state(line)
        ours = _OURS.match(line)
        if ours is not None:
            place = ours[1], int(ours[2]), int(ours[3])
            return self._worker_line(place, ours[4], line[ours.end() :])
        stock = _STOCK.match(line)
        if stock is not None:
            rank, text = int(stock[1]), line[stock.end() :]
            self._learn(rank, text)
            host, slot = self._ranks.place(rank)
            return self._worker_line((host, slot, rank), stock[2], text)
        self._driver_line(LEVEL.sub("", line))
        return LogLine("", -1, -1, "driver", _capped(LEVEL.sub(_level_for_people, line)))

    def _worker_line(self, place: Tuple[str, int, int], stream: str, text: str) -> LogLine:
        hello = _HELLO.match(text)
        if hello is not None and (hello[1], int(hello[2])) == place[:2]:
            self._workers[place] = worker_id(hello[1], int(hello[2]), hello[3])
        host, slot, rank = place
        return LogLine(host, slot, rank, stream, _capped(text), self._workers.get(place, ""))

    def _learn(self, rank: int, text: str) -> None:
        hello = _HELLO.match(text)
        if hello is not None:
            self._ranks.set(rank, (hello[1], int(hello[2])))

    def _driver_line(self, line: str) -> None:
        self._ranks.feed(line)
        start = _START.match(line)
        if start is not None:
            # A new process in that slot: it has not said its name yet.
            for place in [key for key in self._workers if key[:2] == (start[1], int(start[2]))]:
                del self._workers[place]


class LaunchRanks:
    """Which host and slot a launch rank means, from stock's INFO lines.

    Ranks are not logged. The started ones of a reset come in the order of their ranks, and newcomers are
    ranked last (discovery.py:216-223): k started in a world of N have N-k to N-1. Wrong only where an
    older host gets more slots.
    """

    def __init__(self) -> None:
        self._size = 0
        self._started: List[Tuple[str, int]] = []
        self._places: Dict[int, Tuple[str, int]] = {}

    def feed(self, line: str) -> None:
        reset = _RESET.match(line)
        if reset is not None:
            self._settle()
            self._size = int(reset[1])
        start = _START.match(line)
        if start is not None:
            self._started.append((start[1], int(start[2])))

    def place(self, rank: int) -> Tuple[str, int]:
        """("", -1) when nothing tells."""
        self._settle()
        return self._places.get(rank, ("", -1))

    def set(self, rank: int, place: Tuple[str, int]) -> None:
        self._settle()
        self._places[rank] = place

    def rank_of(self, place: Tuple[str, int]) -> Optional[int]:
        self._settle()
        found = [rank for rank, known in self._places.items() if known == place]
        return found[-1] if found else None

    def _settle(self) -> None:
        first = self._size - len(self._started)
        for offset, place in enumerate(self._started):
            self._places[first + offset] = place
        self._started = []


def _level_for_people(match: Match[str]) -> str:
    return "" if match[1] == "INFO" else match[1] + ": "


def _last_state(line: str) -> str:
    """Of a progress bar, whose states stock puts into one line, each with its prefix."""
    return line.rstrip("\r\n").rpartition("\r")[2]


def _capped(text: str) -> str:
    if len(text) <= TEXT_LIMIT:
        return text
    return "%s [cut: %d more characters]" % (text[:TEXT_LIMIT], len(text) - TEXT_LIMIT)
