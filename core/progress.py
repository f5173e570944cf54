"""How far a training is, and when it will be done."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

WINDOW = 60.0
"""Seconds of training that the speed is taken from."""
SPACING = 0.5
"""Seconds between two samples of it."""


@dataclass(frozen=True, slots=True)
class Progress:
    """``epochs`` and ``steps_per_epoch`` are 0 while unknown. ``wall``: of the last batch, epoch seconds."""

    step: int = -1
    epoch: float = 0.0
    epochs: int = 0
    steps_per_epoch: int = 0
    samples: int = -1
    wall: float = 0.0

    @property
    def fraction(self) -> float | None:
        return min(1.0, self.epoch / self.epochs) if self.epochs > 0 else None


class Speed:
    """Epochs per second over the last minute of batches, at the present world size."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, float]] = deque()
        self._before: float | None = None

    def add(self, wall: float, epoch: float) -> None:
        if self._samples and (wall < self._samples[-1][0] or epoch < self._samples[-1][1]):
            self._samples.clear()  # a rollback, or another rank 0's clock
        if not self._samples or wall - self._samples[-1][0] >= SPACING:
            self._samples.append((wall, epoch))
        while wall - self._samples[0][0] > WINDOW:
            self._samples.popleft()

    def resized(self) -> None:
        """The world is another one: until it is measured, the old speed is the best guess."""
        self._before = self.epochs_per_second
        self._samples.clear()

    @property
    def epochs_per_second(self) -> float | None:
        if len(self._samples) < 2:
            return self._before
        (start, first), (end, last) = self._samples[0], self._samples[-1]
        return (last - first) / (end - start) if last > first else self._before


def eta(progress: Progress, speed: Speed) -> float | None:
    """Seconds of training left after the last batch; None while unknown."""
    pace = speed.epochs_per_second
    if progress.epochs <= 0 or not pace:
        return None
    return max(0.0, progress.epochs - progress.epoch) / pace
