"""What the plots show, in words, for those who hear the window instead of seeing it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication

from core.series import SeriesStore
from gui.plotting.strip import Strip


def summary(store: SeriesStore, strips: Iterable[Strip]) -> str:
    """A sentence for each plot, then where the run is."""
    table = store.batches
    if not len(table):
        return QCoreApplication.translate("Curves", "No points yet")
    sentences = [text for strip in strips if (text := strip.header.in_words())]
    where = QCoreApplication.translate("Curves", "step %1, epoch %2, resizes: %3")
    where = where.replace("%1", f"{table.column('step')[-1]:,.0f}")
    where = where.replace("%2", f"{table.column('epoch')[-1]:.2f}")
    sentences.append(where.replace("%3", str(len(store.marks))))
    return ". ".join(sentences)
