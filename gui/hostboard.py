"""The host board: Available and In the job, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui import names
from gui.boardrows import HostRow, search_words
from gui.colors import Colors
from gui.hostlist import HostList
from gui.retranslated import Retranslated


class HostBoard(Retranslated, QFrame):
    """Signals: move_wanted(names, to_job), forget_wanted(names), slots_wanted(name, slots),
    rehearsal_wanted()."""

    move_wanted = Signal(list, bool)
    forget_wanted = Signal(list)
    slots_wanted = Signal(str, int)
    rehearsal_wanted = Signal()

    def __init__(self, colors: Colors, add_hosts: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("surface")
        self._rows: list[HostRow] = []
        self._add_hosts = add_hosts
        self.available = HostList(False, colors)
        self.job = HostList(True, colors)
        self.available.setObjectName(names.AVAILABLE_HOSTS)
        self.job.setObjectName(names.JOB_HOSTS)
        self._title, self._hint = QLabel(), QLabel()
        self._available_title, self._job_title = QLabel(), QLabel()
        self.search = QLineEdit()
        self._add = QToolButton()
        self._first_hint, self._job_hint = QLabel(), QLabel()
        self._first_add, self._rehearsal = QPushButton(), QPushButton()
        self._first = self._make_first()
        self._build()
        self._connect()
        self.retranslate()
        self.set_rows([])

    # ---- building -----------------------------------------------------------------------------

    def _build(self) -> None:
        self._title.setProperty("role", "title")
        for label in (self._available_title, self._job_title, self._hint):
            label.setProperty("role", "muted")
        self._hint.setWordWrap(True)
        self.search.setObjectName(names.HOST_SEARCH)
        self.search.setClearButtonEnabled(True)
        self._add.setObjectName(names.ADD_HOSTS_BUTTON)
        self._add.setDefaultAction(self._add_hosts)
        self._add.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self._add.setProperty("look", "icon")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._title)
        head.addWidget(self.search, 1)
        head.addWidget(self._add)
        columns = QHBoxLayout()
        columns.setSpacing(8)
        columns.addLayout(_column(self._available_title, self.available), 1)
        columns.addLayout(_column(self._job_title, self.job), 1)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 8, 16, 8)
        whole.setSpacing(8)
        whole.addLayout(head)
        whole.addLayout(columns, 1)
        whole.addWidget(self._hint)
        self.available.set_hint(self._first)
        self._prepare_hint(self._job_hint)
        self.job.set_hint(self._job_hint)

    def _make_first(self) -> QWidget:
        """What to do first."""
        panel = QWidget()
        self._prepare_hint(self._first_hint)
        self._first_add.clicked.connect(self._add_hosts.trigger)
        self._rehearsal.clicked.connect(self.rehearsal_wanted)
        self._rehearsal.setObjectName(names.REHEARSAL_ACTION + "Button")
        column = QVBoxLayout(panel)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        for widget in (self._first_hint, self._first_add, self._rehearsal):
            column.addWidget(widget)
        return panel

    @staticmethod
    def _prepare_hint(label: QLabel) -> None:
        label.setWordWrap(True)
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        label.setProperty("role", "muted")

    def _connect(self) -> None:
        self.available.move_wanted.connect(lambda hosts: self.move_wanted.emit(hosts, True))
        self.available.forget_wanted.connect(self.forget_wanted)
        self.available.hosts.dropped.connect(lambda hosts: self.move_wanted.emit(hosts, False))
        self.job.move_wanted.connect(lambda hosts: self.move_wanted.emit(hosts, False))
        self.job.hosts.dropped.connect(lambda hosts: self.move_wanted.emit(hosts, True))
        for column in (self.available, self.job):
            column.hosts.slots_edited.connect(self.slots_wanted)
        self.search.textChanged.connect(lambda _: self._show())

    # ---- showing ------------------------------------------------------------------------------

    def set_rows(self, rows: Sequence[HostRow]) -> None:
        self._rows = list(rows)
        self._show()

    def set_colors(self, colors: Colors) -> None:
        self.available.set_colors(colors)
        self.job.set_colors(colors)

    def _show(self) -> None:
        words = search_words(self.search.text())
        shown = [row for row in self._rows if row.matches(words)]
        self.available.hosts.set_rows([row for row in shown if not row.in_job])
        self.job.hosts.set_rows([row for row in shown if row.in_job])
        self._show_counts(bool(words))

    def _show_counts(self, searching: bool) -> None:
        available = [row for row in self._rows if not row.in_job]
        job = [row for row in self._rows if row.in_job]
        self._available_title.setText(self.tr("Available · {0}").format(len(available)))
        slots = self.tr("%n slot(s)", "", sum(row.slots for row in job))
        self._job_title.setText(self.tr("In the job · {0} · {1}").format(len(job), slots))
        nobody = not self._rows
        empty = not self.available.hosts.rowCount()
        self._first.setVisible(empty and (nobody or searching or not available))
        self._first_add.setVisible(nobody)
        self._rehearsal.setVisible(nobody)
        self._job_hint.setVisible(not self.job.hosts.rowCount())
        self._first_hint.setText(self._first_text(nobody, searching))
        self._job_hint.setText(
            self.tr("No host matches the search.")
            if searching and job
            else self.tr("Drag hosts here, or press Enter on them.")
        )

    def _first_text(self, nobody: bool, searching: bool) -> str:
        if nobody:
            return self.tr(
                "Add the hosts that can train, or try the rehearsal: four hosts that all live "
                "on this computer."
            )
        if searching:
            return self.tr("No host matches the search.")
        return self.tr("All hosts are in the job.")

    def retranslate(self) -> None:
        self._title.setText(self.tr("Hosts"))
        self.search.setPlaceholderText(self.tr("Search hosts"))
        self.search.setAccessibleName(self.tr("Search hosts by name, state or tag"))
        self._add.setAccessibleName(self.tr("Add hosts"))
        self.available.setAccessibleName(self.tr("Available hosts"))
        self.available.setAccessibleDescription(self.tr("Enter adds the selected hosts to the job"))
        self.job.setAccessibleName(self.tr("Hosts in the job"))
        self.job.setAccessibleDescription(self.tr("Delete removes the selected hosts from the job"))
        self._hint.setText(self.tr("Drag cards across. Or Enter adds, Del removes."))
        self._first_add.setText(self.tr("Add hosts…"))
        self._rehearsal.setText(self.tr("Try the rehearsal"))
        self._show_counts(bool(self.search.text().strip()))
        for column in (self.available, self.job):
            column.scheduleDelayedItemsLayout()
            column.viewport().update()


def _column(title: QLabel, view: QWidget) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(4)
    title.setContentsMargins(2, 0, 0, 0)
    column.addWidget(title)
    column.addWidget(view, 1)
    title.setBuddy(view)
    return column
