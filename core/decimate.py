"""Fewer points for the same picture: the lowest and the highest point of every pixel column.

Seam for very long runs: a pyramid of minima and maxima would stand between the columns of a table and
:func:`decimate`, which would then read the level whose cells are just smaller than a pixel column.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
_Indices = npt.NDArray[np.intp]


def decimate(x: Floats, y: Floats, columns: int, x0: float, x1: float) -> tuple[Floats, Floats]:
    """What a line over ``columns`` pixels from x0 to x1 needs of the points (x, y); x never falls.

    Every returned point is one of the given points, in their order. Besides the two of each column:
    the neighbours just outside the range, so that the line reaches the edge, and the first and last
    point inside. A column that holds nothing but NaN keeps one NaN, which is a gap in the line.
    Points that are already few come back as they are.
    """
    first, last = visible(x, x0, x1)
    if last - first <= 2 * columns or columns < 1 or not x1 > x0:
        return x[first:last], y[first:last]
    starts = _column_starts(x[first:last], columns, x0, x1)
    keep = first + _extremes(y[first:last], starts)
    return x[keep], y[keep]


def visible(x: Floats, x0: float, x1: float) -> tuple[int, int]:
    """The slice of the points in [x0, x1] with one neighbour on either side."""
    first = int(np.searchsorted(x, x0, "left"))
    last = int(np.searchsorted(x, x1, "right"))
    return max(0, first - 1), min(len(x), last + 1)


def _column_starts(x: Floats, columns: int, x0: float, x1: float) -> _Indices:
    edges = x0 + (x1 - x0) * (np.arange(columns + 1) / columns)
    inside = np.searchsorted(x, edges[:-1], "left")
    after = np.searchsorted(x, edges[-1], "right")
    starts = np.unique(np.concatenate(([0], inside, [after])))
    return starts[starts < len(x)]


def _extremes(y: Floats, starts: _Indices) -> _Indices:
    """Where the least and the greatest finite value of each run of ``y`` stand; sorted, no doubles."""
    low, high = y, y
    finite = np.isfinite(y)
    if not finite.all():
        low, high = np.where(finite, y, np.inf), np.where(finite, y, -np.inf)
    ends = np.append(starts[1:], len(y))
    spans = list(zip(starts.tolist(), ends.tolist(), strict=True))
    # One call a column beats whole-array numpy: argmin and argmax read the data just once, vectorised.
    lowest = [a + int(low[a:b].argmin()) for a, b in spans]
    highest = [a + int(high[a:b].argmax()) for a, b in spans]
    return np.unique(np.array([0, *lowest, *highest, len(y) - 1], dtype=np.intp))
