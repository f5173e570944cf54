"""Problems of the run in plain words, each with what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from core.runview import SeenProblem
from gui import figures, icons, names, theme, words
from gui.colors import Colors
from gui.phrases import said
from gui.retranslated import Retranslated

PROBLEM_ROLE = Qt.ItemDataRole.UserRole + 1
_Index = QModelIndex | QPersistentModelIndex
NO_PARENT = QModelIndex()
_LEFT, _PAD, _SIGN, _GAP = 16, 8, 18, 12
_WRAP = Qt.TextFlag.TextWordWrap


class ProblemsModel(QAbstractListModel):
    """Newest first."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._problems: tuple[SeenProblem, ...] = ()

    def set_problems(self, problems: Sequence[SeenProblem]) -> None:
        wanted = tuple(reversed(problems))
        if wanted != self._problems:
            self.beginResetModel()
            self._problems = wanted
            self.endResetModel()

    def rowCount(self, parent: _Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._problems)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        seen = self._problems[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return said(seen.problem.text)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            word = words.of_severity(seen.problem.severity).word
            return f"{word}: {said(seen.problem.text)} {said(seen.problem.action)}"
        return seen if role == PROBLEM_ROLE else None


class ProblemDelegate(QStyledItemDelegate):
    def __init__(self, colors: Colors, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self.colors = colors

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        width = self._view.viewport().width()
        areas = self._areas(option, index.data(PROBLEM_ROLE), QRect(0, 0, width, 0))
        return QSize(width, areas[-1].bottom() + _PAD + 1)

    def _areas(
        self, option: QStyleOptionViewItem, seen: SeenProblem, area: QRect
    ) -> tuple[QRect, QRect, QRect]:
        """Of the heading, the sentence and the next action."""
        font = option.font
        x = area.left() + _LEFT + _SIGN + _GAP
        width = area.right() - x - _LEFT
        low = QFontMetrics(theme.small(font))
        head = QRect(x, area.top() + _PAD, width, low.height())
        text = _below(head, QFontMetrics(theme.bold(font)), said(seen.problem.text))
        return head, text, _below(text, QFontMetrics(font), said(seen.problem.action))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        seen: SeenProblem = index.data(PROBLEM_ROLE)
        area: QRect = option.rect
        font = option.font
        look = words.of_severity(seen.problem.severity)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, QColor(self.colors.accent_soft))
        sign = QRectF(area.left() + _LEFT, area.top() + _PAD, _SIGN, _SIGN)
        icons.paint(painter, look.icon, self.colors.tone(look.tone), sign)
        head, text, action = self._areas(option, seen, area)
        parts = [look.word, seen.problem.host, figures.time_of_day(seen.time)]
        if seen.count > 1:
            parts.append(self.tr("%n time(s)", "", seen.count))
        painter.setFont(theme.small(font))
        painter.setPen(QColor(self.colors.muted))
        painter.drawText(head, 0, " · ".join(part for part in parts if part))
        painter.setFont(theme.bold(font))
        painter.setPen(QColor(self.colors.text))
        painter.drawText(text, _WRAP, said(seen.problem.text))
        painter.setFont(font)
        painter.drawText(action, _WRAP, said(seen.problem.action))
        painter.restore()


def _below(above: QRect, metrics: QFontMetrics, text: str) -> QRect:
    if not text:
        return QRect(above.left(), above.bottom() + 1, above.width(), 0)
    top = above.bottom() + 3
    needed = metrics.boundingRect(QRect(0, 0, above.width(), 10_000), _WRAP, text)
    return QRect(above.left(), top, above.width(), needed.height())


class _List(QListView):
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()


class ProblemsPanel(Retranslated, QWidget):
    def __init__(self, colors: Colors, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = ProblemsModel(self)
        self.view = _List()
        self.view.setObjectName(names.PROBLEMS_VIEW)
        self.view.setModel(self.model)
        self._delegate = ProblemDelegate(colors, self.view)
        self.view.setItemDelegate(self._delegate)
        self.view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._empty = QLabel()
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setProperty("role", "muted")
        QVBoxLayout(self.view.viewport()).addWidget(self._empty)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 8)
        column.addWidget(self.view)
        self.retranslate()

    def set_problems(self, problems: Sequence[SeenProblem]) -> None:
        self.model.set_problems(problems)
        self._empty.setVisible(not self.model.rowCount())

    def set_colors(self, colors: Colors) -> None:
        self._delegate.colors = colors
        self.view.viewport().update()

    def retranslate(self) -> None:
        self.view.setAccessibleName(self.tr("Problems of the run"))
        self._empty.setText(
            self.tr("No problems. What goes wrong is explained here, with what to do.")
        )
        self.view.viewport().update()
