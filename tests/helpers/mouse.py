"""MousePlayer: the same as Player, by xdotool's real mouse on a real (virtual) screen.

Qt's own drag and drop runs a loop of its own while the button is down, so xdotool runs beside this process.
"""

from __future__ import annotations

import subprocess

from helpers.player import Player
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from gui import names

_STEPS = 24
_REST = "0.03"
_BUTTONS = {
    names.START_ACTION: names.START_BUTTON,
    names.STOP_ACTION: names.STOP_BUTTON,
    names.EXPORT_ACTION: names.EXPORT_BUTTON,
}


class MousePlayer(Player):
    def press(self, name: str) -> None:
        button = self._button(_BUTTONS[name])
        self.wait(lambda: button.isVisible() and button.isEnabled(), 30, f"{name} to be enabled")
        at = button.mapToGlobal(QPoint(min(24, button.width() // 3), button.height() // 2))
        self._run("mousemove", *_words(at), "sleep", "0.1", "click", "1")

    def drag(self, host: str, to_job: bool) -> None:
        source, target = self.column(not to_job), self.column(to_job)
        place = source.hosts.row_of(host)
        assert place >= 0, f"{host} is not in the column to drag from"
        card = source.visualRect(source.hosts.index(place)).center()
        start = source.viewport().mapToGlobal(card)
        viewport = target.viewport()
        end = viewport.mapToGlobal(QPoint(viewport.width() // 2, viewport.height() * 3 // 4))
        self._run(*_drag(start, end))

    def _button(self, name: str) -> QWidget:
        found = self.window.findChild(QToolButton, name) or self.window.findChild(QPushButton, name)
        assert found is not None, f"the window has no {name}"
        return found

    def _run(self, *words: str) -> None:
        process = subprocess.Popen(["xdotool", *words])
        self.wait(lambda: process.poll() is not None, 30, "xdotool")
        assert process.returncode == 0, f"xdotool ended with {process.returncode}"


def _words(point: QPoint) -> tuple[str, str]:
    return str(point.x()), str(point.y())


def _drag(start: QPoint, end: QPoint) -> list[str]:
    words = ["mousemove", *_words(start), "sleep", "0.1", "mousedown", "1"]
    for step in range(1, _STEPS + 1):
        point = start + (end - start) * (step / _STEPS)
        words += ["mousemove", *_words(point), "sleep", _REST]
    return [*words, "sleep", "0.2", "mouseup", "1"]
