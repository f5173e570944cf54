"""Widgets whose texts follow a change of language at once."""

from __future__ import annotations

from PySide6.QtCore import QEvent


class Retranslated:
    """Goes before the Qt class among the bases. ``retranslate`` sets every text; call it once yourself."""

    def retranslate(self) -> None:
        raise NotImplementedError

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)  # type: ignore[misc]
