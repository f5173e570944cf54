"""Records of a made-up run, for tests and benchmarks of curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from trainer.events import Batch, EpochEnd, Event, Member, Record, Resize, Topology

WORKER = "demo-1[0].a"
START = 1_764_500_000.0


def batch(
    step: int,
    worker: str = WORKER,
    *,
    wall: float | None = None,
    size: int = 2,
    lr: float | None = 0.001,
    samples: int | None = None,
    **metrics: float,
) -> Batch:
    wall = START + step * 0.1 if wall is None else wall
    samples = step * 32 if samples is None else samples
    return Batch(worker, wall, step, step / 100, size, metrics, lr, samples, 0.1)


def epoch_end(step: int, worker: str = WORKER, **metrics: float) -> EpochEnd:
    return EpochEnd(worker, START + step * 0.1, step, step // 100, 2, metrics, step * 32)


def topology(generation: int, size: int, rank0: str = WORKER) -> Topology:
    members = [Member(0, "demo-1", 0, rank0)]
    members += [Member(rank, f"demo-{rank + 1}", 0, "") for rank in range(1, size)]
    return Topology(generation, size, members)


def resize(step: int, old: int, new: int, joined: str = "", left: str = "") -> Resize:
    hosts = [joined] if joined else []
    gone = [left] if left else []
    start = START + step * 0.1
    return Resize(1, "hosts", old, new, hosts, gone, step, requested=start - 3.5, first_step=start)


def records(events: Iterable[Event], first: int = 1) -> Iterator[Record]:
    for seq, event in enumerate(events, first):
        yield Record(seq, START + seq, event)


def falling(steps: int, start: int = 1) -> list[Batch]:
    """Batches with a loss and an accuracy as a training has them."""
    return [
        batch(
            step,
            loss=2.3 * math.exp(-step / 400) + 0.05 * math.sin(step),
            accuracy=1 - 0.9 * math.exp(-step / 400),
        )
        for step in range(start, start + steps)
    ]
