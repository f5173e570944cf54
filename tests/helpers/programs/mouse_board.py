"""The host board under a real mouse, over a fake run; in a process of its own: Qt's platform is chosen once.

Arguments: a folder for settings, a folder for the pictures. Prints the facts as a line of JSON.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
for folder in (ROOT, ROOT / "tests"):
    sys.path.insert(0, str(folder))

from helpers.fakeengine import FakeEngine  # noqa: E402
from helpers.fakeprompter import FakePrompter  # noqa: E402
from helpers.mouse import MousePlayer  # noqa: E402
from helpers.qtwindow import profile  # noqa: E402
from helpers.storyteller import Story  # noqa: E402
from PySide6.QtCore import QPoint  # noqa: E402
from PySide6.QtWidgets import QApplication  # noqa: E402

from core.home import Home  # noqa: E402
from gui import names  # noqa: E402
from gui.app import Application, Options, make_app  # noqa: E402
from gui.settings import LanguageChoice, Settings, ThemeChoice  # noqa: E402


class BoardPlayer(MousePlayer):
    def __init__(self, app: QApplication, folder: Path) -> None:
        self.home = Home(str(folder / "home"))
        self.engine, self.prompter = FakeEngine(self.home), FakePrompter()
        settings = Settings(str(folder / "settings.ini"))
        settings.theme, settings.language = ThemeChoice.LIGHT, LanguageChoice.ENGLISH
        self.application = Application(
            app,
            Options(),
            engine=self.engine,
            home=self.home,
            settings=settings,
            prompter=self.prompter,
        )
        self.window = self.application.window
        self.window.move(0, 0)
        self.window.show()
        self.application.store.use(profile(in_job=2, hosts=6))

    def hosts(self, in_job: bool) -> list[str]:
        return [row.name for row in self.column(in_job).hosts.host_rows]

    def click(self, host: str, key: str = "", clicks: int = 1) -> None:
        """On the name, left of the slots."""
        column = self.column(host in self.hosts(True))
        card = column.visualRect(column.hosts.index(column.hosts.row_of(host)))
        at = column.viewport().mapToGlobal(card.topLeft() + QPoint(24, 20))
        words = ["mousemove", str(at.x()), str(at.y()), "sleep", "0.1"]
        held = ["keydown", key] if key else []
        freed = ["keyup", key] if key else []
        self._run(*words, *held, "click", "--repeat", str(clicks), "--delay", "60", "1", *freed)

    def keys(self, *keys: str) -> None:
        self._run("key", *keys)

    def settle(self) -> None:
        end = time.monotonic() + 0.3
        self.wait(lambda: time.monotonic() > end, 5, "the screen")


def perform(player: BoardPlayer, pictures: Path) -> dict[str, object]:
    facts: dict[str, object] = {"platform": QApplication.platformName()}
    player.wait(lambda: player.hosts(True) == ["demo-1", "demo-2"], 10, "the profile")
    player.settle()
    player.drag("demo-3", to_job=True)
    player.wait(lambda: "demo-3" in player.hosts(True), 10, "demo-3 in the job")
    facts["one_card"] = player.hosts(True)
    player.click("demo-4")
    player.click("demo-5", key="ctrl")
    player.drag("demo-5", to_job=True)
    player.wait(lambda: "demo-5" in player.hosts(True), 10, "demo-5 in the job")
    facts["two_cards"] = player.hosts(True)
    player.drag("demo-1", to_job=False)
    player.wait(lambda: "demo-1" in player.hosts(False), 10, "demo-1 out of the job")
    facts["back"] = player.hosts(True)
    player.keys("ctrl+z")
    player.wait(lambda: "demo-1" in player.hosts(True), 10, "the undo")
    player.click("demo-6", clicks=2)
    player.wait(lambda: "demo-6" in player.hosts(True), 10, "the double click")
    player.click("demo-6")
    player.keys("Delete")
    player.wait(lambda: "demo-6" in player.hosts(False), 10, "the Delete key")
    player.press(names.START_ACTION)
    player.wait(
        lambda: bool(player.engine.clients) and player.engine.client.started, 10, "the client"
    )
    client = player.engine.client
    client.welcome()
    story = Story(client, time.time())
    story.begin(dict.fromkeys(player.hosts(True), 1))
    story.train(120)
    player.wait(lambda: player.window.top.pill.text() == "Training", 10, "the training")
    player.settle()
    player.drag("demo-6", to_job=True)
    player.wait(lambda: bool(client.commands), 10, "the command")
    facts["command"] = client.commands[-1].args["hosts"]
    player.screenshot(pictures / "xvfb-board.png")
    return facts


def main(folder: Path, pictures: Path) -> int:
    player = BoardPlayer(make_app([]), folder)
    try:
        facts = perform(player, pictures)
    finally:
        player.close()
    print(json.dumps(facts))
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
