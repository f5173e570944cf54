"""The stack of plots: one scene, one x axis."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QTimer, Signal
from PySide6.QtGui import QColor, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from core.series import LEARNING_RATE, Axis, SeriesStore
from gui.plotting.lines import Frame
from gui.plotting.overlay import Mark
from gui.plotting.strip import ACCURACY, LOSS, RATE, WORLD, Strip, WorldStrip, axis_label, family
from gui.plotting.theme import Theme
from gui.plotting.viewport import Viewport

_TALL, _SHORT = 5, 2
_LEAST_AXIS = 36.0


class Canvas(pg.GraphicsLayoutWidget):  # type: ignore[misc]
    """Draws a store through a viewport.

    Signals:
        chosen(x or None, y or None, plot's name), fit_wanted(), menu_wanted(global position),
        hovered(x on the axis, scene position), left(), entry_changed(), painted(), resized().
    """

    chosen = Signal(object, object, str)
    fit_wanted = Signal()
    menu_wanted = Signal(QPointF)
    hovered = Signal(float, QPointF)
    left = Signal()
    entry_changed = Signal()
    painted = Signal()
    resized = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._strips: dict[str, Strip] = {}
        self._shown: list[str] = []
        self._filter = ""
        self.ci.layout.setContentsMargins(8, 0, 8, 4)
        self.ci.layout.setVerticalSpacing(0)
        for name in (LOSS, ACCURACY, RATE, WORLD):
            self._make(name)
        self.strip(RATE).add(LEARNING_RATE)
        self.scene().sigMouseMoved.connect(self._mouse_moved)
        self.use(theme)
        self._arrange()

    # ---- the plots ---------------------------------------------------------------------------

    @property
    def strips(self) -> list[Strip]:
        """Those that are shown, from the top."""
        return [self._strips[name] for name in self._shown]

    def strip(self, name: str) -> Strip:
        return self._strips[name]

    def _make(self, name: str) -> Strip:
        font = self.font()
        strip = WorldStrip(self._theme, font) if name == WORLD else Strip(name, self._theme, font)
        self._strips[name] = strip
        strip.box.chosen.connect(lambda x, y, n=name: self.chosen.emit(x, y, n))
        strip.box.fit_wanted.connect(self.fit_wanted)
        strip.box.menu_wanted.connect(self.menu_wanted)
        strip.header.entry_clicked.connect(lambda n, s=strip: self._entry(s.toggle, n))
        strip.header.entry_isolated.connect(lambda n, s=strip: self._entry(s.isolate, n))
        return strip

    def _entry(self, change: object, name: str) -> None:
        change(name)  # type: ignore[operator]
        self.entry_changed.emit()

    def clear_curves(self) -> None:
        for name, strip in self._strips.items():
            strip.left.needed = 0.0
            if name != RATE:
                strip.clear()

    def set_filter(self, text: str) -> None:
        self._filter = text.strip().lower()

    def _sync(self, store: SeriesStore) -> None:
        for key in store.curve_keys():
            name = family(key)
            (self._strips.get(name) or self._make(name)).add(key)
        wanted = self._wanted(store)
        if wanted != self._shown:
            self._shown = wanted
            self._arrange()

    def _wanted(self, store: SeriesStore) -> list[str]:
        names = [n for n in self._strips if n not in (RATE, WORLD) and self._strips[n].curves]
        if len(store.batches.lr):
            names.append(RATE)
        names = [n for n in names if self._filter in self._strips[n].title().lower()] or names
        return [*names, WORLD]

    def _arrange(self) -> None:
        shown = self._shown or list(self._strips)
        self._shown = shown
        for strip in self._strips.values():
            for item in (strip.header, strip.plot):
                if item in self.ci.items:
                    self.ci.removeItem(item)
        bottom = self._strips[shown[-1]].box
        for place, name in enumerate(shown):
            strip = self._strips[name]
            self.ci.addItem(strip.header, row=2 * place, col=0)
            self.ci.addItem(strip.plot, row=2 * place + 1, col=0)
            stretch = _SHORT if name in (RATE, WORLD) else _TALL
            self.ci.layout.setRowStretchFactor(2 * place, 0)
            self.ci.layout.setRowStretchFactor(2 * place + 1, stretch)
            strip.box.setXLink(bottom if strip.box is not bottom else None)
            strip.overlay.labelled = place == 0
        for row in range(2 * len(shown), 2 * len(self._strips)):
            self.ci.layout.setRowStretchFactor(row, 0)

    # ---- drawing -----------------------------------------------------------------------------

    def draw(
        self, store: SeriesStore, view: Viewport, axis: Axis, log: bool, smoothing: float
    ) -> bool:
        """Brings the picture up to date; whether anything changed."""
        self._sync(store)
        x0, x1 = view.span(store.extent(axis))
        self._set_x(x0, x1)
        columns = max(1, round(self.strips[-1].box.width()))
        marks = _marks(store, axis)
        changed = False
        for strip in self.strips:
            of_log = log and strip.name != WORLD
            frame = Frame(axis, x0, x1, columns, of_log, smoothing if strip.name != RATE else 0.0)
            changed |= strip.draw(store, frame, view.y.get(strip.name))
            strip.show_marks(marks, store, frame)
        self._label_axis(axis)
        self._align()
        return changed

    def _set_x(self, x0: float, x1: float) -> None:
        for strip in self.strips:
            if strip.box.viewRange()[0] != [x0, x1]:
                strip.box.setXRange(x0, x1, padding=0)

    def _label_axis(self, axis: Axis) -> None:
        self.strip(WORLD).bottom.setLabel(axis_label(axis), color=self._theme.muted)

    def _axis_width(self) -> float:
        needed = max(_LEAST_AXIS, *(strip.left.needed for strip in self.strips))
        return float(8 * -(-(needed + 10) // 8))

    def _align(self) -> None:
        """One width for all left axes, so that the plots stand exactly above each other."""
        width = self._axis_width()
        for strip in self.strips:
            if strip.left.width() != width:
                strip.left.setWidth(width)
            strip.header.set_indent(width)

    def use(self, theme: Theme) -> None:
        self._theme = theme
        self.setBackground(QColor(theme.background))
        for strip in self._strips.values():
            strip.use(theme, self.font())

    # ---- events ------------------------------------------------------------------------------

    @property
    def dragging(self) -> bool:
        return any(strip.box.dragged for strip in self._strips.values())

    def show_crosshair(self, x: float | None) -> None:
        for strip in self.strips:
            strip.overlay.show_crosshair(x)

    def _mouse_moved(self, position: QPointF) -> None:
        for strip in self.strips:
            area = strip.box.sceneBoundingRect()
            if (
                area.left() <= position.x() <= area.right()
                and area.top() <= position.y() <= area.bottom()
            ):
                self.hovered.emit(strip.box.mapSceneToView(position).x(), position)
                return
        self.left.emit()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.left.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        self.painted.emit()
        if self._axis_width() > self.strips[0].left.width():  # a new label is wider than any before
            QTimer.singleShot(0, self, self._align)

    def keyPressEvent(self, event: object) -> None:
        event.ignore()  # type: ignore[attr-defined]  # keys are the panel's


def _marks(store: SeriesStore, axis: Axis) -> list[Mark]:
    placed = ((store.x_of_step(axis, mark.step), mark.label) for mark in store.marks)
    return [Mark(x, label) for x, label in placed if x is not None]
