"""One door for every event: into the journal, then into the model, in the journal's order.

Workers' events come in the link's thread and must not wait for the loop; the loop's own come in between. A
model that saw them in another order than the journal's could come to other conclusions when it is
rebuilt from it.
"""

from __future__ import annotations

import collections
import threading
from typing import Callable, Deque, Optional

from ..events import (
    Batch,
    EpochEnd,
    Event,
    Problem,
    Record,
    TrainBegin,
    Unknown,
    WorkerExported,
    WorkerFinished,
    WorkerJoined,
    WorkerLost,
    WorkerPhase,
    WorkerRanked,
)
from ..journal import Journal

_OF_WORKERS = (
    Batch,
    EpochEnd,
    TrainBegin,
    WorkerJoined,
    WorkerRanked,
    WorkerPhase,
    WorkerExported,
    WorkerFinished,
    WorkerLost,
    Problem,
    Unknown,
)


class Intake:
    """``apply(record)`` is called in the loop's thread only; ``wake()`` in any."""

    def __init__(
        self, journal: Journal, apply: Callable[[Record], None], wake: Callable[[], None]
    ) -> None:
        self._journal, self._apply, self._wake = journal, apply, wake
        self._order = threading.Lock()
        self._waiting: Deque[Record] = collections.deque()

    def tell(self, event: Event, time: Optional[float] = None) -> None:
        """What the loop concludes or reads: journaled and applied when this returns."""
        self._append(event, "", 0, time)
        self.take()

    def from_worker(self, worker: str, n: int, event: Event) -> None:
        """From any thread. Raises JournalFull: the worker still has the event."""
        self._append(trusted(worker, event), worker, n, None)
        self._wake()

    def take(self) -> None:
        """Applies what is journaled and was not applied yet."""
        while self._waiting:
            self._apply(self._waiting.popleft())

    def _append(self, event: Event, worker: str, n: int, time: Optional[float]) -> None:
        with self._order:
            self._waiting.append(self._journal.append(event, worker, n, time))


def trusted(worker: str, event: Event) -> Event:
    """A worker speaks for itself only: a mistaken script must not end a run or move a rank."""
    if isinstance(event, _OF_WORKERS) and getattr(event, "worker", worker) == worker:
        return event
    text = "%s sent an event that is not its own to send: %s" % (worker, type(event).__name__)
    return Problem("worker-event", "warning", text, "Use the same bundle on every host.")
