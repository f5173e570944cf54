"""From the form to a running job: checks live, tells what is missing, starts, stops."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from core.errors import InvalidInput, MaypoleError, RunError
from core.launch import StartedRun
from core.profiles import Profile
from gui import fieldtext
from gui.engine import Engine
from gui.launchpanel import LaunchPanel
from gui.phrases import said
from gui.profilestore import ProfileStore
from gui.prompter import Prompter, Question
from gui.session import Session
from gui.settings import Settings
from gui.tasks import Tasks
from gui.toasts import Note, error_note

_PAUSE = 120
"""Milliseconds without typing before the form is checked and the preview made again."""
_TOLD = "told_run_goes_on"


class LaunchController(QObject):
    """Signals: starting_changed(bool), problems_changed(list of InvalidInput), field_wanted(name)."""

    starting_changed = Signal(bool)
    problems_changed = Signal(list)
    field_wanted = Signal(str)

    def __init__(
        self, engine: Engine, store: ProfileStore, session: Session, panel: LaunchPanel,
        tasks: Tasks, prompter: Prompter, settings: Settings, parent: QObject | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self._engine, self._store, self._session = engine, store, session
        self._panel, self._tasks, self._prompter = panel, tasks, prompter
        self._settings = settings
        self._unread: dict[str, InvalidInput] = {}
        self._refused: dict[str, InvalidInput] = {}
        self._touched: set[str] = set()
        self._insisting = False
        self.problems: list[InvalidInput] = []
        self.starting = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE)
        self._pause.timeout.connect(self.check)
        panel.edited.connect(self._edited)
        panel.browse_wanted.connect(self._browse)
        store.changed.connect(self._changed)
        store.opened.connect(self._opened)
        session.failed.connect(self._told)
        self._opened()
        self.check()

    # ---- the form -----------------------------------------------------------------------------

    @Slot(str, str)
    def _edited(self, name: str, text: str) -> None:
        self._refused.pop(name, None)
        self._touched.add(name)
        try:
            value = fieldtext.from_text(name, text)
        except InvalidInput as error:
            self._unread[name] = error
        else:
            self._unread.pop(name, None)
            self._store.update(**{name: value})
        self._pause.start()

    @Slot()
    def _opened(self) -> None:
        self._unread.clear()
        self._refused.clear()
        self._touched.clear()
        # An empty form is not wrong yet; what a file says may be.
        self._insisting = self._store.profile != Profile()
        self._panel.set_profile(self._store.profile, str(self._store.path or ""), False)
        self._pause.start()

    @Slot()
    def _changed(self) -> None:
        self._panel.set_file(str(self._store.path or ""), self._store.modified)
        self._pause.start()

    @Slot()
    def check(self) -> None:
        """What can be told without asking a machine, beside its field."""
        self._pause.stop()
        checked = self._engine.check(self._store.profile)
        self.problems = [*self._unread.values(), *checked, *self._refused.values()]
        errors: dict[str, str] = {}
        for problem in self.problems:
            if self._insisting or problem.field in self._touched:
                errors.setdefault(problem.field, said(problem.text))
        self._panel.set_errors(errors)
        self._show_preview()
        self.problems_changed.emit(self.problems)

    def _show_preview(self) -> None:
        preview = self._engine.preview(self._store.profile)
        self._panel.set_preview(preview, complete=not self.problems)

    @Slot(str)
    def _browse(self, name: str) -> None:
        start = getattr(self._store.profile, name) or str(Path.home())
        if start.startswith("maypole:"):
            start = str(Path.home())

        def chosen(path: str) -> None:
            self._panel.fields[name].set_text(path)
            self._edited(name, path)

        if name == "workdir":
            self._prompter.choose_folder(self.tr("Choose the working directory"), start, chosen)
        else:
            everything = self.tr("All files (*)")
            self._prompter.choose_file(self.tr("Choose a file"), start, everything, chosen)

    # ---- start and stop -----------------------------------------------------------------------

    @Slot()
    def start(self) -> None:
        self._insisting = True
        self.check()
        if self.starting or self._session.running:
            return
        if self.problems:
            self._refuse(self.problems)
            return
        self._set_starting(True)
        profile = self._store.profile
        self._tasks.run(
            "launch", lambda _p, _c: self._engine.launch(profile), self._started, self._not_started
        )

    def _refuse(self, problems: list[InvalidInput]) -> None:
        first = problems[0]
        more = len(problems) - 1
        text = said(first.text)
        if more:
            text += " " + self.tr("(%n more field(s) need attention.)", "", more)
        self._prompter.tell(Note(text, "warning"))
        self.field_wanted.emit(first.field)

    def _started(self, run: StartedRun) -> None:
        self._set_starting(False)
        self._session.attach(run.run_dir)
        if not self._settings.flag(_TOLD):
            self._settings.set_flag(_TOLD)
            self._prompter.tell(
                Note(
                    self.tr(
                        "The training does not need this window. Close it whenever you like: the run "
                        "goes on, and it is here again when you come back."
                    )
                )
            )

    def _not_started(self, error: MaypoleError) -> None:
        self._set_starting(False)
        if isinstance(error, InvalidInput):
            self._refused[error.field] = error
            self.check()
            self.field_wanted.emit(error.field)
        self._told(error)

    @Slot(object)
    def _told(self, error: MaypoleError) -> None:
        self._prompter.tell(error_note(error.text))

    def _set_starting(self, on: bool) -> None:
        self.starting = on
        self.starting_changed.emit(on)

    @Slot()
    def stop(self) -> None:
        """At the next commit: nothing that was learned is lost."""
        self._stop(now=False)

    @Slot()
    def stop_now(self) -> None:
        question = Question(
            self.tr("Stop at once?"),
            self.tr(
                "What was learned since the last commit is lost. Stop alone waits for the next commit "
                "and keeps it."
            ),
            self.tr("Stop at once"), self.tr("Keep it running"),
        )  # fmt: skip
        self._prompter.ask(question, lambda: self._stop(now=True))

    def _stop(self, now: bool) -> None:
        try:
            self._session.stop_run(now)
        except RunError as error:
            self._told(error)
