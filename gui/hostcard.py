"""How a host's card is drawn, and how its slots are edited in place."""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QSpinBox,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from gui import figures, icons, theme, words
from gui.boardrows import HostRow
from gui.colors import Colors, Tone
from gui.hostmodel import ROW_ROLE, HostModel
from gui.icons import IconName
from gui.phrases import said

_Index = QModelIndex | QPersistentModelIndex
_PAD_X, _PAD_Y, _GAP, _LINE_GAP, _SIGN = 12, 8, 8, 4, 16
_REASON_LINES = 2
MAX_SLOTS = 1024


@dataclass(frozen=True, slots=True)
class _Fonts:
    plain: QFont
    name: QFont
    small: QFont

    tall: int
    low: int

    def heights(self) -> tuple[int, int]:
        """Of a line in the name's font, and of one in the small font."""
        return self.tall, self.low


@lru_cache(maxsize=8)
def _fonts_of(description: str) -> _Fonts:
    """Asked for every card at every layout, so it is kept."""
    font = QFont()
    font.fromString(description)
    name, small = theme.bold(font), theme.small(font)
    return _Fonts(font, name, small, QFontMetrics(name).height(), QFontMetrics(small).height())


class HostCard(QStyledItemDelegate):
    def __init__(self, model: HostModel, colors: Colors, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._model = model
        self._view = view
        self.colors = colors

    # ---- measuring ----------------------------------------------------------------------------

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        row = index.data(ROW_ROLE)
        fonts = self._fonts(option)
        tall, low = fonts.heights()
        width = self._view.viewport().width()
        height = tall + _LINE_GAP + low + 2 * _PAD_Y + _GAP
        reason = self._reason(row)
        if reason:
            lines = len(_wrapped(reason, fonts.small, width - 2 * _PAD_X, _REASON_LINES))
            height += _LINE_GAP + lines * low
        return QSize(width, height)

    def _fonts(self, option: QStyleOptionViewItem) -> _Fonts:
        return _fonts_of(option.font.toString())

    def _reason(self, row: HostRow) -> str:
        return said(row.reason) or self._model.note_text(row)

    # ---- drawing ------------------------------------------------------------------------------

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row = index.data(ROW_ROLE)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = _card(option.rect)
        self._draw_frame(painter, option, card, row)
        fonts = self._fonts(option)
        inner = card.adjusted(_PAD_X, _PAD_Y, -_PAD_X, -_PAD_Y)
        tall, low = fonts.heights()
        self._draw_head(painter, fonts, QRect(inner.left(), inner.top(), inner.width(), tall), row)
        line = QRect(inner.left(), inner.top() + tall + _LINE_GAP, inner.width(), low)
        self._draw_state(painter, fonts, line, row)
        self._draw_reason(painter, fonts, line.translated(0, low + _LINE_GAP), row)
        painter.restore()

    def _draw_frame(
        self, painter: QPainter, option: QStyleOptionViewItem, card: QRect, row: HostRow
    ) -> None:
        colors, state = self.colors, option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        focused = bool(state & QStyle.StateFlag.State_HasFocus)
        hovered = bool(state & QStyle.StateFlag.State_MouseOver)
        fill = colors.accent_soft if selected else colors.hover if hovered else colors.raised
        edge = colors.accent if selected or focused else colors.border
        pen = QPen(QColor(edge), 2 if focused else 1)
        if row.staged or row.pending:
            pen.setStyle(Qt.PenStyle.DashLine)
            pen.setColor(QColor(colors.accent if focused else colors.strong_border))
        painter.setPen(pen)
        painter.setBrush(QColor(fill))
        inset = 1.0 if focused else 0.5
        painter.drawRoundedRect(QRectF(card).adjusted(inset, inset, -inset, -inset), 6, 6)

    def _draw_head(self, painter: QPainter, fonts: _Fonts, line: QRect, row: HostRow) -> None:
        slots = self._model.slots_text(row)
        width = QFontMetrics(fonts.small).horizontalAdvance(slots)
        _write(painter, fonts.small, self.colors.muted, _right(line, width), slots)
        name = line.adjusted(0, 0, -width - _GAP, 0)
        _write(painter, fonts.name, self.colors.text, name, row.name, Qt.TextElideMode.ElideMiddle)

    def _draw_state(self, painter: QPainter, fonts: _Fonts, line: QRect, row: HostRow) -> None:
        icon, tone = _sign(row)
        top = line.center().y() - _SIGN / 2 + 0.5
        area = QRectF(line.left(), top, _SIGN, _SIGN)
        icons.paint(painter, icon, self.colors.tone(tone), area)
        right = self._right_text(row)
        width = QFontMetrics(fonts.small).horizontalAdvance(right)
        if right:
            _write(painter, fonts.small, self.colors.muted, _right(line, width), right)
        word = line.adjusted(_SIGN + 6, 0, -width - (_GAP if right else 0), 0)
        _write(painter, fonts.small, self.colors.text, word, self._model.state_text(row))

    def _right_text(self, row: HostRow) -> str:
        if row.ranks:
            return self._model.ranks_text(row)
        if row.until is not None:
            return figures.clock(row.until - time.time())
        return ""

    def _draw_reason(self, painter: QPainter, fonts: _Fonts, line: QRect, row: HostRow) -> None:
        text = self._reason(row)
        for part in _wrapped(text, fonts.small, line.width(), _REASON_LINES) if text else ():
            _write(painter, fonts.small, self.colors.muted, line, part)
            line = line.translated(0, line.height())

    # ---- the slots ----------------------------------------------------------------------------

    def slots_rect(self, option: QStyleOptionViewItem, index: _Index) -> QRect:
        """Where the slots are written; a click there edits them."""
        fonts = self._fonts(option)
        text = self._model.slots_text(index.data(ROW_ROLE))
        width = QFontMetrics(fonts.small).horizontalAdvance(text)
        inner = _card(option.rect).adjusted(_PAD_X, 0, -_PAD_X, 0)
        height = _PAD_Y + fonts.heights()[0]
        return QRect(inner.right() - width - 4, inner.top(), width + 8, height + 2)

    def editorEvent(
        self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: _Index
    ) -> bool:
        if isinstance(event, QMouseEvent) and event.type() == QEvent.Type.MouseButtonRelease:
            plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
            here = self.slots_rect(option, index).contains(event.position().toPoint())
            if event.button() == Qt.MouseButton.LeftButton and plain and here:
                self._view.edit(self._model.index(index.row()))
                return True
        return super().editorEvent(event, model, option, index)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QWidget:
        editor = QSpinBox(parent)
        editor.setRange(1, MAX_SLOTS)
        editor.setButtonSymbols(QSpinBox.ButtonSymbols.NoButtons)
        editor.setAccessibleName(self.tr("Slots of {0}").format(index.data()))
        editor.setAlignment(Qt.AlignmentFlag.AlignRight)
        return editor

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        assert isinstance(editor, QSpinBox)
        editor.setValue(index.data(Qt.ItemDataRole.EditRole))
        editor.selectAll()

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        assert isinstance(editor, QSpinBox)
        editor.interpretText()
        self._model.setData(index, editor.value())

    def updateEditorGeometry(
        self, editor: QWidget, option: QStyleOptionViewItem, index: _Index
    ) -> None:
        card = _card(option.rect)
        width = min(72, card.width() // 2)
        height = editor.sizeHint().height()
        editor.setGeometry(card.right() - width - 4, card.top() + 4, width, height)


def _sign(row: HostRow) -> tuple[IconName, Tone]:
    if row.staged:
        return (IconName.TO_JOB if row.in_job else IconName.FROM_JOB), Tone.ACCENT
    if row.in_job and row.running and row.state.value == "available":
        return IconName.OFFERED, Tone.WAITING
    look = words.of_host(row.state)
    return look.icon, look.tone


def _card(area: QRect) -> QRect:
    return area.adjusted(0, 0, 0, -_GAP)


def _right(line: QRect, width: int) -> QRect:
    return QRect(line.right() - width, line.top(), width + 1, line.height())


def _write(
    painter: QPainter, font: QFont, color: str, area: QRect, text: str,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> None:  # fmt: skip
    painter.setFont(font)
    painter.setPen(QColor(color))
    shown = QFontMetrics(font).elidedText(text, elide, area.width())
    painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


def _wrapped(text: str, font: QFont, width: int, most: int) -> list[str]:
    """``text`` in at most ``most`` lines; what does not fit is cut with an ellipsis."""
    metrics = QFontMetrics(font)
    lines: list[str] = []
    rest = " ".join(text.split())
    while rest and len(lines) < most - 1:
        if metrics.horizontalAdvance(rest) <= width:
            break
        head = _head(rest, metrics, width)
        lines.append(head)
        rest = rest[len(head) :].lstrip()
    if rest:
        lines.append(metrics.elidedText(rest, Qt.TextElideMode.ElideRight, width))
    return lines


def _head(text: str, metrics: QFontMetrics, width: int) -> str:
    """The words of ``text`` that fit into a line, at least one letter."""
    fits = 1
    while fits < len(text) and metrics.horizontalAdvance(text[: fits + 1]) <= width:
        fits += 1
    space = text.rfind(" ", 0, fits + 1)
    return text[: space if space > 0 else fits]
