"""What the window remembers of itself: sizes, theme, language. Profiles are files of their own."""

from __future__ import annotations

import os
from enum import Enum
from typing import TypeVar

from PySide6.QtCore import QByteArray, QSettings

PATH_VARIABLE = "MAYPOLE_SETTINGS"
"""A file to use instead of the user's own; tests set it."""

_E = TypeVar("_E", bound=Enum)


class ThemeChoice(Enum):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class LanguageChoice(Enum):
    SYSTEM = "system"
    ENGLISH = "en"
    KOREAN = "ko"


class Settings:
    """Typed access; QSettings itself gives back text for everything (True becomes "true")."""

    def __init__(self, path: str = "") -> None:
        path = path or os.environ.get(PATH_VARIABLE, "")
        ini = QSettings.Format.IniFormat
        scope = QSettings.Scope.UserScope
        self._store = QSettings(path, ini) if path else QSettings(ini, scope, "maypole", "maypole")

    @property
    def theme(self) -> ThemeChoice:
        return _member(ThemeChoice, self._text("theme"), ThemeChoice.SYSTEM)

    @theme.setter
    def theme(self, choice: ThemeChoice) -> None:
        self._store.setValue("theme", choice.value)

    @property
    def language(self) -> LanguageChoice:
        return _member(LanguageChoice, self._text("language"), LanguageChoice.SYSTEM)

    @language.setter
    def language(self, choice: LanguageChoice) -> None:
        self._store.setValue("language", choice.value)

    @property
    def profile(self) -> str:
        """The profile file that was open last; "" for none."""
        return self._text("profile")

    @profile.setter
    def profile(self, path: str) -> None:
        self._store.setValue("profile", path)

    @property
    def export_folder(self) -> str:
        return self._text("export_folder")

    @export_folder.setter
    def export_folder(self, path: str) -> None:
        self._store.setValue("export_folder", path)

    def flag(self, name: str) -> bool:
        return self._text(f"flags/{name}") == "yes"

    def set_flag(self, name: str, on: bool = True) -> None:
        self._store.setValue(f"flags/{name}", "yes" if on else "no")

    def shape(self, name: str) -> QByteArray:
        """What saveGeometry or saveState gave; empty when there is none or the file was damaged."""
        value = self._store.value(f"window/{name}")
        return value if isinstance(value, QByteArray) else QByteArray()

    def set_shape(self, name: str, shape: QByteArray) -> None:
        self._store.setValue(f"window/{name}", shape)

    def sync(self) -> None:
        self._store.sync()

    def _text(self, key: str) -> str:
        value = self._store.value(key, "")
        return value if isinstance(value, str) else ""


def _member(kind: type[_E], text: str, default: _E) -> _E:
    return next((member for member in kind if member.value == text), default)
