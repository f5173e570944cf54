"""One plot of the stack: header, axes, curves, marks."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QColor, QFont

from core.series import LEARNING_RATE, Axis, Key, Kind, SeriesStore
from gui.plotting.axes import PlaceAxis, ValueAxis
from gui.plotting.header import Entry, Header
from gui.plotting.lines import CurveLines, Frame, logged, pen, stepped
from gui.plotting.overlay import Mark, Overlay
from gui.plotting.plotbox import PlotBox
from gui.plotting.theme import Theme
from gui.plotting.ticks import value_text
from gui.plotting.viewport import Span, padded

LOSS, ACCURACY, RATE, WORLD = "loss", "accuracy", "learning rate", "world size"


def family(key: Key) -> str:
    """The plot that a curve belongs to: validation beside training, all losses in one."""
    if key.kind is Kind.LEARNING_RATE:
        return RATE
    name = key.name.removeprefix("val_")
    if name == "loss" or name.endswith("_loss"):
        return LOSS
    if name in ("acc", "accuracy") or name.endswith("_accuracy"):
        return ACCURACY
    return name


_ROOM, _MOST_ROOM = 0.06, 0.2
_HALF_LABEL = 12.0
"""Pixels above the highest value and below the lowest one, so that the labels there have room."""


class Strip:
    """``keys`` may grow while it lives. ``draw`` brings everything up to date."""

    def __init__(self, name: str, theme: Theme, font: QFont, bottom: bool = False) -> None:
        self.name = name
        self.box = PlotBox()
        self.left = ValueAxis(whole=name == WORLD)
        self.bottom = PlaceAxis(labelled=bottom)
        self.header = Header(theme, font)
        self.plot = pg.PlotItem(
            viewBox=self.box, axisItems={"left": self.left, "bottom": self.bottom}, enableMenu=False
        )
        self.plot.hideButtons()
        for axis in (self.left, self.bottom):
            axis.setZValue(-1000)  # the grid lies under the curves
        self.plot.layout.setContentsMargins(0, 0, 16, 0)
        self.overlay = Overlay(self.box, theme, font, labelled=False)
        self.curves: dict[Key, CurveLines] = {}
        self._theme = theme
        self.use(theme, font)

    # ---- set-up ------------------------------------------------------------------------------

    def use(self, theme: Theme, font: QFont) -> None:
        self._theme = theme
        self.box.use(theme)
        for axis in (self.left, self.bottom):
            axis.use(theme, font)
        self.header.use(theme, font)
        self.overlay.use(theme, font)
        for curve in self.curves.values():
            curve.use(theme, self.color(curve.key))

    def add(self, key: Key) -> None:
        if key not in self.curves:
            self.curves[key] = CurveLines(key, self.box)
            for curve in self.curves.values():
                curve.use(self._theme, self.color(curve.key))

    def clear(self) -> None:
        for curve in self.curves.values():
            curve.remove()
        self.curves = {}

    def color(self, key: Key) -> str:
        theme = self._theme
        same = [other for other in self.curves if other.is_validation == key.is_validation]
        place = same.index(key) if key in same else 0
        if place:
            return theme.series[(place - 1) % len(theme.series)]
        if key.is_validation:
            return theme.validation
        known = {LOSS: theme.loss, ACCURACY: theme.accuracy, RATE: theme.learning_rate}
        return known.get(self.name) or theme.series[sum(map(ord, self.name)) % len(theme.series)]

    # ---- drawing -----------------------------------------------------------------------------

    def draw(self, store: SeriesStore, frame: Frame, y: Span | None) -> bool:
        """``y``: the user's own range. Whether anything changed."""
        drawn = [curve.draw(store, frame) for curve in self.curves.values()]
        changed = any(drawn)
        self.left.log = frame.log
        span = y or self._fitted()
        if list(span) != self.box.viewRange()[1]:
            self.box.setYRange(*span, padding=0)
            changed = True
        self.bottom.show_axis(frame.axis, store.offset(frame.axis))
        if changed:
            self._fill_header(store)
        return changed

    def _fitted(self) -> Span:
        bounds = [curve.bounds for curve in self.curves.values() if curve.bounds]
        if not bounds:
            return (0.0, 1.0)
        height = self.box.height() or math.inf  # 0 until it is laid out
        share = min(max(_ROOM, _HALF_LABEL / height), _MOST_ROOM)
        return padded(min(b[0] for b in bounds), max(b[1] for b in bounds), share)

    def _fill_header(self, store: SeriesStore) -> None:
        entries = tuple(self._entry(curve, store) for curve in self.curves.values())
        hidden = sum(curve.hidden_points for curve in self.curves.values())
        self.header.show_entries(self.title(), entries, hidden_note(hidden))

    def _entry(self, curve: CurveLines, store: SeriesStore) -> Entry:
        key = curve.key
        values = store.curve(key, Axis.STEP).y
        newest = value_text(float(values[-1])) if len(values) else ""
        text = "" if key == LEARNING_RATE else self._word(key)
        color = self.color(key)
        return Entry(key.name, text, newest, color, key.is_validation, not curve.visible)

    def _word(self, key: Key) -> str:
        plain = key.name.removeprefix("val_")
        if sum(other.name.removeprefix("val_") != plain for other in self.curves):
            return key.name
        if key.is_validation:
            return QCoreApplication.translate("Curves", "validation")
        return QCoreApplication.translate("Curves", "training")

    def title(self) -> str:
        known = {
            LOSS: QCoreApplication.translate("Curves", "loss"),
            ACCURACY: QCoreApplication.translate("Curves", "accuracy"),
            RATE: QCoreApplication.translate("Curves", "learning rate"),
            WORLD: QCoreApplication.translate("Curves", "world size"),
        }
        return known.get(self.name, self.name)

    def show_marks(self, marks: Sequence[Mark], store: SeriesStore, frame: Frame) -> None:
        odd: list[tuple[float, float]] = []
        for curve in self.curves.values():
            if curve.visible:
                x, before, _ = store.odd_points(curve.key, frame.axis)
                y = logged(before)[0] if frame.log else before
                odd += zip(x.tolist(), y.tolist(), strict=True)
        self.overlay.show_marks(marks, odd)

    # ---- the user ----------------------------------------------------------------------------

    def toggle(self, name: str) -> None:
        for curve in self.curves.values():
            if curve.key.name == name:
                curve.visible = not curve.visible

    def isolate(self, name: str) -> None:
        """Only this curve; all again when it already is the only one."""
        alone = all(c.visible == (c.key.name == name) for c in self.curves.values())
        for curve in self.curves.values():
            curve.visible = alone or curve.key.name == name


