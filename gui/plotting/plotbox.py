"""The rectangle of one plot: what the mouse does in it."""

from __future__ import annotations

import math

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPen

from gui.plotting.theme import Theme

_WHEEL = 1.0015
"""Zoom factor of one unit of a wheel (a notch is 120 units)."""
_THIN = 8.0
"""Pixels. A box that is thinner than this zooms only the other way."""


class PlotBox(pg.ViewBox):  # type: ignore[misc]
    """Left drag: box zoom. Middle drag, or Shift and left: pan. Wheel: zoom x; with Ctrl: zoom y.

    Signals:
        chosen(x range or None, y range or None): the user wants to see this.
        fit_wanted: double click.
        menu_wanted(global position).
    """

    chosen = Signal(object, object)
    fit_wanted = Signal()
    menu_wanted = Signal(QPointF)

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.disableAutoRange()
        self.setDefaultPadding(0.0)
        self.setMouseMode(pg.ViewBox.RectMode)
        self.dragged = False
        """While a button is held and moved here."""

    def use(self, theme: Theme) -> None:
        color = QColor(theme.accent)
        outline = QPen(color, 1)
        outline.setCosmetic(True)  # the box is in the plot's own units
        self.rbScaleBox.setPen(outline)
        color.setAlpha(50)
        self.rbScaleBox.setBrush(color)

    def wheelEvent(self, event: object, axis: int | None = None) -> None:
        if axis is None:
            control = event.modifiers() & Qt.KeyboardModifier.ControlModifier  # type: ignore[attr-defined]
            axis = 1 if control else 0
        center = self.mapToView(event.pos()) if self.sceneBoundingRect().isValid() else None  # type: ignore[attr-defined]
        factor = _WHEEL ** -event.delta()  # type: ignore[attr-defined]
        at = None if center is None else (center.x(), center.y())[axis]
        self._choose(axis, zoomed(self.viewRange()[axis], factor, at))
        event.accept()  # type: ignore[attr-defined]

    def _choose(self, axis: int, span: tuple[float, float]) -> None:
        if axis == 0:
            self.chosen.emit(span, None)
        else:
            self.chosen.emit(None, span)

    def mouseClickEvent(self, event: object) -> None:
        if event.button() == Qt.MouseButton.RightButton:  # type: ignore[attr-defined]
            event.accept()  # type: ignore[attr-defined]
            self.menu_wanted.emit(QPointF(event.screenPos()))  # type: ignore[attr-defined]
        elif event.double():  # type: ignore[attr-defined]
            event.accept()  # type: ignore[attr-defined]
            self.fit_wanted.emit()

    def mouseDragEvent(self, event: object, axis: int | None = None) -> None:
        event.accept()  # type: ignore[attr-defined]
        self.dragged = not event.isFinish()  # type: ignore[attr-defined]
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)  # type: ignore[attr-defined]
        left = event.button() == Qt.MouseButton.LeftButton  # type: ignore[attr-defined]
        if left and axis is None and not shift:
            self._drag_box(event)
        elif event.button() != Qt.MouseButton.RightButton:  # type: ignore[attr-defined]
            self._pan(event, axis)

    def _drag_box(self, event: object) -> None:
        start, here = event.buttonDownPos(Qt.MouseButton.LeftButton), event.pos()  # type: ignore[attr-defined]
        box = QRectF(QPointF(start), QPointF(here)).normalized() & self.rect()
        wide, high = box.width() >= _THIN, box.height() >= _THIN
        if not wide:
            box.setLeft(0), box.setRight(self.rect().width())
        if not high:
            box.setTop(0), box.setBottom(self.rect().height())
        if not event.isFinish():  # type: ignore[attr-defined]
            self.updateScaleBox(box.topLeft(), box.bottomRight())
            return
        self.rbScaleBox.hide()
        area = self.mapToView(box).boundingRect() if wide or high else None
        if area is not None:
            x = (area.left(), area.right()) if wide else None
            self.chosen.emit(x, (area.top(), area.bottom()) if high else None)

    def _pan(self, event: object, axis: int | None) -> None:
        (x0, x1), (y0, y1) = self.viewRange()
        moved = event.lastPos() - event.pos()  # type: ignore[attr-defined]
        dx = moved.x() * (x1 - x0) / max(1.0, self.width())
        dy = -moved.y() * (y1 - y0) / max(1.0, self.height())
        shifted_y = None if axis == 0 or not dy else (y0 + dy, y1 + dy)
        self.chosen.emit(None if axis == 1 or not dx else (x0 + dx, x1 + dx), shifted_y)


def zoomed(
    span: tuple[float, float], factor: float, center: float | None = None
) -> tuple[float, float]:
    """``span`` made ``factor`` times as long about a point of it, never to nothing."""
    low, high = span
    center = (low + high) / 2 if center is None else center
    width = (high - low) * factor
    least = 1e-12 * max(1.0, abs(center))
    if not math.isfinite(width) or width < least:
        return low, high
    share = (center - low) / (high - low)
    return center - share * width, center + (1 - share) * width
