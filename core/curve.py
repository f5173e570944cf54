"""What a curve is: its name, its axis, its points, and the marks of resizes beside it."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import numpy as np

from core.table import Floats


class Axis(enum.Enum):
    """What stands on the x axis. RELATIVE and WALL are seconds."""

    STEP = "step"
    EPOCH = "epoch"
    SAMPLES = "samples"
    RELATIVE = "relative"
    WALL = "wall"

    @property
    def is_time(self) -> bool:
        return self in (Axis.RELATIVE, Axis.WALL)


class Kind(enum.Enum):
    BATCH = "batch"
    EPOCH = "epoch"
    LEARNING_RATE = "learning rate"


@dataclass(frozen=True, slots=True)
class Key:
    """Names one curve of a run."""

    kind: Kind
    name: str

    @property
    def is_validation(self) -> bool:
        return self.name.startswith("val_")


LEARNING_RATE = Key(Kind.LEARNING_RATE, "learning rate")


@dataclass(frozen=True, slots=True)
class Curve:
    """Points to draw, x never falling; ``x + offset`` is the axis' own value.

    ``version`` differs whenever the points differ in more than new ones at the end.
    """

    x: Floats
    y: Floats
    offset: float = 0.0
    version: int = 0


@dataclass(frozen=True, slots=True)
class ResizeMark:
    """A resize as the plots tell it. ``seconds``: from request to first step, None if not both were seen."""

    seq: int
    time: float
    step: int
    generation: int
    cause: str
    old_size: int
    new_size: int
    joined: tuple[str, ...]
    left: tuple[str, ...]
    seconds: float | None
    repeated_steps: int

    @property
    def label(self) -> str:
        """``+demo-3 −demo-1``; the sizes where no host came or went."""
        names = [f"+{host}" for host in self.joined] + [
            f"\N{MINUS SIGN}{host}" for host in self.left
        ]
        return " ".join(names) or f"{self.old_size} \N{RIGHTWARDS ARROW} {self.new_size}"


def nearest(x: Floats, place: float) -> int | None:
    """The index of the value of rising ``x`` that is nearest to ``place``."""
    if not len(x):
        return None
    right = min(int(np.searchsorted(x, place)), len(x) - 1)
    left = max(0, right - 1)
    return left if abs(x[left] - place) <= abs(x[right] - place) else right


def rising(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Without points that have no place on the axis, in the order of the axis."""
    missing = np.isnan(x)
    if missing.any():
        x, y = x[~missing], y[~missing]
    if len(x) > 1 and bool((x[1:] < x[:-1]).any()):  # the clocks of two hosts differ
        order = np.argsort(x, kind="stable")
        x, y = x[order], y[order]
    return x, y
