"""The cards of one column as a Qt model, and how hosts travel between the two columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QMimeData,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from gui import figures, words
from gui.boardrows import HostRow
from gui.phrases import said

MIME = "application/x-maypole-hosts"
ROW_ROLE = Qt.ItemDataRole.UserRole + 1
_LIMIT = 1 << 20
_Index = QModelIndex | QPersistentModelIndex
NO_PARENT = QModelIndex()


def hosts_to_mime(names: Sequence[str]) -> QMimeData:
    mime = QMimeData()
    mime.setData(MIME, json.dumps({"hosts": list(names)}).encode("utf-8"))
    mime.setText("\n".join(names))
    return mime


def hosts_from_mime(mime: QMimeData) -> list[str]:
    """Empty for anything that this window did not make: drops may come from anywhere."""
    data = bytes(mime.data(MIME).data()) if mime.hasFormat(MIME) else b""
    if not data or len(data) > _LIMIT:
        return []
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return []
    names = value.get("hosts") if isinstance(value, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return []
    return names


class HostModel(QAbstractListModel):
    """Moves nothing by itself: it says what is wanted, and set_rows() brings what came of it.

    Signals: dropped(list of names), slots_edited(name, slots).
    """

    dropped = Signal(list)
    slots_edited = Signal(str, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[HostRow] = []

    @property
    def host_rows(self) -> tuple[HostRow, ...]:
        return tuple(self._rows)

    def row_of(self, name: str) -> int:
        return next((i for i, row in enumerate(self._rows) if row.name == name), -1)

    def set_rows(self, rows: Sequence[HostRow]) -> None:
        """With the fewest signals, so that selection and scrolling stay."""
        wanted = {row.name for row in rows}
        for place in reversed(range(len(self._rows))):
            if self._rows[place].name not in wanted:
                self.beginRemoveRows(QModelIndex(), place, place)
                del self._rows[place]
                self.endRemoveRows()
        here = {row.name for row in self._rows}
        for place, row in enumerate(rows):
            if row.name not in here:
                place = min(place, len(self._rows))
                self.beginInsertRows(QModelIndex(), place, place)
                self._rows.insert(place, row)
                self.endInsertRows()
        if [row.name for row in self._rows] != [row.name for row in rows]:
            self._reorder(list(rows))
        self._update(rows)

    def _reorder(self, rows: list[HostRow]) -> None:
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        places = {row.name: place for place, row in enumerate(rows)}
        after = [self.index(places[self._rows[old.row()].name]) for old in before]
        self._rows = rows
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _update(self, rows: Sequence[HostRow]) -> None:
        for place, (old, new) in enumerate(zip(self._rows, rows, strict=True)):
            if old != new:
                self._rows[place] = new
                index = self.index(place)
                self.dataChanged.emit(index, index)

    # ---- reading ------------------------------------------------------------------------------

    def rowCount(self, parent: _Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or not 0 <= index.row() < len(self._rows):
            return None
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.name
        if role == Qt.ItemDataRole.EditRole:
            return row.slots
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(self.lines_of(row))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(self.lines_of(row))
        return row if role == ROW_ROLE else None

    def lines_of(self, row: HostRow) -> list[str]:
        """A card in words, one fact a line."""
        lines = [row.name, self.slots_text(row), self.state_text(row)]
        if row.ranks:
            lines.append(self.ranks_text(row))
        lines += [text for text in (said(row.reason), self.note_text(row)) if text]
        if row.tags:
            lines.append(self.tr("tags: {0}").format(", ".join(row.tags)))
        return lines

    def slots_text(self, row: HostRow) -> str:
        return self.tr("%n slot(s)", "", row.slots)

    def ranks_text(self, row: HostRow) -> str:
        text = self.tr("rank {0}") if len(row.ranks) == 1 else self.tr("ranks {0}")
        return text.format(figures.rank_list(list(row.ranks)))

    def state_text(self, row: HostRow) -> str:
        if row.staged:
            return self.tr("to be added") if row.in_job else self.tr("to be removed")
        if row.in_job and row.state.value == "available":
            return self.tr("asked for") if row.running else self.tr("ready")
        return words.of_host(row.state).word

    def note_text(self, row: HostRow) -> str:
        if row.staged:
            return self.tr("waits for Apply")
        return self.tr("waits for the run's answer") if row.pending else ""

    def flags(self, index: _Index) -> Qt.ItemFlag:
        flag = Qt.ItemFlag
        if not index.isValid():
            return flag.ItemIsDropEnabled
        return (
            flag.ItemIsEnabled | flag.ItemIsSelectable | flag.ItemIsEditable
            | flag.ItemIsDragEnabled | flag.ItemIsDropEnabled | flag.ItemNeverHasChildren
        )  # fmt: skip

    # ---- asking -------------------------------------------------------------------------------

    def setData(self, index: _Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or not isinstance(value, int):
            return False
        row = self._rows[index.row()]
        if value != row.slots:
            self.slots_edited.emit(row.name, value)
        return True

    def mimeTypes(self) -> list[str]:
        return [MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        places = sorted({index.row() for index in indexes if index.isValid()})
        return hosts_to_mime([self._rows[place].name for place in places])

    def supportedDragActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def canDropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: _Index
    ) -> bool:
        return any(self.row_of(name) < 0 for name in hosts_from_mime(data))

    def dropMimeData(
        self, data: QMimeData, action: Qt.DropAction, row: int, column: int, parent: _Index
    ) -> bool:
        names = [name for name in hosts_from_mime(data) if self.row_of(name) < 0]
        if names:
            self.dropped.emit(names)
        return bool(names)
