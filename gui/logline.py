"""How a line of the log is drawn: time, stream in its rank's colour, level, text."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from gui import figures, icons
from gui.colors import Colors, Tone
from gui.icons import IconName
from gui.loglines import Level, LogLine
from gui.logmodel import LINE_ROLE
from gui.theme import fixed_font

_Index = QModelIndex | QPersistentModelIndex
_GAP = 12
_SIGN = 14
_SIGNS = {
    Level.WARNING: (IconName.WARNING, Tone.WAITING),
    Level.ERROR: (IconName.ERROR, Tone.BAD),
}
_WIDEST = 4000


class LogLineDelegate(QStyledItemDelegate):
    def __init__(self, colors: Colors, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self.colors = colors
        self.font: QFont = fixed_font(view.font().pointSizeF() * 0.95)
        self._metrics = QFontMetrics(self.font)
        self._letter = self._metrics.horizontalAdvance("0")

    @property
    def height(self) -> int:
        return self._metrics.height() + 2

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        return QSize(self._view.viewport().width(), self.height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        line: LogLine = index.data(LINE_ROLE)
        area: QRect = option.rect
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setFont(self.font)
        if selected:
            painter.fillRect(area, QColor(self.colors.accent_soft))
        x = area.left() + 16
        x = self._word(
            painter, area, x, figures.time_of_day(line.record.time), self.colors.muted, 8
        )
        color = self.colors.of_rank(line.record.rank)
        x = self._word(painter, area, x, line.source or self.tr("driver"), color, 12)
        x = self._word(painter, area, x, self._rank(line), color, 8)
        x = self._sign(painter, area, x, line)
        rest = QRect(x, area.top(), area.right() - x - 8, area.height())
        text = self._metrics.elidedText(
            line.record.text[:_WIDEST], Qt.TextElideMode.ElideRight, rest.width()
        )
        painter.setPen(QColor(self.colors.bad if line.level is Level.ERROR else self.colors.text))
        painter.drawText(rest, Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()

    def _rank(self, line: LogLine) -> str:
        rank = line.record.rank
        return self.tr("rank {0}").format(rank) if rank >= 0 else ""

    def _word(
        self, painter: QPainter, area: QRect, x: int, text: str, color: str, letters: int
    ) -> int:
        width = letters * self._letter
        shown = self._metrics.elidedText(text, Qt.TextElideMode.ElideMiddle, width)
        painter.setPen(QColor(color))
        place = QRect(x, area.top(), width + 1, area.height())
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, shown)
        return x + width + _GAP

    def _sign(self, painter: QPainter, area: QRect, x: int, line: LogLine) -> int:
        if line.level in _SIGNS:
            icon, tone = _SIGNS[line.level]
            top = area.center().y() - _SIGN / 2 + 0.5
            icons.paint(painter, icon, self.colors.tone(tone), QRectF(x, top, _SIGN, _SIGN))
        return x + _SIGN + _GAP // 2
