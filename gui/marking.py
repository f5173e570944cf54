"""Marks a text for translation where no widget is at hand; lupdate knows the name."""

from __future__ import annotations


def QT_TRANSLATE_NOOP(_context: str, text: str) -> str:  # PySide6 types its own as object
    return text
