"""One field of the form: its label, its editor, and below it what is wrong."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.profiles import Driver
from gui import icons, names
from gui.icons import IconName
from gui.launchfields import Editor, FieldSpec
from gui.retranslated import Retranslated

_LINES_HEIGHT = 88


class FieldEditor(Retranslated, QWidget):
    """Signals: edited(field, text) by the person, browse_wanted(field)."""

    edited = Signal(str, str)
    browse_wanted = Signal(str)

    def __init__(self, spec: FieldSpec, choices: list[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.spec = spec
        self._label = QLabel()
        self._error = QLabel()
        self._browse: QToolButton | None = None
        self.editor = self._make_editor(choices)
        self.editor.setObjectName(names.field(spec.name))
        self._error.setObjectName(names.field_error(spec.name))
        self._error.setProperty("role", "error")
        self._error.setWordWrap(True)
        self._error.hide()
        self._label.setBuddy(self.editor)
        self._lay_out()
        self.retranslate()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.editor, 1)
        if self.spec.editor in (Editor.FILE, Editor.FOLDER):
            self._browse = QToolButton()
            self._browse.setIcon(icons.icon(IconName.FOLDER))
            self._browse.setProperty("look", "icon-flat")
            self._browse.clicked.connect(lambda: self.browse_wanted.emit(self.spec.name))
            row.addWidget(self._browse)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._label)
        column.addLayout(row)
        column.addWidget(self._error)
        column.addStretch(1)

    # ---- editors ------------------------------------------------------------------------------

    def _make_editor(self, choices: list[str]) -> QWidget:
        match self.spec.editor:
            case Editor.LINES:
                return self._make_lines()
            case Editor.INTERFACE:
                return self._make_interface(choices)
            case Editor.DRIVER:
                return self._make_driver()
            case Editor.LINE | Editor.FILE | Editor.FOLDER:
                line = QLineEdit()
                line.textEdited.connect(self._edited)
                return line

    def _make_lines(self) -> QPlainTextEdit:
        lines = QPlainTextEdit()
        lines.setTabChangesFocus(True)
        lines.setFixedHeight(_LINES_HEIGHT)
        lines.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        lines.textChanged.connect(lambda: self._edited(lines.toPlainText()))
        return lines

    def _make_interface(self, choices: list[str]) -> QComboBox:
        box = QComboBox()
        box.setEditable(True)
        box.addItems(choices)
        box.setCurrentIndex(-1)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.setMinimumContentsLength(6)
        box.editTextChanged.connect(self._edited)
        return box

    def _make_driver(self) -> QComboBox:
        box = QComboBox()
        for driver in Driver:
            box.addItem("", driver.value)
        box.setMinimumContentsLength(6)
        box.activated.connect(lambda _: self._edited(box.currentData()))
        return box

    def _edited(self, text: str) -> None:
        self.edited.emit(self.spec.name, text)

    # ---- values -------------------------------------------------------------------------------

    def text(self) -> str:
        match self.editor:
            case QPlainTextEdit() as lines:
                return lines.toPlainText()
            case QComboBox() as box if self.spec.editor is Editor.DRIVER:
                return str(box.currentData())
            case QComboBox() as box:
                return box.currentText()
            case QLineEdit() as line:
                return line.text()
            case _:
                raise AssertionError(type(self.editor))

    def set_text(self, text: str) -> None:
        """Says nothing of it; keeps the cursor when it is there already."""
        if text == self.text():
            return
        blocked = self.editor.blockSignals(True)
        match self.editor:
            case QPlainTextEdit() as lines:
                lines.setPlainText(text)
            case QComboBox() as box if self.spec.editor is Editor.DRIVER:
                box.setCurrentIndex(box.findData(text))
            case QComboBox() as box:
                box.setEditText(text)
            case QLineEdit() as line:
                line.setText(text)
                line.setCursorPosition(0)
            case _:
                raise AssertionError(type(self.editor))
        self.editor.blockSignals(blocked)

    @property
    def error(self) -> str:
        return self._error.text()

    def set_error(self, text: str) -> None:
        if text == self._error.text():
            return
        self._error.setText(text)
        self._error.setVisible(bool(text))
        self.editor.setProperty("wrong", bool(text))
        self.editor.style().unpolish(self.editor)
        self.editor.style().polish(self.editor)
        self.editor.setAccessibleDescription(text or self._tr(self.spec.help))

    def focus(self) -> None:
        self.editor.setFocus(Qt.FocusReason.OtherFocusReason)

    # ---- texts --------------------------------------------------------------------------------

    @staticmethod
    def _tr(text: str) -> str:
        return QCoreApplication.translate("LaunchFields", text) if text else ""

    def retranslate(self) -> None:
        label = self._tr(self.spec.label)
        self._label.setText(label)
        self.editor.setAccessibleName(label)
        self.editor.setToolTip(self._tr(self.spec.help))
        self.editor.setAccessibleDescription(self.error or self._tr(self.spec.help))
        empty = self._tr(self.spec.empty)
        match self.editor:
            case QPlainTextEdit() as lines:
                lines.setPlaceholderText(empty)
            case QComboBox() as box if self.spec.editor is Editor.DRIVER:
                box.setItemText(0, self.tr("Maypole's (corrected)"))
                box.setItemText(1, self.tr("stock horovodrun"))
            case QComboBox() as box:
                line = box.lineEdit()
                if line is not None:
                    line.setPlaceholderText(empty)
            case QLineEdit() as line:
                line.setPlaceholderText(empty)
            case _:
                raise AssertionError(type(self.editor))
        if self._browse is not None:
            self._browse.setToolTip(self.tr("Choose…"))
            self._browse.setAccessibleName(self.tr("Choose: {0}").format(label))

    def minimumSizeHint(self) -> QSize:
        return QSize(64, super().minimumSizeHint().height())
