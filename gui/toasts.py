"""Notes over the lower right corner of the window: they say something and stop nobody."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from gui import icons, names, words
from gui.colors import Colors
from gui.icons import IconName
from gui.phrases import said

_SHORT, _LONG = 7_000, 14_000
_MOST = 4
_WIDTH = 400
_EDGE = 16


@dataclass(frozen=True, slots=True)
class Note:
    """severity: info, warning or error; an error stays until it is closed."""

    text: str
    severity: str = "info"
    action: str = ""
    on_action: Callable[[], None] | None = None


def error_note(text: str) -> Note:
    """``text``: a sentence of core or trainer, which stays until it is closed."""
    return Note(said(text), "error")


class Toast(QFrame):
    """Signals: closed()."""

    closed = Signal()

    def __init__(self, note: Note, colors: Colors, parent: QWidget) -> None:
        super().__init__(parent)
        self.note = note
        self.setObjectName(names.TOAST)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        look = words.of_severity(note.severity)
        self.setAccessibleName(f"{look.word}: {note.text}")
        sign = QLabel()
        ratio = self.devicePixelRatioF()
        sign.setPixmap(icons.pixmap(look.icon, colors.tone(look.tone), 18, ratio))
        text = QLabel(note.text)
        text.setWordWrap(True)
        text.setTextFormat(Qt.TextFormat.PlainText)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        close = QToolButton()
        close.setProperty("look", "icon-flat")
        close.setIcon(icons.icon(IconName.CLOSE))
        close.setAccessibleName(self.tr("Close this note"))
        close.setToolTip(self.tr("Close this note"))
        close.clicked.connect(self._close)
        self._lay_out(sign, text, close)
        if note.severity != "error":
            pause = _LONG if note.action or note.severity == "warning" else _SHORT
            QTimer.singleShot(pause, self, self._close)

    def _lay_out(self, sign: QLabel, text: QLabel, close: QToolButton) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(text, 1, Qt.AlignmentFlag.AlignTop)
        if self.note.action:
            button = QPushButton(self.note.action)
            button.clicked.connect(self._act)
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(close, 0, Qt.AlignmentFlag.AlignTop)
        self.setFixedWidth(_WIDTH)
        sign.setContentsMargins(0, 4, 0, 0)
        text.setContentsMargins(0, 4, 0, 4)
        self.ensurePolished()
        self.setFixedHeight(row.totalHeightForWidth(_WIDTH))

    def _act(self) -> None:
        if self.note.on_action is not None:
            self.note.on_action()
        self._close()

    def _close(self) -> None:
        self.hide()
        self.closed.emit()
        self.deleteLater()


class Toasts(QObject):
    def __init__(self, window: QWidget, colors: Colors) -> None:
        super().__init__(window)
        self._window = window
        self._shown: list[Toast] = []
        self.colors = colors
        window.installEventFilter(self)

    @property
    def notes(self) -> list[Note]:
        return [toast.note for toast in self._shown]

    def show(self, note: Note) -> None:
        """The same words are not shown twice."""
        for toast in [toast for toast in self._shown if toast.note.text == note.text]:
            toast._close()
        toast = Toast(note, self.colors, self._window)
        toast.closed.connect(lambda: self._gone(toast))
        self._shown.append(toast)
        while len(self._shown) > _MOST:
            self._shown[0]._close()
        toast.show()
        self._place()

    def clear(self) -> None:
        for toast in list(self._shown):
            toast._close()

    def _gone(self, toast: Toast) -> None:
        if toast in self._shown:
            self._shown.remove(toast)
        self._place()

    def _place(self) -> None:
        area = self._window.rect()
        bottom = area.bottom() - _EDGE
        for toast in reversed(self._shown):
            toast.move(QPoint(area.right() - _EDGE - toast.width(), bottom - toast.height()))
            toast.raise_()
            bottom -= toast.height() + 8

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)
