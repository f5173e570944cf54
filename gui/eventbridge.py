"""The one object that crosses threads: events go in from any thread, and come out in the window's.

A burst costs the window one wake-up, and at most a few milliseconds of it at a time. When the window
cannot keep up (the replay of a long run) the posting thread waits, so memory stays bounded.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

_CHUNK = 256
_BUDGET = 0.012
"""Seconds of the window's thread for one turn; then it may paint and take input."""
_LIMIT = 20_000
"""Events that wait before a posting thread does."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """Events of one source in their order. ``source`` names a session or a task; late ones are dropped."""

    source: str
    events: tuple[Any, ...]


class EventBridge(QObject):
    """Signals: received(Parcel), in the thread that this object lives in."""

    received = Signal(object)
    _wake = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: deque[tuple[str, Any]] = deque()
        self._room = threading.Condition()
        self._awake = False
        self._closed = False
        self._owner = threading.get_ident()
        self._wake.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def listener(self, source: str) -> Callable[[Any], None]:
        """For a RunClient: posts what it is called with."""
        return lambda event: self.post(source, event)

    def post(self, source: str, event: Any) -> None:
        """From any thread. Waits while too much is waiting, but never in the window's own thread."""
        with self._room:
            if threading.get_ident() != self._owner:
                self._room.wait_for(lambda: self._closed or len(self._waiting) < _LIMIT)
            if self._closed:
                return
            self._waiting.append((source, event))
            wake, self._awake = not self._awake, True
        if wake:
            self._wake.emit()

    def discard(self, source: str) -> None:
        """Drops what waits of ``source``, so that its thread can end."""
        with self._room:
            self._waiting = deque(item for item in self._waiting if item[0] != source)
            self._room.notify_all()

    def close(self) -> None:
        """Nothing is taken or delivered any more; nobody waits."""
        with self._room:
            self._closed = True
            self._waiting.clear()
            self._room.notify_all()

    @Slot()
    def _deliver(self) -> None:
        until = time.monotonic() + _BUDGET
        while chunk := self._take():
            for parcel in _parcels(chunk):
                self.received.emit(parcel)
            if time.monotonic() > until:
                break
        with self._room:
            self._awake = bool(self._waiting)
            again = self._awake
        if again:
            self._wake.emit()

    def _take(self) -> list[tuple[str, Any]]:
        with self._room:
            count = min(_CHUNK, len(self._waiting))
            chunk = [self._waiting.popleft() for _ in range(count)]
            if len(self._waiting) < _LIMIT:
                self._room.notify_all()
            return chunk


def _parcels(chunk: list[tuple[str, Any]]) -> list[Parcel]:
    runs: list[tuple[str, list[Any]]] = []
    for source, event in chunk:
        if not runs or runs[-1][0] != source:
            runs.append((source, []))
        runs[-1][1].append(event)
    return [Parcel(source, tuple(events)) for source, events in runs]
