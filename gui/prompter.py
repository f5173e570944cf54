"""The one seam for talking to a person: questions, notes, files. Tests replace it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from gui.toasts import Note, Toasts


@dataclass(frozen=True, slots=True)
class Question:
    """``yes`` and ``no`` are what the buttons say: verbs, not Yes and No."""

    title: str
    text: str
    yes: str
    no: str


class Prompter(Protocol):
    """Nothing here waits: answers come by calling back, and not at all when it is called off."""

    def ask(self, question: Question, on_yes: Callable[[], None]) -> None: ...
    def tell(self, note: Note) -> None: ...
    def choose_folder(self, title: str, start: str, on_chosen: Callable[[str], None]) -> None: ...
    def choose_file(
        self, title: str, start: str, pattern: str, on_chosen: Callable[[str], None]
    ) -> None: ...
    def choose_new_file(
        self, title: str, start: str, pattern: str, on_chosen: Callable[[str], None]
    ) -> None: ...


class QtPrompter(QObject):
    def __init__(self, window: QWidget, toasts: Toasts) -> None:
        super().__init__(window)
        self._window = window
        self._toasts = toasts

    def ask(self, question: Question, on_yes: Callable[[], None]) -> None:
        box = QMessageBox(self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setIcon(QMessageBox.Icon.NoIcon)
        box.setWindowTitle(question.title)
        box.setText(question.title)
        box.setInformativeText(question.text)
        yes = box.addButton(question.yes, QMessageBox.ButtonRole.AcceptRole)
        no = box.addButton(question.no, QMessageBox.ButtonRole.RejectRole)
        box.setDefaultButton(no)
        box.setEscapeButton(no)
        yes.clicked.connect(lambda: on_yes())
        box.open()

    def tell(self, note: Note) -> None:
        self._toasts.show(note)

    def choose_folder(self, title: str, start: str, on_chosen: Callable[[str], None]) -> None:
        dialog = self._dialog(title, start)
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        self._open(dialog, on_chosen)

    def choose_file(
        self, title: str, start: str, pattern: str, on_chosen: Callable[[str], None]
    ) -> None:
        dialog = self._dialog(title, start)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilter(pattern)
        self._open(dialog, on_chosen)

    def choose_new_file(
        self, title: str, start: str, pattern: str, on_chosen: Callable[[str], None]
    ) -> None:
        dialog = self._dialog(title, start)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.setNameFilter(pattern)
        self._open(dialog, on_chosen)

    def _dialog(self, title: str, start: str) -> QFileDialog:
        dialog = QFileDialog(self._window, title, start)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return dialog

    def _open(self, dialog: QFileDialog, on_chosen: Callable[[str], None]) -> None:
        dialog.fileSelected.connect(lambda path: on_chosen(path))
        dialog.open()
