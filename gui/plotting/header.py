"""The line above a plot: its name, and for each curve a sample, a word and the newest value."""

from __future__ import annotations

from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from gui.plotting.theme import Theme, mix

_SAMPLE = 16.0
_GAP = 6.0


@dataclass(frozen=True, slots=True)
class Entry:
    """``name`` is the curve's; ``text`` what is written for it."""

    name: str
    text: str
    value: str
    color: str
    dashed: bool = False
    hidden: bool = False


class Header(pg.GraphicsWidget):  # type: ignore[misc]
    """Signals: entry_clicked(name), entry_isolated(name) on a double click."""

    entry_clicked = Signal(str)
    entry_isolated = Signal(str)

    def __init__(self, theme: Theme, font: QFont) -> None:
        super().__init__()
        self._theme, self._font = theme, font
        self._title, self._note = "", ""
        self._entries: tuple[Entry, ...] = ()
        self._areas: list[tuple[QRectF, str]] = []
        self.indent = 0.0
        self.setAcceptHoverEvents(True)
        self._fix_height()

    def use(self, theme: Theme, font: QFont) -> None:
        self._theme, self._font = theme, font
        self._fix_height()
        self.update()

    def _fix_height(self) -> None:
        height = QFontMetricsF(self._font).height() + 6
        self.setMinimumHeight(height)
        self.setMaximumHeight(height)

    def sizeHint(self, _which: Qt.SizeHint, _constraint: QSizeF | None = None) -> QSizeF:
        return QSizeF(-1, QFontMetricsF(self._font).height() + 6)

    def show_entries(self, title: str, entries: tuple[Entry, ...], note: str = "") -> None:
        if (title, entries, note) != (self._title, self._entries, self._note):
            self._title, self._entries, self._note = title, entries, note
            self.setToolTip(note)
            self.update()

    def in_words(self) -> str:
        """``loss: training 0.138, validation 0.187``."""
        values = (f"{entry.text} {entry.value}".strip() for entry in self._entries if entry.value)
        return f"{self._title}: {', '.join(values)}" if self._entries else ""

    def set_indent(self, indent: float) -> None:
        if indent != self.indent:
            self.indent = indent
            self.update()

    def boundingRect(self) -> QRectF:
        return QRectF(QPointF(0, 0), self.size())

    def paint(self, painter: QPainter, *_: object) -> None:
        area = QRectF(self.indent, 0, self.size().width() - self.indent, self.size().height())
        bold = QFont(self._font)
        bold.setWeight(QFont.Weight.DemiBold)
        x = (
            self._text(painter, area, area.left(), self._title, self._theme.foreground, bold)
            + 3 * _GAP
        )
        self._areas = []
        for entry in self._entries:
            end = self._entry(painter, area, x, entry)
            self._areas.append((QRectF(x, 0, end - x, area.height()), entry.name))
            x = end + 3 * _GAP
        self._right_note(painter, area, x)

    def _entry(self, painter: QPainter, area: QRectF, x: float, entry: Entry) -> float:
        theme = self._theme
        color = mix(entry.color, theme.background, 0.3) if entry.hidden else entry.color
        words = mix(theme.muted, theme.background, 0.6) if entry.hidden else theme.muted
        if x + _SAMPLE > area.right():
            return x
        middle = area.center().y()
        pen = QPen(QColor(color), 2)
        if entry.dashed:
            pen.setDashPattern([2.5, 1.5])
        painter.setPen(pen)
        painter.drawLine(QPointF(x, middle), QPointF(x + _SAMPLE, middle))
        x += _SAMPLE + _GAP
        if entry.text:
            x = self._text(painter, area, x, entry.text, words, self._font) + _GAP
        shown = theme.muted if entry.hidden else theme.foreground
        return self._text(painter, area, x, entry.value, shown, self._font)

    def _right_note(self, painter: QPainter, area: QRectF, after: float) -> None:
        width = QFontMetricsF(self._font).horizontalAdvance(self._note)
        if self._note and after + width <= area.right():
            self._text(
                painter, area, area.right() - width, self._note, self._theme.problem, self._font
            )

    @staticmethod
    def _text(
        painter: QPainter, area: QRectF, x: float, text: str, color: str, font: QFont
    ) -> float:
        """Draws what fits and returns where it ends."""
        metrics = QFontMetricsF(font)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0.0, area.right() - x))
        painter.setFont(font)
        painter.setPen(QColor(color))
        baseline = area.center().y() + (metrics.ascent() - metrics.descent()) / 2
        painter.drawText(QPointF(x, baseline), shown)
        return x + metrics.horizontalAdvance(shown)

    def mouseClickEvent(self, event: object) -> None:
        position = event.pos()  # type: ignore[attr-defined]
        for area, name in self._areas:
            if area.contains(QPointF(position)):
                event.accept()  # type: ignore[attr-defined]
                (self.entry_isolated if event.double() else self.entry_clicked).emit(name)  # type: ignore[attr-defined]
                return

    def entry_center(self, name: str) -> QPointF | None:
        """In scene coordinates; for tests and for whoever points at an entry."""
        return next((self.mapToScene(area.center()) for area, n in self._areas if n == name), None)
