"""Times a reset: requested, discovered, commit reached, rendezvous, sync, first step. Pure."""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Optional

from ..events import Batch, Event, Resize, WorkerPhase
from .world import Generation


@dataclasses.dataclass
class Clock:
    """Evidence since the last first step. Times in epoch seconds."""

    requested: Optional[float] = None
    discovered: Optional[float] = None
    phases: Dict[str, float] = dataclasses.field(default_factory=dict)
    failed: bool = False


class Resizes:
    def __init__(self) -> None:
        self._clock = Clock()
        self._top = 0
        """Highest step seen."""

    def requested(self, time: float) -> None:
        if self._clock.requested is None:
            self._clock.requested = time

    def discovered(self, time: float) -> None:
        self._clock.discovered = time

    def phase(self, event: WorkerPhase) -> None:
        if event.phase == "failed":
            self._clock.failed = True
        self._clock.phases[event.phase] = event.wall

    def worker_failed(self) -> None:
        self._clock.failed = True

    def batch(self, event: Batch) -> None:
        self._top = max(self._top, event.step)

    def first_step(
        self, event: Batch, old: Optional[Generation], new: Generation
    ) -> Optional[Event]:
        """The Resize that ended with this batch; None for the run's first generation."""
        clock, top = self._clock, self._top
        self._clock, self._top = Clock(), event.step
        if old is None:
            return None
        before, after = _hosts(old), _hosts(new)
        return Resize(
            generation=new.number,
            cause="failure" if clock.failed else "hosts",
            old_size=old.size,
            new_size=new.size,
            joined=sorted(set(after) - set(before)),
            left=sorted(set(before) - set(after)),
            step=event.step,
            requested=clock.requested,
            discovered=clock.discovered,
            committed=clock.phases.get("interrupted", clock.phases.get("failed")),
            rendezvous=clock.phases.get("initialised"),
            synced=clock.phases.get("synced"),
            first_step=event.wall,
            repeated_steps=max(0, top - event.step + 1),
        )


def _hosts(generation: Generation) -> List[str]:
    return [member.host for member in generation.members]
