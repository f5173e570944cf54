"""The language of the window: the system's, or the chosen one, changed at once."""

from __future__ import annotations

from PySide6.QtCore import QLibraryInfo, QLocale, QObject, QTranslator, Signal
from PySide6.QtWidgets import QApplication

from gui.files import TRANSLATIONS
from gui.settings import LanguageChoice

_QT = QLibraryInfo.LibraryPath.TranslationsPath


class LanguageController(QObject):
    """Signals: changed(). Widgets retranslate themselves on LanguageChange (gui/retranslated.py)."""

    changed = Signal()

    def __init__(self, app: QApplication, choice: LanguageChoice) -> None:
        super().__init__(app)
        self._app = app
        self._installed: list[QTranslator] = []
        self.choice = choice
        self.choose(choice)

    def choose(self, choice: LanguageChoice) -> None:
        self.choice = choice
        for translator in self._installed:
            self._app.removeTranslator(translator)
        self._installed = []
        code = code_of(choice)
        # English has a catalogue too: it tells one slot from two slots.
        self._install(f"maypole_{code}", str(TRANSLATIONS))
        if code != "en":
            self._install(f"qtbase_{code}", QLibraryInfo.path(_QT))
        self.changed.emit()

    def _install(self, name: str, folder: str) -> None:
        translator = QTranslator(self)
        if translator.load(name, folder):
            self._app.installTranslator(translator)
            self._installed.append(translator)


def code_of(choice: LanguageChoice) -> str:
    if choice is not LanguageChoice.SYSTEM:
        return str(choice.value)
    languages = QLocale.system().uiLanguages()
    known = (language[:2] for language in languages)
    return "ko" if next(known, "en") == "ko" else "en"