class WorldStrip(Strip):
    """The world size: a stepped line over a filled area."""

    def __init__(self, theme: Theme, font: QFont) -> None:
        self._line = pg.PlotCurveItem(fillLevel=0.0)
        super().__init__(WORLD, theme, font, bottom=True)
        self.box.addItem(self._line, ignoreBounds=True)
        self._drawn: object = None

    def use(self, theme: Theme, font: QFont) -> None:
        super().use(theme, font)
        self._line.setPen(pen(theme.world_size))
        self._line.setBrush(QColor(theme.world_size_fill))
        self._drawn = None

    def draw(self, store: SeriesStore, frame: Frame, y: Span | None) -> bool:
        state = (id(store), store.revision, frame.axis, y)
        self.bottom.show_axis(frame.axis, store.offset(frame.axis))
        if state == self._drawn:
            return False
        self._drawn = state
        curve = store.world_size(frame.axis)
        self._line.setData(*stepped(curve.x, curve.y))
        top = float(curve.y.max()) if len(curve.y) else 1.0
        self.box.setYRange(*(y or (0.0, top * 1.2)), padding=0)
        newest = f"{curve.y[-1]:.0f}" if len(curve.y) else ""
        entry = Entry(WORLD, "", newest, self._theme.world_size)
        self.header.show_entries(self.title(), (entry,))
        return True

    def drawn_points(self) -> tuple[np.ndarray, np.ndarray]:
        x, y = self._line.getData()
        return (np.empty(0), np.empty(0)) if x is None else (x, y)


def hidden_note(count: int) -> str:
    if not count:
        return ""
    one = QCoreApplication.translate("Curves", "1 point at or below 0 is not shown")
    many = QCoreApplication.translate("Curves", "%1 points at or below 0 are not shown")
    return one if count == 1 else many.replace("%1", f"{count:,}")


def axis_label(axis: Axis) -> str:
    translate = QCoreApplication.translate
    return {
        Axis.STEP: translate("Curves", "step"),
        Axis.EPOCH: translate("Curves", "epoch"),
        Axis.SAMPLES: translate("Curves", "samples seen by all workers"),
        Axis.RELATIVE: translate("Curves", "time since the start (min:s)"),
        Axis.WALL: translate("Curves", "time of day"),
    }[axis]
