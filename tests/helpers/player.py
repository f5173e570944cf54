"""Player: uses the real window through its own widgets, as a person would. For the demo and the e2e tests.

Drags are sent as drag-enter and drop events with the view's own mime data: off screen, Qt starts no QDrag
from mouse events. The real mouse is in helpers/mouse.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QEvent, QEventLoop, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

from core.events import HostState, RunState
from core.home import Home
from core.runview import RunView
from gui import names
from gui.app import Application, Options
from gui.hostlist import HostList
from gui.prompter import Prompter
from gui.settings import Settings

_W = TypeVar("_W", bound=QWidget)


class Waited(AssertionError):
    """What was waited for did not come; the text has the run's last words."""


class Player:
    def __init__(
        self, app: QApplication, folder: Path, prompter: Prompter, options: Options
    ) -> None:
        """``folder`` holds MAYPOLE_HOME and the settings."""
        self.home = Home(str(folder / "home"))
        self.prompter = prompter
        self.application = Application(
            app,
            options,
            home=self.home,
            settings=Settings(str(folder / "settings.ini")),
            prompter=prompter,
        )
        self.window = self.application.window
        self.window.show()
        self.application.begin()

    # ---- seeing -----------------------------------------------------------------------------

    @property
    def view(self) -> RunView:
        view = self.application.session.view
        assert view is not None, "no run is attached to"
        return view

    @property
    def state(self) -> RunState | None:
        view = self.application.session.view
        return view.state.state if view is not None else None

    @property
    def steps(self) -> list[int]:
        """The x axis of the curves, rolled back points included."""
        store = self.window.curves.store
        return [int(step) for step in store.batches.column("step")]

    @property
    def run_dir(self) -> Path:
        return Path(self.application.session.run_dir)

    def trains_at(self, size: int) -> bool:
        """By what the window shows: state, world size, and a point drawn at that size."""
        if self.state is not RunState.TRAINING or self.view.world_size != size:
            return False
        sizes = self.window.curves.store.batches.column("size")
        return len(sizes) > 0 and int(sizes[-1]) == size

    def rank_zero(self) -> str:
        return next(host.name for host in self.view.hosts if 0 in host.ranks)

    def card(self, host: str) -> list[str]:
        """The lines of a host's card."""
        for column in (self.column(True), self.column(False)):
            place = column.hosts.row_of(host)
            if place >= 0:
                return column.hosts.lines_of(column.hosts.host_rows[place])
        raise Waited(f"there is no card of {host}")

    def find(self, kind: type[_W], name: str) -> _W:
        found = self.window.findChild(kind, name)
        assert found is not None, f"the window has no {name}"
        return found

    def column(self, in_job: bool) -> HostList:
        return self.find(HostList, names.JOB_HOSTS if in_job else names.AVAILABLE_HOSTS)

    def screenshot(self, path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.window.curves.redraw()
        QApplication.processEvents()
        assert self.window.grab().save(str(path)), f"{path} could not be written"
        return path

    # ---- doing ------------------------------------------------------------------------------

    def press(self, name: str) -> None:
        action = self.window.findChild(QAction, name)
        assert action is not None, f"the window has no {name}"
        self.wait(action.isEnabled, 30, f"{name} to be enabled")
        action.trigger()

    def drag(self, host: str, to_job: bool) -> None:
        source, target = self.column(not to_job), self.column(to_job)
        place = source.hosts.row_of(host)
        assert place >= 0, f"{host} is not in the column to drag from"
        mime = source.hosts.mimeData([source.hosts.index(place)])
        viewport = target.viewport()
        middle = QPoint(viewport.width() // 2, viewport.height() - 8)
        enter = QDragEnterEvent(
            middle,
            Qt.DropAction.MoveAction,
            mime,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(viewport, enter)
        drop = QDropEvent(
            QPointF(middle), Qt.DropAction.MoveAction, mime, Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier, QEvent.Type.Drop,
        )  # fmt: skip
        QApplication.sendEvent(viewport, drop)

    def wait(self, condition: Callable[[], bool], seconds: float, what: str) -> None:
        """Runs the window until ``condition`` holds. Raises Waited."""
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise Waited(f"{what} did not come within {seconds:.0f} s; {self.last_words()}")
            loop = QEventLoop()
            QTimer.singleShot(20, loop.quit)
            loop.exec()

    def last_words(self) -> str:
        view = self.application.session.view
        if view is None:
            return "no run is attached to"
        hosts = ", ".join(f"{host.name} {host.state.value} {host.reason}" for host in view.hosts)
        problems = "; ".join(seen.problem.text for seen in view.problems[-3:])
        return f"state {view.state}, hosts: {hosts}, problems: {problems or 'none'}"

    def close(self) -> None:
        """As when the window is closed: the run goes on."""
        self.window.close()
        self.application.close()
        self.window.deleteLater()
        self.application.deleteLater()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    # ---- the main job -----------------------------------------------------------------------

    def start(self, size: int) -> None:
        self.wait(lambda: bool(self.column(True).hosts.host_rows), 30, "the profile's hosts")
        self.press(names.START_ACTION)
        self.wait(lambda: self.application.session.view is not None, 60, "the run")
        self.wait(lambda: self.trains_at(size), 180, f"training on {size} workers")

    def grow(self, host: str) -> None:
        size = self.view.world_size
        self.drag(host, to_job=True)
        self.wait(lambda: self.trains_at(size + 1), 180, f"training with {host}")
        self.wait(lambda: self._trains(host), 10, f"the card of {host} to tell its rank")

    def drop_rank_zero(self) -> str:
        """Drags out the host of rank 0; gives its name."""
        leaver, size = self.rank_zero(), self.view.world_size
        self.drag(leaver, to_job=False)
        self.wait(lambda: self.trains_at(size - 1), 180, f"training without {leaver}")
        return leaver

    def _trains(self, host: str) -> bool:
        return self.view.host(host).state is HostState.TRAINING and bool(self.view.host(host).ranks)

    def batches(self, more: int) -> None:
        """Waits until that many more points are in the curves."""
        goal = len(self.steps) + more
        self.wait(lambda: len(self.steps) >= goal, 120, f"{more} more points")

    def over(self, seconds: float) -> None:
        self.wait(lambda: self.view.over is not None, seconds, "the end of the run")
