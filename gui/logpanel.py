"""The log: every stream of the run, filtered and followed."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTableView,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.events import LogRecord
from gui import icons, names
from gui.colors import Colors
from gui.icons import IconName
from gui.logline import LogLineDelegate
from gui.loglines import Level, LogFilter
from gui.logmodel import LogModel
from gui.retranslated import Retranslated

_PAUSE = 150


class _Lines(QTableView):
    """A table of one column: appending to it costs the same however long it is; a QListView lays out
    all its lines again.

    Signals: copy_wanted(); Qt's own copy takes the current line only.
    """

    copy_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.horizontalHeader().hide()
        self.horizontalHeader().setStretchLastSection(True)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setMinimumSectionSize(1)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_wanted.emit()
        else:
            super().keyPressEvent(event)


class LogPanel(Retranslated, QWidget):
    """Signals: save_wanted()."""

    save_wanted = Signal()

    def __init__(self, colors: Colors, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(names.LOG_PANEL)
        self.model = LogModel(self)
        self.view = _Lines()
        self.lines = LogLineDelegate(colors, self.view)
        self.stream, self.level = QComboBox(), QComboBox()
        self.search = QLineEdit()
        self.follow = QToolButton()
        self._save = QToolButton()
        self._count, self._empty = QLabel(), QLabel()
        self._filtering = QTimer(self)
        self._filtering.setSingleShot(True)
        self._filtering.setInterval(_PAUSE)
        self._build()
        self._connect()
        self.retranslate()

    # ---- building -----------------------------------------------------------------------------

    def _build(self) -> None:
        self.view.setObjectName(names.LOG_VIEW)
        self.view.setModel(self.model)
        self.view.setItemDelegate(self.lines)
        self.view.verticalHeader().setDefaultSectionSize(self.lines.height)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.stream.setObjectName(names.LOG_STREAM)
        self.stream.setMinimumWidth(136)
        self.level.setObjectName(names.LOG_LEVEL)
        for level in (Level.DEBUG, Level.INFO, Level.WARNING, Level.ERROR):
            self.level.addItem("", level)
        self.search.setObjectName(names.LOG_SEARCH)
        self.search.setClearButtonEnabled(True)
        self.follow.setObjectName(names.LOG_FOLLOW)
        self.follow.setIcon(icons.icon(IconName.FOLLOW))
        self.follow.setCheckable(True)
        self.follow.setChecked(True)
        self._save.setIcon(icons.icon(IconName.SAVE))
        self.follow.setProperty("look", "flat")
        self._save.setProperty("look", "icon-flat")
        self.follow.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._count.setProperty("role", "muted")
        self._empty.setProperty("role", "muted")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        QVBoxLayout(self.view.viewport()).addWidget(self._empty)
        self._lay_out()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(16, 0, 16, 0)
        row.setSpacing(8)
        row.addWidget(self.stream)
        row.addWidget(self.level)
        row.addWidget(self.search, 1)
        row.addWidget(self._count)
        row.addWidget(self.follow)
        row.addWidget(self._save)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 4, 0, 8)
        column.setSpacing(4)
        column.addLayout(row)
        column.addWidget(self.view, 1)

    def _connect(self) -> None:
        self.stream.currentIndexChanged.connect(lambda _: self._apply_filter())
        self.level.currentIndexChanged.connect(lambda _: self._apply_filter())
        self.search.textChanged.connect(lambda _: self._filtering.start())
        self._filtering.timeout.connect(self._apply_filter)
        self.follow.toggled.connect(self._follow_toggled)
        self._save.clicked.connect(self.save_wanted)
        bar = self.view.verticalScrollBar()
        bar.actionTriggered.connect(lambda _: self._scrolled())
        self.view.viewport().installEventFilter(self)
        self.view.copy_wanted.connect(self.copy)

    # ---- showing ------------------------------------------------------------------------------

    def append(self, records: Sequence[LogRecord]) -> None:
        known = len(self.model.sources)
        self.model.append(records)
        if len(self.model.sources) != known:
            self._fill_streams()
        self._show_counts()
        if self.follow.isChecked():
            self.view.scrollToBottom()

    def clear(self) -> None:
        self.model.clear()
        self._fill_streams()
        self._show_counts()

    def set_colors(self, colors: Colors) -> None:
        self.lines.colors = colors
        self.view.viewport().update()

    def copy(self) -> None:
        rows = sorted(index.row() for index in self.view.selectedIndexes())
        if rows:
            QApplication.clipboard().setText(self.model.text_of(rows))

    def text(self) -> str:
        """All lines that are shown."""
        return self.model.text_of(range(self.model.rowCount()))

    def _apply_filter(self) -> None:
        level = self.level.currentData()
        words = tuple(self.search.text().casefold().split())
        wanted = LogFilter(self.stream.currentData(), level or Level.DEBUG, words)
        self.model.set_filter(wanted)
        self._show_counts()
        if self.follow.isChecked():
            self.view.scrollToBottom()

    def _fill_streams(self) -> None:
        chosen = self.stream.currentData()
        blocked = self.stream.blockSignals(True)
        self.stream.clear()
        self.stream.addItem(self.tr("All streams"), None)
        for source in sorted(self.model.sources):
            self.stream.addItem(source or self.tr("driver"), source)
        place = self.stream.findData(chosen) if chosen is not None else 0
        self.stream.setCurrentIndex(max(0, place))
        self.stream.blockSignals(blocked)

    def _show_counts(self) -> None:
        shown, total = self.model.rowCount(), self.model.total
        text = f"{total:,}" if shown == total else f"{shown:,} / {total:,}"
        self._count.setText(self.tr("{0} lines").format(text) if total else "")
        dropped = self.tr("The oldest {0} lines are only in the run's folder.")
        self._count.setToolTip(
            dropped.format(f"{self.model.dropped:,}") if self.model.dropped else ""
        )
        self._empty.setVisible(not shown)
        self._empty.setText(
            self.tr("No line matches the filter.")
            if total
            else self.tr("What the driver and the workers print appears here.")
        )

    # ---- following ----------------------------------------------------------------------------

    def _follow_toggled(self, on: bool) -> None:
        if on:
            self.view.scrollToBottom()

    def _scrolled(self) -> None:
        """Who scrolls up wants to read; who scrolls to the end wants to follow."""
        QTimer.singleShot(0, self, self._judge_scroll)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Wheel:
            self._scrolled()
        return super().eventFilter(watched, event)

    def _judge_scroll(self) -> None:
        bar = self.view.verticalScrollBar()
        self.follow.setChecked(bar.value() >= bar.maximum())

    def retranslate(self) -> None:
        self.view.setAccessibleName(self.tr("Log lines"))
        self.stream.setAccessibleName(self.tr("Stream of the log"))
        self.level.setAccessibleName(self.tr("Lowest level of the log"))
        words = (
            self.tr("All levels"), self.tr("Info and above"),
            self.tr("Warnings and errors"), self.tr("Errors"),
        )  # fmt: skip
        for place, word in enumerate(words):
            self.level.setItemText(place, word)
        self.search.setPlaceholderText(self.tr("Search the log"))
        self.search.setAccessibleName(self.tr("Search the log"))
        self.follow.setText(self.tr("Follow"))
        self.follow.setToolTip(self.tr("Keep the newest line in sight"))
        self._save.setToolTip(self.tr("Save the shown lines…"))
        self._save.setAccessibleName(self.tr("Save the shown lines"))
        self._fill_streams()
        self._show_counts()
