"""Lines of output as a Qt model: appended in blocks, filtered by indexes, bounded."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.events import LogRecord
from gui import figures
from gui.loglines import LogFilter, LogLine, line_of

LINE_ROLE = Qt.ItemDataRole.UserRole + 1
LIMIT = 200_000
"""Lines kept in the window. All of them are in the run's folder."""
_Index = QModelIndex | QPersistentModelIndex
NO_PARENT = QModelIndex()


class LogModel(QAbstractListModel):
    def __init__(self, parent: QObject | None = None, limit: int = LIMIT) -> None:
        super().__init__(parent)
        self._limit = limit
        self._lines: list[LogLine] = []
        self._shown: list[LogLine] = []
        self._filter = LogFilter()
        self._sources: dict[str, None] = {}
        self.dropped = 0
        """Oldest lines that were let go."""

    @property
    def sources(self) -> list[str]:
        """Every stream that has said something; "" is the driver."""
        return list(self._sources)

    @property
    def total(self) -> int:
        return len(self._lines)

    def append(self, records: Iterable[LogRecord]) -> None:
        lines = [line_of(record) for record in records]
        self._sources.update(dict.fromkeys(line.source for line in lines))
        self._lines += lines
        new = lines if self._filter.all else [line for line in lines if self._filter.takes(line)]
        if new:
            first = len(self._shown)
            self.beginInsertRows(QModelIndex(), first, first + len(new) - 1)
            self._shown += new
            self.endInsertRows()
        if len(self._lines) > self._limit:
            self._drop(len(self._lines) - self._limit + self._limit // 10)

    def _drop(self, count: int) -> None:
        """A tenth at a time, so that a full log does not move the whole list for every line."""
        if self._filter.all:
            gone = min(count, len(self._shown))
        else:
            going = set(map(id, self._lines[:count]))
            gone = next(
                (i for i, line in enumerate(self._shown) if id(line) not in going), len(self._shown)
            )
        del self._lines[:count]
        self.dropped += count
        if gone:
            self.beginRemoveRows(QModelIndex(), 0, gone - 1)
            del self._shown[:gone]
            self.endRemoveRows()

    def set_filter(self, wanted: LogFilter) -> None:
        if wanted == self._filter:
            return
        self.beginResetModel()
        self._filter = wanted
        self._shown = (
            list(self._lines) if wanted.all else [ln for ln in self._lines if wanted.takes(ln)]
        )
        self.endResetModel()

    def clear(self) -> None:
        self.beginResetModel()
        self._lines, self._shown, self._sources, self.dropped = [], [], {}, 0
        self.endResetModel()

    def text_of(self, rows: Iterable[int]) -> str:
        return "\n".join(as_text(self._shown[row]) for row in rows)

    def rowCount(self, parent: _Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or not 0 <= index.row() < len(self._shown):
            return None
        line = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return line.record.text
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return as_text(line)[:2000]
        return line if role == LINE_ROLE else None


def as_text(line: LogLine) -> str:
    record = line.record
    rank = f" rank {record.rank}" if record.rank >= 0 else ""
    time = figures.time_of_day(record.time)
    return f"{time} {line.source or 'driver'}{rank}: {record.text}"
