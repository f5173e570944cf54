"""Theme, language, contrast, names for those who do not see the screen."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from helpers.qtwindow import Desk, open_desk, profile
from helpers.storyteller import tell_long_run
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QProgressBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from core.events import HostState, RunState
from gui import figures, icons, names, words
from gui.colors import DARK, LIGHT, Colors, Tone, contrast
from gui.files import ICONS, TRANSLATIONS
from gui.icons import IconName
from gui.settings import LanguageChoice, Settings, ThemeChoice
from gui.theme import style_sheet

BOTH = pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])


@BOTH
def test_that_text_has_contrast_and_signs_can_be_told(colors: Colors) -> None:
    for back in (colors.window, colors.surface, colors.raised, colors.hover, colors.accent_soft):
        assert contrast(colors.text, back) >= 4.5
        assert contrast(colors.muted, back) >= 4.5
        for tone in Tone:
            assert contrast(colors.tone(tone), back) >= 3.0, (tone, back)
    assert contrast(colors.on_accent, colors.accent) >= 4.5
    assert contrast(colors.on_accent, colors.accent_hover) >= 4.5
    assert contrast(colors.bad, colors.surface) >= 4.5
    for color in colors.ranks:
        assert contrast(color, colors.surface) >= 4.5, color


@BOTH
def test_that_the_style_sheet_has_no_open_name(colors: Colors) -> None:
    assert "$" not in style_sheet(colors)


def test_that_every_icon_is_drawn_in_the_given_colour(qapp: QApplication) -> None:
    for name in IconName:
        image = icons.pixmap(name, "#ff0000", 32, 1.0).toImage()
        colors = {image.pixelColor(x, y).name() for x in range(32) for y in range(32)}
        assert "#ff0000" in colors, name
    assert "currentColor" not in (ICONS / "maypole.svg").read_text()


def test_that_every_state_has_its_own_word_and_icon(qapp: QApplication) -> None:
    assert len({words.of_host(state).word for state in HostState}) == len(HostState)
    assert len({words.of_host(state).icon for state in HostState}) == len(HostState)
    assert len({words.of_run(state).word for state in RunState}) == len(RunState)


def test_that_the_theme_switches_everything_and_is_remembered(desk: Desk) -> None:
    wiring, window = desk.application.wiring, desk.application.window
    before = window.grab().toImage().pixelColor(2, 2)
    wiring.choose_theme(ThemeChoice.DARK)
    assert QApplication.palette().color(QPalette.ColorRole.Window).name() == DARK.window
    assert window.board.job.card.colors is DARK
    assert window.top.pill.colors is DARK
    desk.until(lambda: window.grab().toImage().pixelColor(2, 2) != before)
    assert Settings(str(desk.settings_path)).theme is ThemeChoice.DARK
    wiring.choose_theme(ThemeChoice.LIGHT)
    assert window.board.job.card.colors is LIGHT


def test_that_the_language_switches_at_once_and_is_remembered(desk: Desk) -> None:
    desk.use(profile())
    desk.application.wiring.choose_language(LanguageChoice.KOREAN)
    desk.until(lambda: desk.action(names.START_ACTION).iconText() == "시작")
    assert desk.pill == "실행 없음"
    view = desk.column(names.JOB_HOSTS)
    assert "슬롯 1개" in view.hosts.lines_of(view.hosts.host_rows[0])
    assert Settings(str(desk.settings_path)).language is LanguageChoice.KOREAN
    desk.application.wiring.choose_language(LanguageChoice.ENGLISH)
    desk.until(lambda: desk.action(names.START_ACTION).iconText() == "Start")
    assert desk.pill == "No run"
    assert "1 slot" in view.hosts.lines_of(view.hosts.host_rows[0])


def test_that_the_window_keeps_no_english_when_korean_is_chosen(desk: Desk) -> None:
    desk.use(profile())
    english = {text for widget in _children(desk) for text in _texts(widget)}
    desk.application.wiring.choose_language(LanguageChoice.KOREAN)
    desk.until(lambda: desk.action(names.START_ACTION).iconText() == "시작")
    korean = {text for widget in _children(desk) for text in _texts(widget)}
    same = {text for text in english & korean if any(c.isalpha() for c in text)}
    allowed = {
        "Python",
        "test",
        "maypole:digits",
        "lo",
        "eth0",
        "node-1:4",
        "...",
        "…",
    }  # Qt names the scroll buttons of its tabs
    allowed |= {"Scroll Left", "Scroll Right"}
    assert {text for text in same if text not in allowed and "Maypole" not in text} == set()


def _children(desk: Desk) -> list[QWidget]:
    return desk.window.findChildren(QWidget)


def _texts(widget: QWidget) -> list[str]:
    found = [widget.accessibleName(), widget.accessibleDescription()]
    if isinstance(widget, QLineEdit | QPlainTextEdit):
        found.append(widget.placeholderText())
    if isinstance(widget, QAbstractButton):
        found += [widget.text(), widget.toolTip()]
    return [text for text in found if text]


def test_that_every_control_has_a_name(desk: Desk) -> None:
    kinds = (QAbstractButton, QAbstractItemView, QComboBox, QLineEdit, QPlainTextEdit, QProgressBar)
    nameless = [
        f"{type(widget).__name__} {widget.objectName()} in {type(widget.parent()).__name__}"
        for widget in _children(desk)
        if isinstance(widget, kinds)
        and not (widget.accessibleName() or getattr(widget, "text", str)())
        and not widget.objectName().startswith("qt_")
        and widget.focusPolicy() != Qt.FocusPolicy.NoFocus
        and not isinstance(widget.parent(), QComboBox)
        and "QComboBox" not in widget.parent().metaObject().className()
        and type(widget).__name__ != "QComboBoxListView"
    ]
    assert nameless == []


def test_that_names_are_given_once(desk: Desk) -> None:
    wanted = {
        value for key, value in vars(names).items() if key.isupper() and isinstance(value, str)
    } - {names.ADD_HOSTS_DIALOG, names.ADD_HOSTS_TEXT, names.TOAST}
    found = [child.objectName() for child in desk.window.findChildren(object)]
    assert {name for name in wanted if found.count(name) != 1} == set()


def test_that_the_catalogues_are_complete_and_compiled() -> None:
    """A new text without its Korean, an unfinished one, or a stale .qm fails here."""
    script = TRANSLATIONS / "update.py"
    done = subprocess.run(
        [sys.executable, str(script), "--check"], capture_output=True, text=True, timeout=100
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_that_translated_texts_keep_their_places_and_mnemonics() -> None:
    for message in ET.parse(TRANSLATIONS / "maypole_ko.ts").getroot().iter("message"):
        source = message.findtext("source", "")
        element = message.find("translation")
        assert element is not None
        text = element.findtext("numerusform") or element.text or ""
        for sign in ("{0}", "{1}", "{2}", "%1", "%2", "%3", "%n", "\t", ";;"):
            assert source.count(sign) == text.count(sign), (source, text)
        assert ("&" in source) == ("&" in text), (source, text)


@pytest.mark.parametrize("size", [(1280, 720), (1440, 900)])
@pytest.mark.parametrize("language", [LanguageChoice.ENGLISH, LanguageChoice.KOREAN])
def test_that_nothing_in_the_tool_bar_is_cut(
    desk: Desk, size: tuple[int, int], language: LanguageChoice
) -> None:
    desk.application.wiring.choose_language(language)
    desk.window.resize(*size)
    desk.use(profile())
    client = desk.start()
    client.welcome()
    tell_long_run(client, 1_000_000.0)
    top = desk.application.window.top
    desk.until(lambda: top.bar.isVisible())
    for widget in (top.stop, top.export, top.pill, top.world, top.epoch, top.eta, top.elapsed):
        assert widget.isVisible()
        desk.until(lambda w=widget: w.width() >= w.sizeHint().width())  # type: ignore[misc]
    assert desk.window.width() == size[0]


def test_that_the_windows_shape_comes_back(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path
) -> None:
    first = open_desk(qapp, qtbot, tmp_path)
    first.window.resize(1000, 650)
    first.put_away()
    second = open_desk(qapp, qtbot, tmp_path)
    assert (second.window.width(), second.window.height()) == (1000, 650)
    second.put_away()


def test_that_damaged_settings_are_taken_as_none(tmp_path: Path) -> None:
    path = tmp_path / "settings.ini"
    path.write_text("[General]\ntheme=pink\nlanguage=\x00\n[window]\ngeometry=3\n")
    settings = Settings(str(path))
    assert settings.theme is ThemeChoice.SYSTEM
    assert settings.language is LanguageChoice.SYSTEM
    assert settings.shape("geometry").isEmpty()


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.84, "0.8 s"), (12, "12 s"), (245, "4 min 5 s"), (4320, "1 h 12 min"), (273_600, "3 d 4 h")],
)
def test_that_durations_are_rounded_for_people(
    qapp: QApplication, seconds: float, text: str
) -> None:
    assert figures.duration(seconds) == text


def test_that_rank_lists_are_short() -> None:
    assert figures.rank_list([0, 1, 2, 3, 7, 9, 8, 11]) == "0-3, 7-9, 11"
    assert figures.rank_list([4, 5]) == "4, 5"
