"""Pictures of the window filled with a made-up training: both themes, both languages, two sizes.

Arguments: a folder for settings, a folder for the pictures. Prints the names of the pictures.
"""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
for folder in (ROOT, ROOT / "tests"):
    sys.path.insert(0, str(folder))

from helpers.fakeengine import FakeEngine  # noqa: E402
from helpers.storyteller import board_profile, tell_long_run  # noqa: E402
from PySide6.QtCore import QEventLoop, QTimer  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402

from core.events import RunState  # noqa: E402
from core.home import Home  # noqa: E402
from core.profiles import Profile  # noqa: E402
from core.runs import RunSummary  # noqa: E402
from gui.app import Application, Options, make_app  # noqa: E402
from gui.mainwindow import (  # noqa: E402
    CURVES_TAB,
    LAUNCH_TAB,
    LOG_TAB,
    PROBLEMS_TAB,
    RESIZES_TAB,
    RUNS_TAB,
)
from gui.settings import LanguageChoice, Settings, ThemeChoice  # noqa: E402
from gui.toasts import Note  # noqa: E402

LOOKS = (
    (ThemeChoice.LIGHT, LanguageChoice.ENGLISH, (1440, 900)),
    (ThemeChoice.DARK, LanguageChoice.ENGLISH, (1280, 720)),
    (ThemeChoice.LIGHT, LanguageChoice.KOREAN, (1280, 720)),
    (ThemeChoice.DARK, LanguageChoice.KOREAN, (1440, 900)),
)


class Photographer:
    def __init__(self, app: QApplication, folder: Path, pictures: Path) -> None:
        home = Home(str(folder / "home"))
        self.pictures = pictures
        self.engine = FakeEngine(home)
        settings = Settings(str(folder / "settings.ini"))
        self.desk = Application(app, Options(), engine=self.engine, home=home, settings=settings)
        self.window = self.desk.window
        self.window.show()

    def pause(self, seconds: float = 0.35) -> None:
        loop = QEventLoop()
        QTimer.singleShot(round(1000 * seconds), loop.quit)
        loop.exec()

    def take(self, name: str) -> None:
        self.pause()
        path = self.pictures / f"window-{name}.png"
        assert self.window.grab().save(str(path)), path
        print(path.name)

    def look(self, theme: ThemeChoice, language: LanguageChoice, size: tuple[int, int]) -> str:
        self.desk.wiring.choose_theme(theme)
        self.desk.wiring.choose_language(language)
        self.window.resize(*size)
        return f"{theme.value}-{language.value}-{size[0]}x{size[1]}"

    def empty(self) -> None:
        self.desk.store.use(Profile())
        self.window.show_tab(LAUNCH_TAB)
        for look in LOOKS:
            self.take(f"{self.look(*look)}-first")

    def launch(self) -> None:
        self.desk.store.use(replace(board_profile(), min_np=3, script_args=("--epochs", "12")))
        for look in LOOKS:
            self.take(f"{self.look(*look)}-launch")
        self.desk.store.use(board_profile())

    def run(self) -> None:
        self.desk.wiring.launch.start()
        while not self.engine.clients:
            self.pause(0.05)
        client = self.engine.client
        client.welcome()
        tell_long_run(client, time.time() - 600)
        spec = replace(client.spec, created=time.time() - 600)
        states = (RunState.TRAINING, RunState.FINISHED, RunState.FAILED, RunState.STOPPED)
        self.engine.listed = [
            RunSummary(f"2026100{n}-211402-resnet-night", f"/runs/{n}", spec, state, time.time())
            for n, state in enumerate(states, 1)
        ]
        self.desk.wiring.list_runs()
        self.window.show_tab(CURVES_TAB)
        self.pause(1.0)
        self.desk.toasts.clear()
        tabs = (
            (LOG_TAB, "log"),
            (PROBLEMS_TAB, "problems"),
            (RESIZES_TAB, "resizes"),
            (RUNS_TAB, "runs"),
        )
        for look, (tab, name) in zip(LOOKS, tabs, strict=True):
            self.window.show_bottom(tab)
            self.take(f"{self.look(*look)}-{name}")

    def notes(self) -> None:
        self.look(*LOOKS[1])
        self.desk.toasts.show(
            Note("gpu2 had rank 0. gpu3 follows: it tells the curves from now on.")
        )
        self.desk.toasts.show(
            Note(
                "Cannot write /models: the disk is full. Choose another folder.", "error", "Choose"
            )
        )
        self.take("notes")
        self.desk.toasts.clear()
        self.desk.wiring.add_hosts()
        self.pause()
        dialog = self.window.findChild(object, "addHostsDialog")
        dialog.grab().save(str(self.pictures / "window-add-hosts.png"))
        dialog.reject()


def main(folder: Path, pictures: Path) -> int:
    photographer = Photographer(make_app([]), folder, pictures)
    try:
        photographer.empty()
        photographer.launch()
        photographer.run()
        photographer.notes()
    finally:
        photographer.window.close()
        photographer.desk.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
