"""What is drawn over a plot in pixels: marks of resizes, points that are not numbers, the crosshair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QGraphicsLineItem

from gui.plotting.theme import Theme, mix

_ODD_SIZE = 4.5


@dataclass(frozen=True, slots=True)
class Mark:
    x: float
    label: str


class Overlay(pg.GraphicsObject):  # type: ignore[misc]
    """A child of the plot's box, so its coordinates are the box's pixels."""

    def __init__(self, box: pg.ViewBox, theme: Theme, font: QFont, labelled: bool) -> None:
        super().__init__()
        self.setParentItem(box)
        self.setZValue(1e6)
        self.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self._box, self._theme, self._font = box, theme, font
        self.labelled = labelled
        self._marks: tuple[Mark, ...] = ()
        self._odd: tuple[tuple[float, float], ...] = ()
        self._line = QGraphicsLineItem(box)
        self._line.setZValue(1e6 + 1)
        self._line.setAcceptedMouseButtons(Qt.MouseButton.NoButton)
        self._line.hide()
        box.sigRangeChanged.connect(self._box_changed)
        box.sigResized.connect(self._box_changed)
        self.use(theme, font)

    def use(self, theme: Theme, font: QFont) -> None:
        self._theme, self._font = theme, font
        pen = QPen(QColor(theme.accent), 1)
        pen.setCosmetic(True)
        self._line.setPen(pen)
        self.update()

    def show_marks(self, marks: Sequence[Mark], odd: Sequence[tuple[float, float]]) -> None:
        """``odd``: (x, y) of points that are NaN or infinite, y where the line was before."""
        if (tuple(marks), tuple(odd)) != (self._marks, self._odd):
            self._marks, self._odd = tuple(marks), tuple(odd)
            self.update()

    @property
    def marks(self) -> tuple[Mark, ...]:
        return self._marks

    @property
    def odd(self) -> tuple[tuple[float, float], ...]:
        return self._odd

    def show_crosshair(self, x: float | None) -> None:
        """At a value of the x axis; None hides it."""
        place = None if x is None else self._pixel_x(x)
        visible = place is not None and 0 <= place <= self._box.width()
        if visible and place is not None:
            self._line.setLine(place, 0, place, self._box.height())
        self._line.setVisible(visible)

    def _box_changed(self, *_: object) -> None:
        self.prepareGeometryChange()
        self.update()

    def boundingRect(self) -> QRectF:
        return QRectF(0, 0, self._box.width(), self._box.height())

    def _pixel_x(self, x: float) -> float:
        low, high = self._box.viewRange()[0]
        return float((x - low) / (high - low) * self._box.width())

    def _pixel_y(self, y: float) -> float:
        low, high = self._box.viewRange()[1]
        return float((1 - (y - low) / (high - low)) * self._box.height())

    def paint(self, painter: QPainter, *_: object) -> None:
        if not self.labelled:
            self._paint_lines(painter, [self._pixel_x(mark.x) for mark in self._marks])
        else:
            self._paint_marks(painter)
        self._paint_odd(painter)

    def _paint_lines(self, painter: QPainter, places: list[float]) -> None:
        pen = QPen(QColor(self._theme.mark), 1)
        pen.setCosmetic(True)
        pen.setDashPattern([4, 3])
        painter.setPen(pen)
        height = self._box.height()
        for x in {round(place) + 0.5 for place in places if 0 <= place <= self._box.width()}:
            painter.drawLine(QPointF(x, 0), QPointF(x, height))

    def _paint_marks(self, painter: QPainter) -> None:
        """Lines, and the labels for which there is room: a label never covers another."""
        self._paint_lines(painter, [self._pixel_x(mark.x) for mark in self._marks])
        metrics = QFontMetricsF(self._font)
        painter.setFont(self._font)
        rows = [-1.0, -1.0]
        for mark in self._marks:
            x = self._pixel_x(mark.x)
            width = metrics.horizontalAdvance(mark.label)
            left = x + 4 if x + 6 + width <= self._box.width() else x - 4 - width
            row = next((i for i, end in enumerate(rows) if left >= end), None)
            if row is None or not 0 <= x <= self._box.width():
                continue
            rows[row] = left + width + 8
            self._paint_label(painter, QPointF(left, 2 + row * (metrics.height() + 1)), mark.label)

    def _paint_label(self, painter: QPainter, corner: QPointF, text: str) -> None:
        metrics = QFontMetricsF(self._font)
        back = QColor(mix(self._theme.background, self._theme.background, 1.0))
        back.setAlpha(200)
        size = QRectF(
            corner.x() - 2, corner.y(), metrics.horizontalAdvance(text) + 4, metrics.height()
        )
        painter.fillRect(size, back)
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(QPointF(corner.x(), corner.y() + metrics.ascent()), text)

    def _paint_odd(self, painter: QPainter) -> None:
        """Triangles where a point is no number, at the height of the point before."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.problem))
        height, s = self._box.height(), _ODD_SIZE
        columns: set[int] = set()
        for data_x, data_y in self._odd:
            x = self._pixel_x(data_x)
            if round(x) in columns or not 0 <= x <= self._box.width():
                continue
            columns.add(round(x))
            y = (
                min(max(self._pixel_y(data_y), 2 * s), height - s)
                if data_y == data_y
                else height - s
            )
            painter.drawPolygon(
                QPolygonF([QPointF(x, y - 1.6 * s), QPointF(x - s, y), QPointF(x + s, y)])
            )
