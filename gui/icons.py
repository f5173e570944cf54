"""Every icon by name, drawn in the colour of the text around it, so a change of theme needs no new icons."""

from __future__ import annotations

from enum import StrEnum
from functools import lru_cache

from PySide6.QtCore import QByteArray, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QIconEngine, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

from gui.files import ICONS


class IconName(StrEnum):
    PLAY = "play"
    STOP = "stop"
    APPLY = "apply"
    EXPORT = "export"
    SEARCH = "search"
    ADD = "add"
    REMOVE = "remove"
    COPY = "copy"
    FOLDER = "folder"
    SAVE = "save"
    UNDO = "undo"
    REDO = "redo"
    CLOSE = "close"
    FOLLOW = "follow"
    REFRESH = "refresh"
    OPEN = "open"
    TO_JOB = "to-job"
    FROM_JOB = "from-job"
    EDIT = "edit"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    DONE = "done"
    AVAILABLE = "available"
    ADMITTING = "admitting"
    OFFERED = "offered"
    TRAINING = "training"
    LEAVING = "leaving"
    STANDBY = "standby"
    BLACKLISTED = "blacklisted"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"
    IDLE = "idle"
    WAITING = "waiting"
    RESIZING = "resizing"
    FINISHED = "finished"
    FAILED = "failed"
    STOPPED = "stopped"


@lru_cache(maxsize=256)
def _renderer(name: IconName, color: str) -> QSvgRenderer:
    text = (ICONS / f"{name.value}.svg").read_text(encoding="utf-8")
    return QSvgRenderer(QByteArray(text.replace("currentColor", color).encode("utf-8")))


def paint(painter: QPainter, name: IconName, color: str, area: QRectF) -> None:
    _renderer(name, color).render(painter, area)


def pixmap(name: IconName, color: str, size: int, ratio: float) -> QPixmap:
    """``size`` in device-independent pixels."""
    picture = QPixmap(QSize(round(size * ratio), round(size * ratio)))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    paint(painter, name, color, QRectF(0, 0, size, size))
    painter.end()
    return picture


class _Engine(QIconEngine):
    def __init__(self, name: IconName, role: QPalette.ColorRole) -> None:
        super().__init__()
        self._name = name
        self._role = role

    def clone(self) -> QIconEngine:
        return _Engine(self._name, self._role)

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        paint(painter, self._name, self._color(mode), QRectF(rect))

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        picture = QPixmap(size)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        self.paint(painter, QRect(0, 0, size.width(), size.height()), mode, state)
        painter.end()
        return picture

    def _color(self, mode: QIcon.Mode) -> str:
        disabled = mode == QIcon.Mode.Disabled
        group = QPalette.ColorGroup.Disabled if disabled else QPalette.ColorGroup.Active
        return QApplication.palette().color(group, self._role).name()


def icon(name: IconName, on_accent: bool = False) -> QIcon:
    role = QPalette.ColorRole.HighlightedText if on_accent else QPalette.ColorRole.ButtonText
    return QIcon(_Engine(name, role))


def app_icon() -> QIcon:
    return QIcon(str(ICONS / "maypole.svg"))
