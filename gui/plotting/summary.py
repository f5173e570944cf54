"""What the plots show, in words, for those who hear the window instead of seeing it."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from core.series import LEARNING_RATE, Axis, SeriesStore
from gui.plotting.ticks import value_text


def summary(store: SeriesStore) -> str:
    """``loss 0.123, accuracy 0.98, learning rate 0.001, step 4,200, 3 workers, 2 resizes``."""
    table = store.batches
    translate = QCoreApplication.translate
    if not len(table):
        return translate("Curves", "No points yet")
    parts = []
    for key in [*store.curve_keys(), LEARNING_RATE]:
        values = store.curve(key, Axis.STEP).y
        if len(values):
            parts.append(f"{key.name} {value_text(float(values[-1]))}")
    parts.append(translate("Curves", "step %1").replace("%1", f"{table.column('step')[-1]:,.0f}"))
    parts.append(translate("Curves", "%n worker(s)", "", int(table.column("size")[-1])))
    parts.append(translate("Curves", "%n resize(s)", "", len(store.marks)))
    return ", ".join(parts)
