"""The driver's state from the log of a plain ``horovodrun --log-level INFO`` (0.28.1).

As far as it tells: no discovery, no members of an assignment, no end of a cooldown, and of a removed worker's
end only a launch rank. Numbers that it does not tell are -1.
"""

from __future__ import annotations

import re
from typing import Any, Callable, Dict, List, Match, Pattern, Set, Tuple

from .driverlog import LEVEL, LaunchRanks, is_workers
from .events import (
    DriverAssigned,
    DriverBlacklisted,
    DriverPollFailed,
    DriverStopping,
    DriverWaiting,
    DriverWorkerExited,
    DriverWorkerReady,
    DriverWorkerStarted,
    Event,
)

NOT_TOLD = -1
LINE_LIMIT = 4096
"""Characters. No line of the driver that tells anything is longer."""

_PLACE = r"(?P<host>[A-Za-z0-9_][A-Za-z0-9._@-]{0,252})\[(?P<slot>\d{1,4})\]"
_REMOVED = re.compile(_PLACE + r" has been removed from elastic job")


class StockLog:
    """Fed every line of the log in order, without its end; answers with what that line tells."""

    def __init__(self) -> None:
        self._ranks = LaunchRanks()
        self._first_world = True
        self._started = 0
        self._codes: Dict[int, int] = {}
        self._removed: Set[Tuple[str, int]] = set()
        self._poll_failure = ""
        self._rules: List[Tuple[Pattern[str], Callable[[Match[str]], List[Event]]]] = [
            (re.compile(r"wait for available slots: (?P<n>\d{1,6})\Z"), self._waiting),
            (re.compile(r"reset workers: (?P<n>\d{1,6})\Z"), self._assigned),
            (re.compile(r"start worker process: " + _PLACE + r"\Z"), self._worker_started),
            (re.compile(r"record state: " + _PLACE + r" = READY\Z"), self._ready),
            (
                re.compile(r"record state: " + _PLACE + r" = (?P<end>FAILURE|SUCCESS)\Z"),
                self._exited,
            ),
            (
                re.compile(r"Process (?P<n>\d{1,6}) exit with status code (?P<code>\d{1,3})\."),
                self._code,
            ),
            (re.compile(r"blacklist failing host: (?P<host>\S{1,253})\Z"), self._blacklisted),
            (re.compile(r"Failed to execute discovery script: "), self._poll_failed),
            (re.compile(r"(?P<why>.{1,500}?) -> stop running\Z"), self._stopping),
        ]

    def feed(self, line: str) -> List[Event]:
        text = line[:LINE_LIMIT].rstrip("\r\n")
        if is_workers(text):
            self._of_a_worker(text)
            return []
        text = LEVEL.sub("", text)
        self._ranks.feed(text)
        for pattern, answer in self._rules:
            match = pattern.match(text)
            if match is not None:
                return answer(match)
        return []

    def _of_a_worker(self, text: str) -> None:
        removed = _REMOVED.search(text)
        if removed is not None:
            self._removed.add(_place(removed))

    def _waiting(self, match: Match[str]) -> List[Event]:
        return [DriverWaiting(int(match["n"]), NOT_TOLD)]

    def _assigned(self, match: Match[str]) -> List[Event]:
        self._first_world = self._started == 0
        return [DriverAssigned(int(match["n"]), [])]

    def _worker_started(self, match: Match[str]) -> List[Event]:
        host, slot = _place(match)
        # In the first world ranks are given in the order of the starts; later ones are not told.
        rank = self._started if self._first_world else NOT_TOLD
        self._started += 1
        self._removed.discard((host, slot))
        return [DriverWorkerStarted(host, slot, rank)]

    def _ready(self, match: Match[str]) -> List[Event]:
        return [DriverWorkerReady(*_place(match))]

    def _exited(self, match: Match[str]) -> List[Event]:
        place = _place(match)
        rank = self._ranks.rank_of(place)
        code = self._codes.pop(NOT_TOLD if rank is None else rank, NOT_TOLD)
        return [DriverWorkerExited(*place, exit_code=0 if match["end"] == "SUCCESS" else code)]

    def _code(self, match: Match[str]) -> List[Event]:
        """Comes before the state of an assigned worker, and alone for a removed one."""
        rank, code = int(match["n"]), int(match["code"])
        place = self._ranks.place(rank)
        if place in self._removed:
            self._removed.discard(place)
            return [DriverWorkerExited(*place, exit_code=code, assigned=False)]
        self._codes[rank] = code
        return []

    def _blacklisted(self, match: Match[str]) -> List[Event]:
        return [DriverBlacklisted(match["host"])]

    def _poll_failed(self, match: Match[str]) -> List[Event]:
        """Stock says it at every poll, about once a second: told when it changes."""
        text = match.string
        if text == self._poll_failure:
            return []
        self._poll_failure = text
        return [DriverPollFailed(text)]

    def _stopping(self, match: Match[str]) -> List[Event]:
        return [DriverStopping(match["why"])]


def _place(match: Any) -> Tuple[str, int]:
    return match["host"], int(match["slot"])
