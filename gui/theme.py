"""Light or dark: the palette and the style sheet of the whole application."""

from __future__ import annotations

from string import Template

from PySide6.QtCore import QDir, QObject, Qt, Signal, Slot
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication

from gui.colors import DARK, LIGHT, Colors
from gui.files import ICONS, THEMES
from gui.settings import ThemeChoice

_Role = QPalette.ColorRole
_SMALL = 0.9


class ThemeController(QObject):
    """Signals: changed(Colors), also when the system goes from day to night."""

    changed = Signal(object)

    def __init__(self, app: QApplication, choice: ThemeChoice) -> None:
        super().__init__(app)
        self._app = app
        self._choice = choice
        self.colors = LIGHT
        QDir.setSearchPaths("icons", [str(ICONS)])
        app.setStyle("Fusion")
        app.styleHints().colorSchemeChanged.connect(self._system_changed)
        self.choose(choice)

    @property
    def choice(self) -> ThemeChoice:
        return self._choice

    def choose(self, choice: ThemeChoice) -> None:
        self._choice = choice
        self._apply(self._wanted())

    @Slot()
    def _system_changed(self) -> None:
        if self._choice is ThemeChoice.SYSTEM:
            self._apply(self._wanted())

    def _wanted(self) -> Colors:
        if self._choice is ThemeChoice.SYSTEM:
            dark = self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark
            return DARK if dark else LIGHT
        return DARK if self._choice is ThemeChoice.DARK else LIGHT

    def _apply(self, colors: Colors) -> None:
        self.colors = colors
        self._app.setPalette(palette(colors))
        self._app.setStyleSheet(style_sheet(colors))
        self.changed.emit(colors)


def palette(colors: Colors) -> QPalette:
    made = QPalette()
    roles = {
        _Role.Window: colors.window, _Role.WindowText: colors.text,
        _Role.Base: colors.surface, _Role.AlternateBase: colors.window, _Role.Text: colors.text,
        _Role.Button: colors.surface, _Role.ButtonText: colors.text,
        _Role.Highlight: colors.accent, _Role.HighlightedText: colors.on_accent,
        _Role.ToolTipBase: colors.raised, _Role.ToolTipText: colors.text,
        _Role.PlaceholderText: colors.muted, _Role.Link: colors.accent, _Role.Accent: colors.accent,
        _Role.Mid: colors.border, _Role.Dark: colors.strong_border, _Role.Light: colors.raised,
    }  # fmt: skip
    for role, color in roles.items():
        made.setColor(role, QColor(color))
    for role in (_Role.WindowText, _Role.Text, _Role.ButtonText, _Role.HighlightedText):
        made.setColor(QPalette.ColorGroup.Disabled, role, QColor(colors.muted))
    return made


def style_sheet(colors: Colors) -> str:
    text = (THEMES / "window.qss").read_text(encoding="utf-8")
    chevron = f"chevron-on-{'dark' if colors.dark else 'light'}.svg"
    return Template(text).substitute(colors.tokens(), chevron=chevron)


def small(font: QFont) -> QFont:
    """The second of the two text sizes."""
    made = QFont(font)
    if font.pointSizeF() > 0:
        made.setPointSizeF(font.pointSizeF() * _SMALL)
    return made


def fixed_font(size: float) -> QFont:
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPointSizeF(size)
    return font


def bold(font: QFont) -> QFont:
    made = QFont(font)
    made.setWeight(QFont.Weight.DemiBold)
    return made
