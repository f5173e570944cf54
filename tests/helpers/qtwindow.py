"""Desk: the window with a fake engine and a fake prompter, and short ways to use it like a person."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from helpers.fakeengine import FakeEngine, FakeRunClient
from helpers.fakeprompter import FakePrompter
from helpers.storyteller import Story
from PySide6.QtCore import QCoreApplication, QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from core.events import HostsRequested, HostState, HostStateChanged, RunState, RunStateChanged
from core.home import Home
from core.hosts import Host
from core.profiles import Profile
from gui import names
from gui.app import Application, Options
from gui.hostlist import HostList
from gui.settings import LanguageChoice, Settings, ThemeChoice

TIMEOUT = 10_000
_T = TypeVar("_T")


def profile(in_job: int = 2, hosts: int = 4, **values: object) -> Profile:
    made = tuple(Host(f"demo-{n}", in_job=n <= in_job) for n in range(1, hosts + 1))
    settings = {
        "name": "test", "script": "maypole:digits", "np": 2, "min_np": 1, "max_np": 4,
        "rehearsal": True, "hosts": made,
    }  # fmt: skip
    return Profile(**(settings | values))  # type: ignore[arg-type]


@dataclass
class Desk:
    application: Application
    engine: FakeEngine
    prompter: FakePrompter
    qtbot: QtBot
    settings_path: Path

    # ---- the window ---------------------------------------------------------------------------

    @property
    def window(self) -> QWidget:
        return self.application.window

    def action(self, name: str) -> QAction:
        return _only(self.window.findChildren(QAction, name))

    def label(self, name: str) -> str:
        return _only(self.window.findChildren(QLabel, name)).text()

    def column(self, name: str) -> HostList:
        return _only(self.window.findChildren(HostList, name))

    @property
    def available(self) -> list[str]:
        return [row.name for row in self.column(names.AVAILABLE_HOSTS).hosts.host_rows]

    @property
    def job(self) -> list[str]:
        return [row.name for row in self.column(names.JOB_HOSTS).hosts.host_rows]

    @property
    def pill(self) -> str:
        return self.application.window.top.pill.text()

    def until(self, condition: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(condition, timeout=TIMEOUT)

    # ---- like a person ------------------------------------------------------------------------

    def use(self, wanted: Profile) -> None:
        self.application.store.use(wanted)
        self.application.wiring.launch.check()

    def drop(self, hosts: list[str], onto: str) -> bool:
        """Drag-enter, move and drop with the mime data of the other column. Whether it was accepted."""
        source = names.AVAILABLE_HOSTS if onto == names.JOB_HOSTS else names.JOB_HOSTS
        model = self.column(source).hosts
        mime = model.mimeData([model.index(model.row_of(host)) for host in hosts])
        return drop_mime(self.column(onto), mime)

    # ---- a run --------------------------------------------------------------------------------

    def start(self) -> FakeRunClient:
        """Presses Start and waits for the client; nothing has been said yet."""
        before = len(self.engine.clients)
        self.action(names.START_ACTION).trigger()
        self.until(lambda: len(self.engine.clients) > before and self.engine.client.started)
        return self.engine.client

    def train(self, hosts: dict[str, int] | None = None) -> Story:
        """A run that trains on the hosts in the job."""
        client = self.start()
        client.welcome()
        story = Story(client, time.time())
        story.begin(hosts or dict.fromkeys(self.job, 1))
        self.until(lambda: self.pill == "Training")
        return story

    def put_away(self) -> None:
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        self.application.language.choose(LanguageChoice.ENGLISH)
        self.window.close()
        self.application.close()
        self.window.deleteLater()
        self.application.theme.deleteLater()
        self.application.language.deleteLater()
        self.application.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        app.setStyleSheet("")


def open_desk(
    app: QApplication, qtbot: QtBot, folder: Path, options: Options | None = None
) -> Desk:
    home = Home(str(folder / "home"))
    path = folder / "settings.ini"
    settings = Settings(str(path))
    if not path.exists():
        settings.language, settings.theme = LanguageChoice.ENGLISH, ThemeChoice.LIGHT
    engine, prompter = FakeEngine(home), FakePrompter()
    application = Application(
        app, options or Options(), engine=engine, home=home, settings=settings, prompter=prompter
    )
    application.window.show()
    qtbot.waitExposed(application.window)
    return Desk(application, engine, prompter, qtbot, path)


def drop_mime(view: HostList, mime: QMimeData, at: QPoint | None = None) -> bool:
    place = QPointF(at or view.viewport().rect().center())
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    move = Qt.DropAction.MoveAction
    enter = QDragEnterEvent(place.toPoint(), move, mime, buttons, keys)
    QCoreApplication.sendEvent(view.viewport(), enter)
    moved = QDragMoveEvent(place.toPoint(), move, mime, buttons, keys)
    QCoreApplication.sendEvent(view.viewport(), moved)
    drop = QDropEvent(place, move, mime, buttons, keys)
    QCoreApplication.sendEvent(view.viewport(), drop)
    return moved.isAccepted() and drop.isAccepted()


def leave(story: Story, host: str) -> None:
    story.client.say(HostStateChanged(host, HostState.LEAVING))


def asked(story: Story, hosts: dict[str, int], origin: str = "command") -> None:
    story.client.say(HostsRequested(hosts, "", origin))


def state(story: Story, run_state: RunState, reason: str = "") -> None:
    story.client.say(RunStateChanged(run_state, reason))


def _only(found: list[_T]) -> _T:
    assert len(found) == 1, [item.objectName() for item in found]
    return found[0]
