"""The lines of one curve: raw, smoothed, what rollbacks left, and markers where points are few."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

from core.decimate import decimate
from core.series import Axis, Key, Kind, SeriesStore
from core.smoothing import Smoother
from core.table import Floats
from gui.plotting.theme import Theme, mix

_FAINT_RAW = 0.35
_FAINT_SUPERSEDED = 0.4
_MOST_MARKERS = 150
_MOST_ROLLBACKS = 200
"""A script that counts its steps anew each epoch rolls back each epoch; older ones are only kept."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What a picture is drawn for: the part of the axis, in how many pixel columns, and how."""

    axis: Axis
    x0: float
    x1: float
    columns: int
    log: bool = False
    smoothing: float = 0.0


def pen(color: str, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """One device pixel wide: thicker lines take twenty times as long to draw."""
    made = QPen(QColor(color), 1)
    made.setCosmetic(True)
    made.setStyle(style)
    if style is Qt.PenStyle.DashLine:
        made.setDashPattern([5, 3])
    return made


def stepped(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The corners of a line that keeps each value until the next."""
    return np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]


def logged(y: Floats) -> tuple[Floats, int]:
    """Powers of ten of y, NaN where there is none, and how many of those there are."""
    positive = y > 0
    hidden = int(np.count_nonzero(y <= 0))
    if positive.all():
        return np.log10(y), hidden
    out = np.full(len(y), np.nan)
    out[positive] = np.log10(y[positive])
    return out, hidden


class CurveLines:
    """Draws one key of a store into a plot's box; ``draw`` touches only what changed since the last."""

    def __init__(self, key: Key, box: pg.ViewBox) -> None:
        self.key = key
        self.visible = True
        self.bounds: tuple[float, float] | None = None
        """Lowest and highest y of what is seen (in powers of ten with ``log``)."""
        self.hidden_points = 0
        """Points not above zero, which a log axis cannot show."""
        self._superseded = pg.PlotCurveItem(connect="finite")
        self._raw = pg.PlotCurveItem(connect="finite", antialias=True)
        self._smooth = pg.PlotCurveItem(connect="finite", antialias=True)
        self._markers = pg.ScatterPlotItem(size=5, pxMode=True)
        self._items = (self._superseded, self._raw, self._smooth, self._markers)
        for z, item in enumerate(self._items):
            item.setZValue(z)
            box.addItem(item, ignoreBounds=True)
        self._box = box
        self._smoother = Smoother(0.0)
        self._smoothed_version: object = None
        self._drawn: object = None
        self._store: SeriesStore | None = None

    @property
    def marked(self) -> bool:
        """Told a few times a run, so that each point is worth a marker."""
        return self.key.kind is Kind.EPOCH or self.key.is_validation

    def use(self, theme: Theme, color: str) -> None:
        background = theme.background
        style = Qt.PenStyle.DashLine if self.key.is_validation else Qt.PenStyle.SolidLine
        self._strong = pen(color, style)
        self._faint = pen(mix(color, background, _FAINT_RAW), style)
        self._superseded.setPen(pen(mix(color, background, _FAINT_SUPERSEDED)))
        self._smooth.setPen(self._strong)
        self._raw.setPen(self._strong)
        self._markers.setPen(None)
        self._markers.setBrush(QColor(color))
        self._drawn = None

    def remove(self) -> None:
        for item in self._items:
            self._box.removeItem(item)

    def draw(self, store: SeriesStore, frame: Frame) -> bool:
        """Whether anything was drawn anew."""
        state = (id(store), store.version(self.key), frame, self.visible, store.start)
        if state == self._drawn:
            return False
        if store is not self._store:
            self._store, self._smoothed_version = store, None
        self._drawn = state
        for item in self._items:
            item.setVisible(self.visible)
        if self.visible:
            self._draw_live(store, frame)
            self._draw_superseded(store, frame)
        else:
            self.bounds, self.hidden_points = None, 0
        return True

    def _draw_live(self, store: SeriesStore, frame: Frame) -> None:
        curve = store.curve(self.key, frame.axis)
        smoothing = 0.0 if self.marked else frame.smoothing
        x, y = self._thin(curve.x, curve.y, frame)
        self._set_bounds(x, y, frame)
        if self.key.kind is Kind.LEARNING_RATE:
            x, y = stepped(x, y)
        self._raw.setPen(self._faint if smoothing else self._strong)
        self._raw.setData(x, y)
        self._smooth.setVisible(smoothing > 0)
        if smoothing:
            smooth = self._smoothed(curve.y, (frame.axis, curve.version), smoothing)
            self._smooth.setData(*self._thin(curve.x, smooth, frame))
        few = self.marked and len(x) <= _MOST_MARKERS
        lonely = len(curve.x) == 1
        self._markers.setData(x if few or lonely else x[:0], y if few or lonely else y[:0])
        self.hidden_points = int(np.count_nonzero(curve.y <= 0)) if frame.log else 0

    def _set_bounds(self, x: Floats, y: Floats, frame: Frame) -> None:
        inside = y[np.isfinite(y) & (x >= frame.x0) & (x <= frame.x1)]
        self.bounds = (float(inside.min()), float(inside.max())) if len(inside) else None

    def _draw_superseded(self, store: SeriesStore, frame: Frame) -> None:
        xs, ys = [], []
        for curve in store.superseded(self.key, frame.axis, _MOST_ROLLBACKS):
            x, y = self._thin(curve.x, curve.y, frame)
            xs += [x, np.array([np.nan])]
            ys += [y, np.array([np.nan])]
        if xs:
            self._superseded.setData(np.concatenate(xs), np.concatenate(ys))
        else:
            self._superseded.setData([], [])

    @staticmethod
    def _thin(x: Floats, y: Floats, frame: Frame) -> tuple[Floats, Floats]:
        x, y = decimate(x, y, frame.columns, frame.x0, frame.x1)
        if frame.log:
            y = logged(y)[0]
        elif not np.isfinite(y).all():
            y = np.where(np.isfinite(y), y, np.nan)
        return x, y

    def _smoothed(self, y: Floats, version: object, weight: float) -> Floats:
        if weight != self._smoother.weight:
            self._smoother = Smoother(weight)
        elif version != self._smoothed_version:
            self._smoother.reset()
        self._smoothed_version = version
        return self._smoother.update(y)

    def drawn_points(self) -> tuple[Floats, Floats]:
        """What the raw line shows now; for tests and the spoken summary."""
        x, y = self._raw.getData()
        return (np.empty(0), np.empty(0)) if x is None else (x, y)
