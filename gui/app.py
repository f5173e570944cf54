"""Where the window is put together: settings, theme, language, threads, parts, and how it starts and ends."""

from __future__ import annotations

import argparse
import faulthandler
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QApplication

from core.errors import MaypoleError
from core.home import Home, local_home
from core.runs import RunSummary
from core.watch import Watch
from gui.engine import CoreEngine, Engine
from gui.eventbridge import EventBridge
from gui.language import LanguageController
from gui.mainwindow import LAUNCH_TAB, RUNS_TAB, MainWindow
from gui.profilestore import ProfileStore
from gui.prompter import Prompter, QtPrompter
from gui.session import Session
from gui.settings import Settings
from gui.tasks import Tasks
from gui.theme import ThemeController
from gui.toasts import Note, Toasts, error_note
from gui.wiring import Wiring

_STOP_TIMEOUT = 5.0
"""Seconds that threads get to end when the window is closed. They are daemons: the rest dies with it."""


@dataclass(frozen=True, slots=True)
class Options:
    profile: str = ""
    attach: str = ""
    autostart: bool = False


def parse(argv: Sequence[str]) -> Options:
    parser = argparse.ArgumentParser(prog="maypole", description="The window of Maypole.")
    parser.add_argument("--profile", default="", metavar="FILE_OR_NAME", help="open this profile")
    parser.add_argument("--attach", default="", metavar="RUN", help="show this run: an id, or last")
    parser.add_argument("--autostart", action="store_true", help="start the profile's run at once")
    known = parser.parse_args([*argv])
    return Options(known.profile, known.attach, known.autostart)


class Application(QObject):
    """One window and all that belongs to it. close() ends every thread; runs go on."""

    def __init__(
        self, app: QApplication, options: Options, *, engine: Engine | None = None,
        home: Home | None = None, settings: Settings | None = None, prompter: Prompter | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.options = options
        self.settings = settings or Settings()
        self.theme = ThemeController(app, self.settings.theme)
        self.language = LanguageController(app, self.settings.language)
        self.engine = engine or CoreEngine(home)
        self.bridge = EventBridge(self)
        self.tasks = Tasks(self.bridge, self)
        self.session = Session(self.engine, self.bridge, self.tasks, self)
        self.store = ProfileStore(home or local_home(), self.tasks, self)
        self.window = MainWindow(self.theme.colors, self.settings, self.engine.interfaces())
        self.toasts = Toasts(self.window, self.theme.colors)
        self.prompter: Prompter = prompter or QtPrompter(self.window, self.toasts)
        self.wiring = Wiring(
            self.window, self.engine, self.session, self.store, self.tasks, self.prompter,
            self.toasts, self.settings, self.theme, self.language,
        )  # fmt: skip
        self.window.closing.connect(self.close)
        self._closed = False

    # ---- coming -------------------------------------------------------------------------------

    def begin(self) -> None:
        """Opens what was asked for or was open last; then the run that is still going."""
        wanted = self.options.profile or self.settings.profile
        self.window.show_tab(LAUNCH_TAB)
        if wanted:
            self.store.open(wanted, self._with_profile, self._without_profile)
        else:
            self._with_profile()

    @Slot(object)
    def _without_profile(self, error: MaypoleError) -> None:
        self.prompter.tell(error_note(error.text))
        self.settings.profile = ""
        self._find_runs()

    def _with_profile(self) -> None:
        if self.options.autostart:
            self.wiring.launch.start()
        elif self.options.attach:
            wanted = self.options.attach
            self.tasks.run(
                "find run", lambda _p, _c: self.engine.find_run(wanted),
                lambda run: self.session.attach(run.run_dir), self.wiring.tell_error,
            )  # fmt: skip
        else:
            self._find_runs()
            return
        self.wiring.list_runs()

    def _find_runs(self) -> None:
        self.tasks.run(
            "find runs", lambda _p, _c: self.engine.runs(), self._take_up, self.wiring.tell_error
        )

    def _take_up(self, runs: list[RunSummary]) -> None:
        self.window.runs.set_runs(runs)
        going = [run for run in runs if not run.over]
        chosen = self.options.profile and self.store.profile.name
        own = [run for run in going if not chosen or run.spec.name == chosen]
        if own and not self.session.run_dir:
            self.session.attach(own[0].run_dir)
            self._note(self._welcome_back(own[0]), len(going) - 1)
        elif going:
            text = self.tr("Another run is still going: {0}.")
            run_dir = going[0].run_dir
            note = Note(
                text.format(going[0].spec.name), "info",
                self.tr("Show it"), lambda: self.session.attach(run_dir),
            )  # fmt: skip
            self.prompter.tell(note)

    def _welcome_back(self, run: RunSummary) -> str:
        match run.watch:
            case Watch.UNWATCHED:
                text = self.tr(
                    "{0} went on although its supervisor died. It is taken over, with every point."
                )
            case Watch.GONE:
                text = self.tr("{0} ended while nobody watched. Here it is, with every point.")
            case _:
                text = self.tr("{0} was still going. Here it is again, with every point.")
        return text.format(run.spec.name)

    def _note(self, text: str, others: int) -> None:
        if others:
            text += " " + self.tr("%n more in the list of runs.", "", others)
        on_action = (lambda: self.window.show_bottom(RUNS_TAB)) if others else None
        self.prompter.tell(Note(text, "info", self.tr("Runs") if others else "", on_action))

    # ---- going --------------------------------------------------------------------------------

    @Slot()
    def close(self) -> None:
        """Idempotent. The window is hidden first: nobody waits for threads while looking at it."""
        if self._closed:
            return
        self._closed = True
        self._say_goodbye()
        self.window.hide()
        self.bridge.close()
        self.session.stop(_STOP_TIMEOUT)
        self.tasks.stop(_STOP_TIMEOUT)
        self.toasts.clear()

    def _say_goodbye(self) -> None:
        info = self.session.info
        if info is not None and self.session.running:
            print(
                f"maypole: {info.run_id} goes on. Open maypole again to follow it, or end it with: "
                f"maypole stop {info.run_id}",
                file=sys.stderr,
            )


def make_app(argv: Sequence[str]) -> QApplication:
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(["maypole", *argv])
    app.setApplicationName("maypole")
    app.setApplicationDisplayName("")
    app.setDesktopFileName("maypole")
    if not QFontDatabase.families():
        print(
            "maypole: this system has no fonts, so no text can be shown. Install one, such as "
            "Debian's fonts-dejavu-core.",
            file=sys.stderr,
        )
    return app


def main(argv: Sequence[str]) -> int:
    options = parse(argv)
    if sys.stderr is not None:
        faulthandler.enable()
    app = make_app([])
    application = Application(app, options)
    application.window.show()
    application.begin()
    status = app.exec()
    application.close()
    return int(status)
