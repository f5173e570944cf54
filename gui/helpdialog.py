"""F1: the keys, and how the window is meant."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QDialog, QGridLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gui.marking import QT_TRANSLATE_NOOP

_KEYS = (
    ("Ctrl+R", QT_TRANSLATE_NOOP("Help", "Start the run")),
    ("Ctrl+.", QT_TRANSLATE_NOOP("Help", "Stop the run at its next commit")),
    ("Ctrl+E", QT_TRANSLATE_NOOP("Help", "Export the SavedModel")),
    ("Enter", QT_TRANSLATE_NOOP("Help", "Move the selected hosts to the other column")),
    ("Del", QT_TRANSLATE_NOOP("Help", "Remove hosts from the job, or take them off the list")),
    ("F2", QT_TRANSLATE_NOOP("Help", "Change the slots of a host")),
    ("Ctrl+Z, Ctrl+Shift+Z", QT_TRANSLATE_NOOP("Help", "Undo, redo a move of hosts")),
    ("Ctrl+F", QT_TRANSLATE_NOOP("Help", "Search hosts")),
    ("Ctrl+L", QT_TRANSLATE_NOOP("Help", "Search the log")),
    ("Ctrl+1, Ctrl+2", QT_TRANSLATE_NOOP("Help", "Curves, launch panel")),
    ("Ctrl+O, Ctrl+S", QT_TRANSLATE_NOOP("Help", "Open, save the profile")),
    ("F1", QT_TRANSLATE_NOOP("Help", "This help")),
)


class HelpDialog(QDialog):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Keys"))
        first = QLabel(
            self.tr(
                "Drag hosts into the job, press Start, and drag more in or out while it trains. "
                "Closing the window never stops a training."
            )
        )
        first.setWordWrap(True)
        grid = QGridLayout()
        grid.setHorizontalSpacing(24)
        grid.setVerticalSpacing(8)
        for line, (keys, text) in enumerate(_KEYS):
            label = QLabel(keys)
            label.setProperty("role", "title")
            grid.addWidget(label, line, 0)
            grid.addWidget(QLabel(QCoreApplication.translate("Help", text)), line, 1)
        close = QPushButton(self.tr("Close"))
        close.setDefault(True)
        close.clicked.connect(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 16, 24, 16)
        column.setSpacing(16)
        column.addWidget(first)
        column.addLayout(grid)
        column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
