"""The axes: few round ticks, room for every label."""

from __future__ import annotations

from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QPicture

from core.series import Axis
from gui.plotting import ticks
from gui.plotting.theme import Theme, mix

_GRID_SHARE = 0.22
_UP_TO_DATE = QPicture()
"""pyqtgraph sets an axis' picture to None when it must be drawn anew."""
_OVERHANG = 24.0
Levels = list[tuple[float, list[float]]]


class _PlainAxis(pg.AxisItem):  # type: ignore[misc]
    """One level of ticks. ``needed`` is the width in pixels of the widest label drawn so far."""

    picture: QPicture | None

    def __init__(self, orientation: str) -> None:
        super().__init__(orientation, maxTickLevel=0)
        self.setStyle(
            tickLength=0, tickTextOffset=6, autoExpandTextSpace=False, hideOverlappingLabels=False
        )
        self.enableAutoSIPrefix(False)
        self.needed = 0.0
        self._specs: Any = None
        self._metrics = QFontMetricsF(QFont())

    def use(self, theme: Theme, font: QFont) -> None:
        self._metrics = QFontMetricsF(font)
        self.setStyle(tickFont=font)
        self.setPen(theme.muted)
        self.setTextPen(theme.muted)
        self.setTickPen(mix(theme.grid, theme.background, _GRID_SHARE))
        self.setStyle(tickAlpha=255)  # opaque lines are many times faster than faint ones
        self.setGrid(255)
        self.label.setFont(font)

    def _note(self, texts: list[str]) -> list[str]:
        widest = max((self._metrics.horizontalAdvance(text) for text in texts), default=0.0)
        self.needed = max(self.needed, widest)
        return texts

    def paint(self, painter: QPainter, *_: object) -> None:
        """Draws what pyqtgraph would replay from a QPicture, which looks its font up anew each time."""
        if self.picture is None:
            self._specs = self.generateDrawSpecs(painter)
            self.picture = _UP_TO_DATE
        if self._specs is not None:
            painter.setFont(self.style["tickFont"] or QFont())
            self.drawPicture(painter, *self._specs)

    def redraw(self) -> None:
        self.picture = None
        self.update()


class ValueAxis(_PlainAxis):
    """The left axis. With ``log`` its range is of powers of ten; ``whole`` allows only whole numbers."""

    def __init__(self, whole: bool = False) -> None:
        super().__init__("left")
        self._whole = whole
        self.log = False

    def tickValues(self, low: float, high: float, size: float) -> Levels:
        tight = 1.15 if self._whole else 1.6
        count = max(1.5, size / (tight * self._metrics.height()))
        edge = 0.4 * self._metrics.height() / max(size, 1.0) * (high - low)
        low, high = low + edge, high - edge  # a label at the very end would be left out
        if self.log:
            return [(1.0, ticks.log_ticks(low, high, count))]
        step = ticks.nice_step(high - low, count)
        if self._whole:
            step = max(1.0, round(step))
        elif len(ticks.multiples(low, high, step)) < 2:
            step = ticks.nice_step(high - low, 2 * count)  # one tick alone is no scale
        return [(step, ticks.multiples(low, high, step))]

    def tickStrings(self, values: list[float], _scale: float, spacing: float) -> list[str]:
        if self.log:
            return self._note([f"{10**value:.3g}" for value in values])
        return self._note([ticks.number_text(value, spacing) for value in values])


class PlaceAxis(_PlainAxis):
    """The bottom axis; ``offset`` is what its range leaves off the true value."""

    def __init__(self, labelled: bool) -> None:
        super().__init__("bottom")
        self._labelled = labelled
        self._axis = Axis.STEP
        self._offset = 0.0
        self.setStyle(showValues=labelled)
        if not labelled:
            self.setHeight(1)

    def boundingRect(self) -> QRectF:
        """With room for half a label beyond either end; pyqtgraph leaves out what does not fit."""
        return QRectF(super().boundingRect()).adjusted(-_OVERHANG, 0, _OVERHANG, 0)

    def show_axis(self, axis: Axis, offset: float) -> None:
        if (axis, offset) != (self._axis, self._offset):
            self._axis, self._offset = axis, offset
            self.redraw()

    def tickValues(self, low: float, high: float, size: float) -> Levels:
        count = max(1.5, size / 90)
        if self._axis.is_time:
            step = ticks.time_step(high - low, count)
            origin = ticks.day_origin(low + self._offset) - self._offset if self._offset else 0.0
            return [(step, ticks.multiples(low, high, step, origin))]
        step = ticks.nice_step(high - low, count)
        if self._axis is not Axis.EPOCH:
            step = max(1.0, step)
        return [(step, ticks.multiples(low, high, step))]

    def tickStrings(self, values: list[float], _scale: float, spacing: float) -> list[str]:
        if self._axis is Axis.WALL:
            return [ticks.clock_text(value + self._offset, spacing) for value in values]
        if self._axis is Axis.RELATIVE:
            return [ticks.duration_text(value, spacing) for value in values]
        return [ticks.number_text(value, spacing) for value in values]
