"""The launch panel: the profile as a form, and live beside it what would be started."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.launch import Preview
from core.profiles import Profile
from gui import icons, names
from gui.fieldeditor import FieldEditor
from gui.fieldtext import to_text
from gui.icons import IconName
from gui.launchfields import SECTIONS, FieldSpec, Section
from gui.retranslated import Retranslated
from gui.shelltext import in_lines
from gui.theme import fixed_font

_COLUMNS = 6


class LaunchPanel(Retranslated, QWidget):
    """Shows and asks; the launch controller decides.

    Signals: edited(field, text), browse_wanted(field).
    """

    edited = Signal(str, str)
    browse_wanted = Signal(str)

    def __init__(
        self, interfaces: list[str], actions: list[QAction], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName(names.LAUNCH_PANEL)
        self.fields: dict[str, FieldEditor] = {}
        self._interfaces = interfaces
        self._titles: list[tuple[QLabel, Section]] = []
        self._name = QLineEdit()
        self._name_label, self._file = QLabel(), QLabel()
        self._preview = PreviewPane()
        self._build(actions)
        self.retranslate()

    # ---- building -----------------------------------------------------------------------------

    def _build(self, actions: list[QAction]) -> None:
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidget(self._make_form())
        scroll.viewport().setAutoFillBackground(False)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setHandleWidth(8)
        split.addWidget(scroll)
        split.addWidget(self._preview)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([560, 400])
        split.setChildrenCollapsible(False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(16, 8, 16, 8)
        whole.setSpacing(8)
        whole.addLayout(self._make_head(actions))
        whole.addWidget(split, 1)

    def _make_head(self, actions: list[QAction]) -> QHBoxLayout:
        self._name.setObjectName(names.field("name"))
        self._name.textEdited.connect(lambda text: self.edited.emit("name", text))
        self._name.setMaximumWidth(240)
        self._name_label.setBuddy(self._name)
        self._file.setProperty("role", "muted")
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self._name_label)
        head.addWidget(self._name, 1)
        head.addWidget(self._file, 1)
        for action in actions:
            button = QToolButton()
            button.setDefaultAction(action)
            button.setProperty("look", "flat")
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            head.addWidget(button)
        return head

    def _make_form(self) -> QWidget:
        form = QWidget()
        form.setObjectName("plain")
        grid = QGridLayout(form)
        grid.setContentsMargins(0, 0, 8, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(8)
        for column in range(_COLUMNS):
            grid.setColumnStretch(column, 1)
            grid.setColumnMinimumWidth(column, 40)
        line = 0
        for section in SECTIONS:
            line = self._add_section(grid, section, line)
        grid.setRowStretch(line, 1)
        return form

    def _add_section(self, grid: QGridLayout, section: Section, line: int) -> int:
        title = QLabel()
        title.setProperty("role", "title")
        if line:
            title.setContentsMargins(0, 8, 0, 0)
        self._titles.append((title, section))
        grid.addWidget(title, line, 0, 1, _COLUMNS)
        line, column = line + 1, 0
        for spec in section.fields:
            if column + spec.columns > _COLUMNS:
                line, column = line + 1, 0
            grid.addWidget(self._make_field(spec), line, column, 1, spec.columns)
            column += spec.columns
        return line + 1

    def _make_field(self, spec: FieldSpec) -> FieldEditor:
        editor = FieldEditor(spec, self._interfaces)
        editor.edited.connect(self.edited)
        editor.browse_wanted.connect(self.browse_wanted)
        self.fields[spec.name] = editor
        return editor

    # ---- showing ------------------------------------------------------------------------------

    def set_profile(self, profile: Profile, file: str, modified: bool) -> None:
        """All fields; one that holds what cannot be read yet (an error stands below it) is kept."""
        if self._name.text() != profile.name:
            self._name.setText(profile.name)
        for name, editor in self.fields.items():
            editor.set_text(to_text(profile, name))
        self.set_file(file, modified)

    def set_file(self, file: str, modified: bool) -> None:
        text = file.rpartition("/")[2]
        self._file.setText(self.tr("{0} · changed").format(text).lstrip(" ·") if modified else text)
        self._file.setToolTip(file)

    def set_errors(self, errors: Mapping[str, str]) -> None:
        for name, editor in self.fields.items():
            editor.set_error(errors.get(name, ""))

    def set_preview(self, preview: Preview, complete: bool) -> None:
        self._preview.set_preview(preview, complete)

    def focus_field(self, name: str) -> None:
        if name in self.fields:
            self.fields[name].focus()

    def retranslate(self) -> None:
        self._name_label.setText(self.tr("Profile"))
        self._name.setAccessibleName(self.tr("Name of the profile"))
        for title, section in self._titles:
            title.setText(QCoreApplication.translate("LaunchFields", section.title))


class PreviewPane(Retranslated, QWidget):
    """The command and the discovery script, to read and to copy."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._complete = True
        self._command_title, self._script_title = QLabel(), QLabel()
        self._note = QLabel()
        self.command, self.script = _code(names.COMMAND_PREVIEW), _code(names.SCRIPT_PREVIEW)
        self._copy_command = self._make_copy(names.COPY_COMMAND_BUTTON)
        self._copy_script = self._make_copy(names.COPY_SCRIPT_BUTTON)
        self._copy_command.clicked.connect(lambda: _copy(self.command))
        self._copy_script.clicked.connect(lambda: _copy(self.script))
        self._note.setProperty("role", "muted")
        self._note.setWordWrap(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addLayout(_head(self._command_title, self._copy_command))
        column.addWidget(self.command, 3)
        column.addLayout(_head(self._script_title, self._copy_script))
        column.addWidget(self.script, 2)
        column.addWidget(self._note)
        self.retranslate()

    @staticmethod
    def _make_copy(name: str) -> QToolButton:
        button = QToolButton()
        button.setObjectName(name)
        button.setIcon(icons.icon(IconName.COPY))
        button.setProperty("look", "flat")
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        return button

    def set_preview(self, preview: Preview, complete: bool) -> None:
        """Not ``complete``: something is missing or wrong; what there is so far is shown, greyed."""
        self._complete = complete
        environment = [f"export {item}" for item in preview.environment]
        _set(self.command, "\n".join([*environment, in_lines(preview.command)]))
        _set(self.script, preview.script)
        for widget in (self.command, self.script, self._copy_command, self._copy_script):
            widget.setEnabled(complete)
        self._show_note()

    def _show_note(self) -> None:
        self._note.setVisible(not self._complete)
        self._note.setText(self.tr("A draft: some fields or hosts are missing or wrong."))

    def retranslate(self) -> None:
        self._command_title.setText(self.tr("Command"))
        self._script_title.setText(self.tr("Discovery script"))
        self.command.setAccessibleName(self.tr("The horovodrun command of this profile"))
        self.script.setAccessibleName(self.tr("The discovery script of this profile"))
        for button, what in (
            (self._copy_command, self.tr("Copy the command")),
            (self._copy_script, self.tr("Copy the discovery script")),
        ):
            button.setText(self.tr("Copy"))
            button.setToolTip(what)
            button.setAccessibleName(what)
        self._show_note()


def _code(name: str) -> QPlainTextEdit:
    text = QPlainTextEdit()
    text.setObjectName(name)
    text.setReadOnly(True)
    text.setProperty("look", "code")
    text.setFont(fixed_font(text.font().pointSizeF() * 0.95))
    text.setMinimumHeight(64)
    return text


def _head(title: QLabel, button: QToolButton) -> QHBoxLayout:
    title.setProperty("role", "title")
    row = QHBoxLayout()
    row.addWidget(title, 1)
    row.addWidget(button)
    return row


def _set(edit: QPlainTextEdit, text: str) -> None:
    if edit.toPlainText() != text:
        edit.setPlainText(text)


def _copy(edit: QPlainTextEdit) -> None:
    QApplication.clipboard().setText(edit.toPlainText())
