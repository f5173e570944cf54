"""The dialog that adds hosts: typed or pasted lines, as people have them in their hostfiles."""

from __future__ import annotations

import re

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.errors import InvalidInput
from core.hosts import Host, check_unique
from gui import names
from gui.phrases import said
from gui.theme import fixed_font

_LINE = re.compile(r"\A(?P<name>[^\s:=]+)(?:\s*:\s*|\s+slots\s*=\s*|\s+)?(?P<slots>[0-9]{1,6})?\Z")
_MOST = 10_000


def parse_lines(text: str) -> list[Host]:
    """``name``, ``name:4``, ``name 4`` or ``name slots=4`` a line; # begins a remark.

    Raises InvalidInput that names the line.
    """
    found: list[Host] = []
    for number, line in enumerate(text.splitlines()[:_MOST], 1):
        words = line.partition("#")[0].strip()
        if words:
            found.append(_host(words, number))
    if not found:
        sentence = QCoreApplication.translate("AddHosts", "Type at least one host.")
        raise InvalidInput("hosts", sentence)
    check_unique(found)
    return found


def _host(words: str, number: int) -> Host:
    match = _LINE.match(words)
    try:
        if match is None:
            sentence = QCoreApplication.translate("AddHosts", "write it as name or name:slots.")
            raise InvalidInput("hosts", sentence)
        return Host(match["name"], int(match["slots"] or 1))
    except InvalidInput as error:
        sentence = QCoreApplication.translate("AddHosts", "Line {0}: {1}")
        raise InvalidInput("hosts", sentence.format(number, said(error.text))) from None


class AddHostsDialog(QDialog):
    """Open it with open(). Signals: hosts_given(list of Host); refuse() keeps it open and says why."""

    hosts_given = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(names.ADD_HOSTS_DIALOG)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Add hosts"))
        self.setMinimumSize(440, 320)
        help = QLabel(
            self.tr(
                "One host a line, with its slots: how many workers it has room for. Lines of a "
                "hostfile may be pasted."
            )
        )
        help.setWordWrap(True)
        self.text = QPlainTextEdit()
        self.text.setObjectName(names.ADD_HOSTS_TEXT)
        self.text.setFont(fixed_font(self.font().pointSizeF()))
        self.text.setPlaceholderText("node-1:4\nnode-2:4\nnode-3 slots=2")
        self.text.setAccessibleName(self.tr("Hosts, one a line"))
        self.text.setTabChangesFocus(True)
        self._error = QLabel()
        self._error.setProperty("role", "error")
        self._error.setWordWrap(True)
        self._error.hide()
        self._lay_out(help)

    def _lay_out(self, help: QLabel) -> None:
        buttons = QDialogButtonBox()
        add = QPushButton(self.tr("Add"))
        add.setDefault(True)
        add.setProperty("look", "primary")
        cancel = QPushButton(self.tr("Cancel"))
        buttons.addButton(add, QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.addButton(cancel, QDialogButtonBox.ButtonRole.RejectRole)
        buttons.accepted.connect(self._give)
        buttons.rejected.connect(self.reject)
        self.text.textChanged.connect(lambda: self._error.hide())
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(8)
        for widget in (help, self.text, self._error, buttons):
            column.addWidget(widget)

    def _give(self) -> None:
        try:
            self.hosts_given.emit(parse_lines(self.text.toPlainText()))
        except InvalidInput as error:
            self.refuse(said(error.text))

    def refuse(self, text: str) -> None:
        self._error.setText(text)
        self._error.show()
