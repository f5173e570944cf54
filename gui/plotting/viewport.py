"""What part of the curves is seen: all, a window that moves with the newest point, or the user's zoom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

Span = tuple[float, float]
_ROOM = 0.02
"""Free space beside the data, as a share of its length."""
_HISTORY = 100


@dataclass(frozen=True, slots=True)
class Viewport:
    """``x`` None: all. ``follow``: a given x keeps its width and moves. ``y``: zooms of single plots."""

    x: Span | None = None
    follow: bool = True
    y: Mapping[str, Span] = field(default_factory=dict)

    def chosen(self, x: Span | None, y: Span | None, plot: str) -> Viewport:
        """After the user zoomed or moved: from then on live data leave the view alone."""
        view = self
        if x is not None:
            view = replace(view, x=x, follow=False)
        if y is not None:
            view = replace(view, y={**view.y, plot: y})
        return view

    def span(self, data: Span | None) -> Span:
        """The x range to show for data from data[0] to data[1]."""
        if self.x is not None and not (self.follow and data):
            return self.x
        if data is None:
            return (0.0, 1.0)
        low, high = data
        if self.x is None:
            room = (high - low) * _ROOM or max(abs(high) * _ROOM, 0.5)
            return low - room / 2, high + room
        width = self.x[1] - self.x[0]
        end = high + width * _ROOM
        return end - width, end


class History:
    """Back and forward through viewports."""

    def __init__(self) -> None:
        self._past: list[Viewport] = []
        self._future: list[Viewport] = []

    def push(self, current: Viewport) -> None:
        """Call before a change, with what is seen until then."""
        self._past = [*self._past[1 - _HISTORY :], current]
        self._future = []

    def back(self, current: Viewport) -> Viewport:
        if not self._past:
            return current
        self._future.append(current)
        return self._past.pop()

    def forward(self, current: Viewport) -> Viewport:
        if not self._future:
            return current
        self._past.append(current)
        return self._future.pop()


def padded(low: float, high: float, share: float = 0.06) -> Span:
    """A y range with room above and below; a flat line gets some too."""
    room = (high - low) * share or max(abs(high) * 0.1, 1e-9)
    return low - room, high + room
