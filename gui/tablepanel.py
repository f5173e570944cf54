"""A table over plain values: columns declared as a list, and what stands there while it is empty."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QTableView,
    QVBoxLayout,
    QWidget,
)

V = TypeVar("V")
_Index = QModelIndex | QPersistentModelIndex
NO_PARENT = QModelIndex()
VALUE_ROLE = Qt.ItemDataRole.UserRole + 1


@dataclass(frozen=True, slots=True)
class Column(Generic[V]):
    """``title`` in the translation context of the table. ``exact``: the tool tip, where it differs."""

    title: str
    text: Callable[[V], str]
    number: bool = False
    exact: Callable[[V], str] | None = None
    icon: Callable[[V], Any] | None = None


class ValuesModel(QAbstractTableModel, Generic[V]):
    def __init__(
        self, columns: Sequence[Column[V]], context: str, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._columns = tuple(columns)
        self._context = context
        self._values: tuple[V, ...] = ()

    @property
    def values(self) -> tuple[V, ...]:
        return self._values

    def set_values(self, values: Sequence[V]) -> None:
        wanted = tuple(values)
        if wanted != self._values:
            self.beginResetModel()
            self._values = wanted
            self.endResetModel()

    def retranslate(self) -> None:
        last = len(self._columns) - 1
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)
        if self._values:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._values) - 1, last))

    def rowCount(self, parent: _Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._values)

    def columnCount(self, parent: _Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._columns)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        value, column = self._values[index.row()], self._columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.text(value)
        if role == Qt.ItemDataRole.ToolTipRole:
            return (column.exact or column.text)(value)
        if role == Qt.ItemDataRole.DecorationRole and column.icon is not None:
            return column.icon(value)
        if role == Qt.ItemDataRole.TextAlignmentRole and column.number:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return value if role == VALUE_ROLE else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self._columns):
            return None
        column = self._columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return QCoreApplication.translate(self._context, column.title)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None


class Table(QTableView):
    """Rows of one height, whole rows selected, a hint while there are none."""

    def __init__(self, model: ValuesModel[Any], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setAlternatingRowColors(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 8)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setStretchLastSection(True)
        header.setHighlightSections(False)
        header.setMaximumSectionSize(320)
        header.setResizeContentsPrecision(50)
        self.hint = QLabel()
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.hint.setProperty("role", "muted")
        QVBoxLayout(self.viewport()).addWidget(self.hint)
        model.modelReset.connect(self._show_hint)
        self._show_hint()

    def _show_hint(self) -> None:
        empty = not self.model().rowCount()
        self.hint.setVisible(empty)
        self.horizontalHeader().setVisible(not empty)
