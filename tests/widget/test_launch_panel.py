"""The form: what is typed, what is wrong with it, what would be started."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from helpers.qtwindow import Desk, profile
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPlainTextEdit, QToolButton
from pytestqt.qtbot import QtBot

from core.errors import InvalidInput
from core.profiles import Driver, Profile
from gui import names
from gui.addhosts import AddHostsDialog, parse_lines
from gui.fieldtext import from_text, to_text
from gui.launchfields import SECTIONS
from gui.shelltext import in_lines


def line(desk: Desk, name: str) -> QLineEdit:
    found = desk.window.findChild(QLineEdit, names.field(name))
    assert isinstance(found, QLineEdit)
    return found


def type_into(desk: Desk, name: str, text: str) -> None:
    desk.application.window.show_tab(1)
    edit = line(desk, name)
    edit.setFocus()
    edit.selectAll()
    desk.qtbot.keyClicks(edit, text or "\b")


def error_of(desk: Desk, name: str) -> str:
    return desk.application.window.launch.fields[name].error


def test_that_what_is_typed_becomes_the_profile_and_the_command(desk: Desk) -> None:
    desk.use(profile())
    type_into(desk, "script_args", "--epochs 3 'two words'")
    type_into(desk, "elastic_timeout", "77")
    made = desk.application.store.profile
    assert (made.script_args, made.elastic_timeout) == (("--epochs", "3", "two words"), 77)
    command = desk.window.findChild(QPlainTextEdit, names.COMMAND_PREVIEW)
    assert isinstance(command, QPlainTextEdit)
    desk.until(lambda: "--elastic-timeout 77" in command.toPlainText())
    assert "'two words'" in command.toPlainText()


def test_that_the_script_preview_follows_the_board(desk: Desk) -> None:
    desk.use(profile())
    script = desk.window.findChild(QPlainTextEdit, names.SCRIPT_PREVIEW)
    assert isinstance(script, QPlainTextEdit)
    assert "demo-3" not in script.toPlainText()
    desk.drop(["demo-3"], names.JOB_HOSTS)
    desk.until(lambda: "echo demo-3:1" in script.toPlainText())


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("np", "two", "whole number"),
        ("min_np", "3", "above -np"),
        ("script_args", "'open", "quotation mark"),
        ("ssh_port", "99999", "65535"),
        ("blacklist_cooldown", "10", "two whole numbers"),
        ("extra_args", "--min-np 3", "set by Maypole"),
        ("script", "", "script"),
        ("machine", "far-away", "this computer"),
    ],
)
def test_that_a_wrong_field_says_so_below_it(desk: Desk, name: str, text: str, words: str) -> None:
    desk.use(profile())
    type_into(desk, name, text)
    desk.until(lambda: words in error_of(desk, name))
    assert line(desk, name).property("wrong")
    assert words in desk.action(names.START_ACTION).toolTip()
    command = desk.window.findChild(QPlainTextEdit, names.COMMAND_PREVIEW)
    assert isinstance(command, QPlainTextEdit)
    assert not command.isEnabled()


def test_that_what_is_not_complete_yet_is_shown_as_a_draft(desk: Desk) -> None:
    desk.use(Profile())
    command = desk.window.findChild(QPlainTextEdit, names.COMMAND_PREVIEW)
    script = desk.window.findChild(QPlainTextEdit, names.SCRIPT_PREVIEW)
    assert isinstance(command, QPlainTextEdit)
    assert isinstance(script, QPlainTextEdit)
    desk.until(lambda: "work" in command.toPlainText())
    assert "SCRIPT.py" in command.toPlainText()
    assert script.toPlainText().endswith("exit 1\n")
    type_into(desk, "script", "/data/train.py")
    type_into(desk, "max_np", "0")
    desk.until(lambda: "/data/train.py" in command.toPlainText())
    assert "--max-np 0" in command.toPlainText()
    assert not command.isEnabled()
    copy = desk.window.findChild(QToolButton, names.COPY_COMMAND_BUTTON)
    assert isinstance(copy, QToolButton)
    assert not copy.isEnabled()


def test_that_a_corrected_field_is_quiet_again(desk: Desk) -> None:
    desk.use(profile())
    type_into(desk, "np", "x")
    desk.until(lambda: bool(error_of(desk, "np")))
    type_into(desk, "np", "1")
    desk.until(lambda: not error_of(desk, "np"))
    assert desk.application.store.profile.np == 1


def test_that_environment_lines_and_choices_are_taken(desk: Desk) -> None:
    desk.use(profile())
    env = desk.window.findChild(QPlainTextEdit, names.field("env"))
    assert isinstance(env, QPlainTextEdit)
    env.setPlainText("A=1\n\nB = x y")
    assert desk.application.store.profile.env == {"A": "1", "B": " x y"}
    env.setPlainText("nonsense")
    desk.until(lambda: "Line 1" in error_of(desk, "env"))
    driver = desk.window.findChild(QComboBox, names.field("driver"))
    assert isinstance(driver, QComboBox)
    driver.setCurrentIndex(1)
    driver.activated.emit(1)
    assert desk.application.store.profile.driver is Driver.STOCK


def test_that_the_copy_buttons_copy_exactly_what_is_shown(desk: Desk) -> None:
    desk.use(profile())
    for button, preview in (
        (names.COPY_COMMAND_BUTTON, names.COMMAND_PREVIEW),
        (names.COPY_SCRIPT_BUTTON, names.SCRIPT_PREVIEW),
    ):
        found = desk.window.findChild(QToolButton, button)
        assert isinstance(found, QToolButton)
        found.click()
        shown = desk.window.findChild(QPlainTextEdit, preview)
        assert isinstance(shown, QPlainTextEdit)
        assert QApplication.clipboard().text() == shown.toPlainText() != ""


def test_that_browsing_fills_the_field(desk: Desk) -> None:
    desk.use(profile())
    desk.prompter.path = "/data/train.py"
    desk.application.window.launch.browse_wanted.emit("script")
    assert desk.application.store.profile.script == "/data/train.py"
    assert line(desk, "script").text() == "/data/train.py"


def test_that_a_profile_is_saved_and_opened_again(desk: Desk, tmp_path: Path) -> None:
    desk.use(profile())
    desk.prompter.path = str(tmp_path / "mine")
    desk.application.store.update(np=1)
    assert desk.window.windowTitle().startswith("test*")
    desk.action(names.SAVE_PROFILE_ACTION).trigger()
    desk.until(lambda: any("mine.toml" in text for text in desk.prompter.texts))
    assert desk.window.windowTitle().startswith("test ")
    desk.use(Profile())
    desk.prompter.path = str(tmp_path / "mine.toml")
    desk.action(names.OPEN_PROFILE_ACTION).trigger()
    desk.until(lambda: desk.application.store.profile.name == "test")
    assert desk.job == ["demo-1", "demo-2"]


def test_that_every_editable_field_of_a_profile_is_in_the_form() -> None:
    shown = {spec.name for section in SECTIONS for spec in section.fields} | {"name"}
    elsewhere = {"hosts", "strategy", "rehearsal"}
    assert shown | elsewhere == set(Profile.__dataclass_fields__)


@pytest.mark.parametrize("spec", [spec for section in SECTIONS for spec in section.fields])
def test_that_every_field_survives_text_and_back(spec: object) -> None:
    name = spec.name  # type: ignore[attr-defined]
    made = Profile(
        script="a b", script_args=("x y", "z"), env={"A": "1", "B": "x=y"}, max_np=4, ssh_port=2222,
        reset_limit=3, gloo_timeout=60, blacklist_cooldown=(5, 50), driver=Driver.STOCK,
    )  # fmt: skip
    assert from_text(name, to_text(made, name)) == getattr(made, name)
    assert from_text(name, to_text(Profile(), name)) == getattr(Profile(), name)


def test_that_a_command_in_lines_means_the_same() -> None:
    command = shlex.join(
        ["horovodrun", "-np", "2", "--host-discovery-script", "'/a b/d.sh'", "--level", "INFO",
         "/bin/python", "/m.pyz", "work", "--home", "/r", "--", "t.py", "--epochs", "3"]
    )  # fmt: skip
    text = in_lines(command)
    assert shlex.split(text.replace("\\\n", "")) == shlex.split(command)
    assert text.splitlines()[-1].strip().startswith("/bin/python /m.pyz work --home /r -- t.py")


# ---- adding hosts -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("node-1", {"node-1": 1}),
        ("node-1:4\nnode-2 : 2", {"node-1": 4, "node-2": 2}),
        ("# a hostfile\nnode-1 slots=4  # fast\n\nnode-2 slots = 8", {"node-1": 4, "node-2": 8}),
        ("node-1 3", {"node-1": 3}),
    ],
)
def test_that_pasted_hosts_are_understood(text: str, expected: dict[str, int]) -> None:
    assert {host.name: host.slots for host in parse_lines(text)} == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "at least one"),
        ("a\nb c d", "Line 2"),
        ("rm;reboot", "Line 1"),
        ("a:0", "Line 1"),
        ("a\na", "twice"),
    ],
)
def test_that_wrong_hosts_are_told_with_their_line(text: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        parse_lines(text)


def test_that_the_dialog_adds_hosts_and_keeps_wrong_ones(desk: Desk, qtbot: QtBot) -> None:
    desk.use(profile())
    desk.action(names.ADD_HOSTS_ACTION).trigger()
    dialog = desk.window.findChild(AddHostsDialog)
    assert isinstance(dialog, AddHostsDialog)
    dialog.text.setPlainText("demo-1")
    dialog._give()
    assert "twice" in dialog._error.text()
    dialog.text.setPlainText("demo-9:2")
    dialog._give()
    assert desk.available[-1] == "demo-9"
    desk.action(names.UNDO_ACTION).trigger()
    assert "demo-9" not in desk.available
