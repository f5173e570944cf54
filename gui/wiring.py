"""Connects the window's parts with their controllers, and shows what the run tells."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Slot
from PySide6.QtWidgets import QApplication

from core.errors import InvalidInput, MaypoleError
from core.events import CommandReply, LinkChanged, LinkState, LogRecord, Record, RunInfo, RunState
from core.export import final_export
from core.runs import RunSummary
from core.runview import Change
from gui import mainwindow as places
from gui.addhosts import AddHostsDialog
from gui.engine import Engine
from gui.exportcontroller import ExportController, reveal
from gui.filing import Filing
from gui.helpdialog import HelpDialog
from gui.hostscontroller import HostsController
from gui.language import LanguageController
from gui.launchcontroller import LaunchController
from gui.mainwindow import MainWindow
from gui.phrases import said
from gui.profilestore import ProfileStore
from gui.prompter import Prompter
from gui.session import Session
from gui.settings import LanguageChoice, Settings, ThemeChoice
from gui.tasks import Tasks
from gui.theme import ThemeController
from gui.toasts import Note, Toasts, error_note

_REDRAW = 100
"""Milliseconds: however many events come, the tool bar is drawn at most so often."""


class Wiring(QObject):
    def __init__(
        self, window: MainWindow, engine: Engine, session: Session, store: ProfileStore,
        tasks: Tasks, prompter: Prompter, toasts: Toasts, settings: Settings,
        theme: ThemeController, language: LanguageController,
    ) -> None:  # fmt: skip
        super().__init__(window)
        self.window, self._engine, self.session, self.store = window, engine, session, store
        self._tasks, self._prompter, self._toasts = tasks, prompter, toasts
        self._settings, self._theme, self._language = settings, theme, language
        self.hosts = HostsController(store, session, prompter, self)
        self.launch = LaunchController(
            engine, store, session, window.launch, tasks, prompter, settings, self
        )
        self.export = ExportController(engine, session, tasks, prompter, settings, self)
        self.filing = Filing(window, store, tasks, prompter, settings, self)
        self._exporting = ""
        self._known_problems: set[str] = set()
        self._redraw = QTimer(self)
        self._redraw.setSingleShot(True)
        self._redraw.setInterval(_REDRAW)
        self._redraw.timeout.connect(self.show_run)
        self._second = QTimer(self)
        self._second.setInterval(1000)
        self._second.timeout.connect(self._tick)
        self._connect_actions()
        self._connect_board()
        self._connect_run()
        self._connect_looks()
        self.show_run()
        self.hosts.refresh()

    # ---- connecting ---------------------------------------------------------------------------

    def _connect_actions(self) -> None:
        acts, window = self.window.actions_, self.window
        acts.start.triggered.connect(self.launch.start)
        acts.stop.triggered.connect(self.launch.stop)
        acts.stop_now.triggered.connect(self.launch.stop_now)
        acts.export.triggered.connect(self._export_or_cancel)
        acts.apply.triggered.connect(self.hosts.apply)
        acts.staging.toggled.connect(self.hosts.set_staging)
        acts.undo.triggered.connect(self.hosts.undo)
        acts.redo.triggered.connect(self.hosts.redo)
        acts.add_hosts.triggered.connect(self.add_hosts)
        acts.search_hosts.triggered.connect(window.board.search.setFocus)
        acts.search_log.triggered.connect(self._search_log)
        acts.show_curves.triggered.connect(lambda: window.show_tab(places.CURVES_TAB))
        acts.show_launch.triggered.connect(lambda: window.show_tab(places.LAUNCH_TAB))
        acts.help.triggered.connect(lambda: HelpDialog(window).open())
        acts.quit.triggered.connect(window.close)

    def _connect_board(self) -> None:
        board, hosts = self.window.board, self.hosts
        board.move_wanted.connect(hosts.move)
        board.forget_wanted.connect(hosts.forget)
        board.slots_wanted.connect(hosts.set_slots)
        hosts.rows_changed.connect(board.set_rows)
        hosts.staged_changed.connect(self._show_staged)
        hosts.undo_stack.indexChanged.connect(self._show_undo)
        self.launch.field_wanted.connect(self._go_to_field)
        self.launch.starting_changed.connect(lambda _: self.show_run())
        self.launch.problems_changed.connect(self._show_start)
        self.export.progress_changed.connect(self._show_export)

    def _connect_run(self) -> None:
        session, window = self.session, self.window
        session.attaching.connect(self._attaching)
        session.attached.connect(self._attached)
        session.detached.connect(self._detached)
        session.changed.connect(self._run_changed)
        session.records.connect(self._records)
        session.logs.connect(self._logs)
        session.link_changed.connect(self._link_changed)
        session.replied.connect(self._replied)
        window.runs.open_wanted.connect(session.attach)
        window.runs.reveal_wanted.connect(lambda run_dir: reveal(Path(run_dir)))
        window.runs.refresh_wanted.connect(self.list_runs)
        self.store.changed.connect(self._show_title)

    def _connect_looks(self) -> None:
        acts = self.window.actions_
        for action in acts.themes.actions():
            action.setChecked(action.data() == self._theme.choice.value)
        for action in acts.languages.actions():
            action.setChecked(action.data() == self._language.choice.value)
        acts.themes.triggered.connect(lambda action: self.choose_theme(ThemeChoice(action.data())))
        acts.languages.triggered.connect(
            lambda action: self.choose_language(LanguageChoice(action.data()))
        )
        self._theme.changed.connect(self._recolor)
        self._language.changed.connect(self._retranslated)

    # ---- looks --------------------------------------------------------------------------------

    def choose_theme(self, choice: ThemeChoice) -> None:
        self._settings.theme = choice
        self._theme.choose(choice)

    def choose_language(self, choice: LanguageChoice) -> None:
        self._settings.language = choice
        self._language.choose(choice)

    @Slot(object)
    def _recolor(self, colors: object) -> None:
        self.window.set_colors(self._theme.colors)
        self._toasts.colors = self._theme.colors

    @Slot()
    def _retranslated(self) -> None:
        self.launch.check()
        self.show_run()
        self.hosts.refresh()
        self._show_title()

    # ---- the run ------------------------------------------------------------------------------

    @Slot(str)
    def _attaching(self, _run_dir: str) -> None:
        self.window.curves.clear()
        self.window.log.clear()
        self.window.problems.set_problems(())
        self.window.resizes.set_resizes(())
        self._known_problems.clear()
        self.show_run()

    @Slot(object)
    def _attached(self, info: RunInfo) -> None:
        self.window.show_tab(places.CURVES_TAB)
        self._second.start()
        self.list_runs()
        self.show_run()

    @Slot()
    def _detached(self) -> None:
        self._second.stop()
        self.show_run()

    @Slot(object)
    def _records(self, records: tuple[Record, ...]) -> None:
        for record in records:
            self.window.curves.apply(record)

    @Slot(object)
    def _logs(self, records: tuple[LogRecord, ...]) -> None:
        self.window.log.append(records)

    @Slot(object)
    def _run_changed(self, change: Change) -> None:
        view = self.session.view
        if view is None:
            return
        if change & Change.PROBLEMS:
            self.window.problems.set_problems(view.problems)
            self._tell_problems()
        if change & Change.RESIZES:
            self.window.resizes.set_resizes(view.resizes)
        if change & Change.STATE:
            self._tell_end()
            self.show_run()
        elif not self._redraw.isActive():
            self._redraw.start()

    def _tell_problems(self) -> None:
        """Errors that happen before these eyes; the rest is in the list."""
        view = self.session.view
        errors = (
            [seen.problem for seen in view.problems if seen.problem.severity == "error"]
            if view
            else []
        )
        new = [problem for problem in errors if problem.text not in self._known_problems]
        self._known_problems.update(problem.text for problem in new)
        if new and self.session.caught_up:
            text = f"{said(new[-1].text)} {said(new[-1].action)}".strip()
            show = lambda: self.window.show_bottom(places.PROBLEMS_TAB)  # noqa: E731
            self._prompter.tell(Note(text, "error", self.tr("Problems"), show))

    def _tell_end(self) -> None:
        """Only of a run that ended before these eyes, not of one that is looked up."""
        view = self.session.view
        if view is None or view.over is None or not self.session.caught_up:
            return
        self.list_runs()
        failed = view.over.outcome is RunState.FAILED
        texts = {
            RunState.FINISHED: self.tr(
                "The training is finished. Export takes the SavedModel home."
            ),
            RunState.STOPPED: self.tr(
                "The training was stopped. Export takes the SavedModel home."
            ),
        }
        text = texts.get(view.over.outcome) or self.tr("The run failed: {0}").format(
            said(view.over.reason)
        )
        self._prompter.tell(Note(text, "error" if failed else "info"))
        QApplication.alert(self.window)

    @Slot(object)
    def _link_changed(self, link: LinkChanged) -> None:
        if link.state is LinkState.LOST:
            self._prompter.tell(Note(link.text, "warning"))
        self.show_run()

    @Slot(object)
    def _replied(self, reply: CommandReply) -> None:
        if reply.name == "stop" and not reply.ok:
            self._prompter.tell(error_note(reply.error))

    def _tick(self) -> None:
        """Cooldowns on the cards count down."""
        for column in (self.window.board.available, self.window.board.job):
            if any(row.until is not None for row in column.hosts.host_rows):
                column.viewport().update()

    # ---- showing ------------------------------------------------------------------------------

    @Slot()
    def show_run(self) -> None:
        view = self.session.view
        launching = self.launch.starting or (view is None and bool(self.session.run_dir))
        self.window.top.show_run(view, launching)
        if view is not None:
            self.window.show_counts(len(view.problems), len(view.resizes))
        else:
            self.window.show_counts(0, 0)
        running = self.session.running
        acts = self.window.actions_
        acts.start.setVisible(not running)
        acts.start.setEnabled(not running and not launching)
        acts.stop.setVisible(running)
        stopping = view is not None and view.state.state is RunState.STOPPING
        acts.stop.setEnabled(self.session.commanding and not stopping)
        acts.stop_now.setEnabled(self.session.commanding)
        can_export = view is not None and (running or final_export(view) is not None)
        acts.export.setEnabled(can_export or self.export.busy)
        self._show_export(self._exporting)
        self._show_undo()
        self._show_title()

    def _show_title(self) -> None:
        info = self.session.info
        name = info.spec.name if info else self.store.profile.name
        mark = "*" if self.store.modified and info is None else ""
        self.window.setWindowTitle(f"{name}{mark} – Maypole")
        self.window.top.set_run_name(name, info.run_dir if info else str(self.store.path or ""))

    @Slot(list)
    def _show_start(self, problems: list[InvalidInput]) -> None:
        texts = [said(problem.text) for problem in problems]
        ready = self.tr("Start horovodrun with this profile")
        tip = (
            self.tr("Before Start:") + "\n" + "\n".join(f"• {t}" for t in texts) if texts else ready
        )
        self.window.actions_.start.setToolTip(tip)

    @Slot(int)
    def _show_staged(self, count: int) -> None:
        apply = self.window.actions_.apply
        apply.setVisible(self.hosts.staging and self.session.running)
        apply.setEnabled(count > 0)
        apply.setText(self.tr("Apply %n move(s)", "", count))
        apply.setToolTip(self.tr("Change the running job once, with all staged moves"))

    @Slot(str)
    def _show_export(self, text: str) -> None:
        self._exporting = text
        export = self.window.actions_.export
        export.setText(text or self.tr("Export SavedModel"))
        export.setToolTip(
            self.tr("Press to cancel")
            if text
            else self.tr("Write the trained model, verify it, and copy it to a folder of yours")
        )

    def _show_undo(self) -> None:
        stack, acts = self.hosts.undo_stack, self.window.actions_
        acts.undo.setEnabled(stack.canUndo())
        acts.redo.setEnabled(stack.canRedo())
        cost = self.tr(" (changes the running job)") if self.session.running else ""
        undo, redo = self.tr("&Undo"), self.tr("&Redo")
        acts.undo.setText(f"{undo}: {stack.undoText()}{cost}" if stack.canUndo() else undo)
        acts.redo.setText(f"{redo}: {stack.redoText()}{cost}" if stack.canRedo() else redo)

    @Slot(str)
    def _go_to_field(self, name: str) -> None:
        if name in self.window.launch.fields:
            self.window.show_tab(places.LAUNCH_TAB)
            self.window.launch.focus_field(name)
        elif name == "hosts":
            self.window.board.available.setFocus()

    # ---- doing --------------------------------------------------------------------------------

    @Slot()
    def _export_or_cancel(self) -> None:
        (self.export.cancel if self.export.busy else self.export.export)()

    @Slot()
    def add_hosts(self) -> None:
        dialog = AddHostsDialog(self.window)

        def take(hosts: list[object]) -> None:
            try:
                self.hosts.add(hosts)  # type: ignore[arg-type]
            except InvalidInput as error:
                dialog.refuse(said(error.text))
            else:
                dialog.accept()

        dialog.hosts_given.connect(take)
        dialog.open()

    @Slot()
    def list_runs(self) -> None:
        def show(runs: list[RunSummary]) -> None:
            self.window.runs.set_runs(runs)

        self._tasks.run("list runs", lambda _p, _c: self._engine.runs(), show, self.tell_error)

    @Slot()
    def _search_log(self) -> None:
        self.window.show_bottom(places.LOG_TAB)
        self.window.log.search.setFocus()

    def tell_error(self, error: MaypoleError) -> None:
        self._prompter.tell(error_note(error.text))
