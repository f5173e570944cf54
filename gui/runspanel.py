"""The runs of this computer: reopen one, or see its folder."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QVBoxLayout, QWidget

from core.runs import RunSummary
from core.watch import Watch
from gui import figures, icons, names, words
from gui.icons import IconName
from gui.marking import QT_TRANSLATE_NOOP
from gui.retranslated import Retranslated
from gui.tablepanel import Column, Table, ValuesModel


def _state(run: RunSummary) -> str:
    return words.of_summary(run).word


def _state_story(run: RunSummary) -> str:
    translate = QCoreApplication.translate
    stories = {
        Watch.UNWATCHED: translate(
            "Runs", "It goes on, but its supervisor is dead. Open it, and a new one takes it over."
        ),
        Watch.GONE: translate(
            "Runs",
            "It ended while nobody watched. Open it to find out how. It was noted last as: {0}",
        ),
    }
    return stories.get(run.watch, _state(run)).format(words.of_run(run.state).word)


def _icon(run: RunSummary) -> QIcon:
    return icons.icon(words.of_summary(run).icon)


COLUMNS: tuple[Column[RunSummary], ...] = (
    Column(QT_TRANSLATE_NOOP("Runs", "State"), _state, exact=_state_story, icon=_icon),
    Column(QT_TRANSLATE_NOOP("Runs", "Profile"), lambda run: run.spec.name),
    Column(
        QT_TRANSLATE_NOOP("Runs", "Started"), lambda run: figures.date_and_time(run.spec.created)
    ),
    Column(
        QT_TRANSLATE_NOOP("Runs", "Lasted"),
        lambda run: figures.duration(run.updated - run.spec.created), True,
    ),
    Column(
        QT_TRANSLATE_NOOP("Runs", "Hosts at the start"),
        lambda run: ", ".join(f"{name}:{slots}" for name, slots in run.spec.hosts.items()),
    ),
    Column(QT_TRANSLATE_NOOP("Runs", "Script"), lambda run: run.spec.script),
    Column(QT_TRANSLATE_NOOP("Runs", "Run"), lambda run: run.run_id, exact=lambda run: run.run_dir),
)  # fmt: skip


class RunsPanel(Retranslated, QWidget):
    """Signals: open_wanted(run_dir), reveal_wanted(run_dir), refresh_wanted()."""

    open_wanted = Signal(str)
    reveal_wanted = Signal(str)
    refresh_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model: ValuesModel[RunSummary] = ValuesModel(COLUMNS, "Runs", self)
        self.view = Table(self.model)
        self.view.setObjectName(names.RUNS_VIEW)
        self._open = self._button(names.RUNS_OPEN_BUTTON, IconName.OPEN)
        self._reveal = self._button(names.RUNS_REVEAL_BUTTON, IconName.FOLDER)
        self._refresh = self._button(names.RUNS_REFRESH_BUTTON, IconName.REFRESH)
        self._build()
        self.retranslate()
        self._selected()

    @staticmethod
    def _button(name: str, icon: IconName) -> QToolButton:
        button = QToolButton()
        button.setObjectName(name)
        button.setIcon(icons.icon(icon))
        button.setProperty("look", "flat")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        return button

    def _build(self) -> None:
        column = QVBoxLayout()
        column.setSpacing(4)
        for button in (self._open, self._reveal, self._refresh):
            column.addWidget(button)
        column.addStretch(1)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 4, 8, 8)
        row.setSpacing(8)
        row.addWidget(self.view, 1)
        row.addLayout(column)
        self._open.clicked.connect(self._open_chosen)
        self._reveal.clicked.connect(self._reveal_chosen)
        self._refresh.clicked.connect(self.refresh_wanted)
        self.view.doubleClicked.connect(lambda _: self._open_chosen())
        self.view.selectionModel().selectionChanged.connect(lambda *_: self._selected())
        self.model.modelReset.connect(self._selected)

    def set_runs(self, runs: Sequence[RunSummary]) -> None:
        """The selected run stays selected."""
        chosen = self.chosen
        self.model.set_values(runs)
        if chosen is not None:
            places = [i for i, run in enumerate(self.model.values) if run.run_dir == chosen.run_dir]
            if places:
                self.view.selectRow(places[0])

    @property
    def chosen(self) -> RunSummary | None:
        rows = self.view.selectionModel().selectedRows()
        return self.model.values[rows[0].row()] if rows else None

    def _open_chosen(self) -> None:
        if self.chosen is not None:
            self.open_wanted.emit(self.chosen.run_dir)

    def _reveal_chosen(self) -> None:
        if self.chosen is not None:
            self.reveal_wanted.emit(self.chosen.run_dir)

    def _selected(self) -> None:
        for button in (self._open, self._reveal):
            button.setEnabled(self.chosen is not None)

    def retranslate(self) -> None:
        self.view.setAccessibleName(self.tr("Runs of this computer"))
        self.view.hint.setText(self.tr("No run yet. Put hosts into the job and press Start."))
        for button, text, tip in (
            (self._open, self.tr("Open"), self.tr("Show this run; a run that is going goes on")),
            (self._reveal, self.tr("Show folder"), self.tr("Open the folder of this run")),
            (self._refresh, self.tr("Refresh"), self.tr("Read the list of runs again")),
        ):
            button.setText(text)
            button.setToolTip(tip)
        self.model.retranslate()
