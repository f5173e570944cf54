"""How long a picture of the curves takes, and how our thinning compares with pyqtgraph's own."""

from __future__ import annotations

import math
import os
import statistics
import sys
import time
from collections.abc import Callable
from functools import lru_cache
from typing import Any

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")

import numpy as np
import pyqtgraph as pg
from helpers.points import START, batch
from PySide6.QtWidgets import QApplication

from core.decimate import decimate
from core.series import SeriesStore
from gui.plotting import CurvesPanel
from trainer.events import Record

_SIZE = (1400, 800)
_ROUNDS = 31


def _application() -> QApplication:
    app = QApplication.instance()
    return app if isinstance(app, QApplication) else QApplication(sys.argv[:1])


def _store(points: int) -> SeriesStore:
    """A noisy run with two metrics, its learning rate and ten resizes."""
    noise = np.random.default_rng(0).normal(0, 0.1, points)
    store = SeriesStore()
    for i in range(points):
        loss = 2.3 * math.exp(-3 * i / points) + 0.2 + noise[i]
        event = batch(i + 1, size=2 + 10 * i // points % 3, loss=loss, accuracy=1 - loss / 3)
        store.apply(Record(i + 1, START, event))
    return store


def _frame_times(points: int) -> list[float]:
    """Milliseconds from a new point to the painted picture, everything in view."""
    app = _application()
    store = _store(points)
    panel = CurvesPanel(store)
    panel.resize(*_SIZE)
    panel.show()
    app.processEvents()
    panel._timer.stop()  # frames are made here alone
    times = []
    for round_ in range(_ROUNDS):
        seq = points + 1 + round_
        store.apply(Record(seq, START, batch(seq, size=3, loss=0.3, accuracy=0.9)))
        began = time.perf_counter()
        panel.redraw()
        panel.canvas.viewport().repaint()
        times.append((time.perf_counter() - began) * 1e3)
        assert panel.last_drawn_seq == seq
    panel.close()
    return times


def _frame(name: str, points: int) -> dict[str, Any]:
    times = _frame_times(points)
    return {
        "name": name,
        "value": round(statistics.median(times), 2),
        "unit": "ms",
        "n": len(times),
    }


@lru_cache(maxsize=1)
def _thinning() -> tuple[list[float], list[float]]:
    """Milliseconds of setData and paint of one noisy curve of a million points: ours, pyqtgraph's."""
    app = _application()
    random = np.random.default_rng(0)
    x, y = np.arange(1e6), random.normal(size=1_000_000)
    ours, theirs = pg.PlotWidget(), pg.PlotWidget()
    curve = pg.PlotCurveItem(connect="finite", pen="w")
    ours.addItem(curve)
    theirs.setDownsampling(auto=True, mode="peak")
    theirs.setClipToView(True)
    peer = theirs.plot(pen="w")
    for widget in (ours, theirs):
        widget.resize(*_SIZE)
        widget.disableAutoRange()
        widget.setRange(xRange=(0, 1e6), yRange=(-6, 6), padding=0)
        widget.show()
    app.processEvents()

    def draw_ours() -> None:
        columns = round(ours.getViewBox().width())
        curve.setData(*decimate(x, y, columns, 0, 1e6))
        ours.viewport().repaint()

    def draw_theirs() -> None:
        peer.setData(x, y)
        theirs.viewport().repaint()

    times: tuple[list[float], list[float]] = ([], [])
    for round_ in range(_ROUNDS):
        y[round_] += 1  # so that nothing may be reused
        for draw, into in ((draw_ours, times[0]), (draw_theirs, times[1])):
            began = time.perf_counter()
            draw()
            into.append((time.perf_counter() - began) * 1e3)
    ours.close()
    theirs.close()
    return times


def curves_decimation_ms() -> dict[str, Any]:
    ours, theirs = (statistics.median(times) for times in _thinning())
    return {
        "name": "curves_decimation_ms", "value": round(ours, 2), "unit": "ms", "n": _ROUNDS,
        "peer": "pyqtgraph autoDownsample peak, clipToView", "peer_value": round(theirs, 2),
        "ratio": round(ours / theirs, 3),
    }  # fmt: skip


def curves_apply_us() -> dict[str, Any]:
    """What one record costs on its way into the store."""
    records = [Record(i, START, batch(i, loss=1.0, accuracy=0.5)) for i in range(1, 100_001)]
    times = []
    for _ in range(5):
        store = SeriesStore()
        began = time.perf_counter()
        for record in records:
            store.apply(record)
        times.append((time.perf_counter() - began) / len(records) * 1e6)
    value = round(statistics.median(times), 2)
    return {"name": "curves_apply_us", "value": value, "unit": "us", "n": len(records)}


BENCHES: dict[str, Callable[[], dict[str, Any]]] = {
    "curves_frame_10k_ms": lambda: _frame("curves_frame_10k_ms", 10_000),
    "curves_frame_1m_ms": lambda: _frame("curves_frame_1m_ms", 1_000_000),
    "curves_decimation_ms": curves_decimation_ms,
    "curves_apply_us": curves_apply_us,
}
