"""What the supervisor asked of this worker: the link's thread stores it, a commit fulfils it."""

from __future__ import annotations

import threading
from typing import Any, Dict, List, NamedTuple, Set


class ExportWish(NamedTuple):
    """``path`` is "" when the worker may choose."""

    request: str
    path: str


class Wishes:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._exports: List[ExportWish] = []
        self._seen: Set[str] = set()
        self.stop = False
        self.any = False
        """Whether there is something to fulfil: a plain attribute, because it is read at every batch."""

    def on_command(self, message: Dict[str, Any]) -> None:
        """A line of the link that is not ours to know is nothing to fail on: newer supervisors exist."""
        if message.get("type") == "stop":
            self.stop = self.any = True
        elif message.get("type") == "export":
            self._add(ExportWish(str(message.get("request", "")), str(message.get("path", ""))))

    def _add(self, wish: ExportWish) -> None:
        with self._lock:
            if wish.request not in self._seen:  # told again after a reconnect
                self._seen.add(wish.request)
                self._exports.append(wish)
                self.any = True

    def take_exports(self) -> List[ExportWish]:
        with self._lock:
            taken, self._exports = self._exports, []
            self.any = self.stop
        return taken
