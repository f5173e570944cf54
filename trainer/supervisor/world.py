"""What is known of the workers and of the world they form. Pure: fed with events, does nothing.

A **generation** is one assignment of ranks by the driver, counted from 0. It is *complete* when every member
has said what it is now, and *trains* from its first batch on.
"""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Optional, Tuple

from ..events import (
    DriverAssigned,
    DriverWorkerExited,
    Member,
    WorkerJoined,
    WorkerRanked,
    parse_worker_id,
)

Place = Tuple[str, int]


@dataclasses.dataclass
class Worker:
    """``told_reset``, ``trained_reset``: its reset count in the last complete / training generation."""

    name: str
    host: str
    slot: int
    pid: int
    rank: int = -1
    size: int = 0
    reset: int = -1
    told_reset: int = -1
    trained_reset: int = -1
    alive: bool = True


@dataclasses.dataclass
class Generation:
    """``members`` is empty where the driver does not tell them (stock), until it is complete."""

    number: int
    size: int
    members: List[Member]
    began: float
    complete: bool = False
    first_step: Optional[float] = None


class World:
    def __init__(self) -> None:
        self.workers: Dict[str, Worker] = {}
        self.generation: Optional[Generation] = None
        self.previous: Optional[Generation] = None
        """The last generation that trained, before this one."""

    # ---- evidence ---------------------------------------------------------------------------

    def assigned(self, event: DriverAssigned, time: float) -> None:
        old = self.generation
        number = old.number + 1 if old is not None else 0
        if old is not None and old.first_step is not None:
            self.previous = old
        self.generation = Generation(number, event.size, list(event.members), time)

    def joined(self, event: WorkerJoined) -> None:
        host, slot, _ = parse_worker_id(event.worker)
        for worker in self.workers.values():
            if (worker.host, worker.slot) == (host, slot):
                worker.alive = False
        self.workers[event.worker] = Worker(event.worker, host, slot, event.pid)

    def ranked(self, event: WorkerRanked) -> None:
        worker = self.workers.get(event.worker)
        if worker is not None:
            worker.rank, worker.size, worker.reset = event.rank, event.size, event.reset

    def exited(self, event: DriverWorkerExited) -> Optional[Worker]:
        worker = self.at((event.host, event.slot))
        if worker is not None:
            worker.alive = False
        return worker

    def batch(self, name: str, size: int, time: float) -> bool:
        """Whether this batch is the first of its generation."""
        worker, generation = self.workers.get(name), self.generation
        if worker is None or generation is None or size != generation.size:
            return False
        if worker.reset == worker.trained_reset and worker.reset >= 0:
            return False
        if generation.first_step is not None:
            return False
        worker.trained_reset = worker.reset
        generation.first_step = time
        return True

    # ---- conclusions ------------------------------------------------------------------------

    def at(self, place: Place) -> Optional[Worker]:
        """The living worker in a slot."""
        for worker in self.workers.values():
            if worker.alive and (worker.host, worker.slot) == place:
                return worker
        return None

    def living(self) -> List[Worker]:
        return [worker for worker in self.workers.values() if worker.alive]

    def completed(self) -> Optional[List[Member]]:
        """The members with their workers, once; None while somebody has not said its rank yet."""
        generation = self.generation
        if generation is None or generation.complete:
            return None
        fresh = [w for w in self.living() if w.reset > w.told_reset and w.size == generation.size]
        by_rank = {worker.rank: worker for worker in fresh}
        if set(by_rank) != set(range(generation.size)):
            return None
        for member in generation.members:
            if (by_rank[member.rank].host, by_rank[member.rank].slot) != (member.host, member.slot):
                return None
        for worker in fresh:
            worker.told_reset = worker.reset
        generation.complete = True
        generation.members = [
            Member(rank, by_rank[rank].host, by_rank[rank].slot, by_rank[rank].name)
            for rank in range(generation.size)
        ]
        return generation.members

    @property
    def trains(self) -> bool:
        return self.generation is not None and self.generation.first_step is not None

    def rank_zero(self) -> str:
        """The worker that has rank 0 now, "" while there is none."""
        generation = self.generation
        if generation is None:
            return ""
        zero = [m for m in generation.members if m.rank == 0]
        worker = self.at((zero[0].host, zero[0].slot)) if zero else None
        if worker is None and not zero:
            candidates = [w for w in self.living() if w.rank == 0 and w.size == generation.size]
            worker = candidates[-1] if candidates else None
        return worker.name if worker is not None and worker.rank == 0 else ""

    def hosts(self) -> Dict[str, List[int]]:
        """Hosts with a rank in the current generation."""
        found: Dict[str, List[int]] = {}
        if self.generation is not None:
            for member in self.generation.members:
                found.setdefault(member.host, []).append(member.rank)
        return {host: sorted(ranks) for host, ranks in found.items()}

    def rank_of(self, name: str) -> int:
        worker = self.workers.get(name)
        return worker.rank if worker is not None else -1
