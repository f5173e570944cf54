"""The curves of a run: tool row, plots, crosshair, export. The window embeds this widget."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QPointF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QLabel, QStackedLayout, QVBoxLayout, QWidget

from core.series import Axis, Key, Record, SeriesStore
from gui.plotting import exports, hover
from gui.plotting.canvas import Canvas
from gui.plotting.menu import PanelMenu, help_text
from gui.plotting.plotbox import zoomed
from gui.plotting.summary import summary
from gui.plotting.theme import LIGHT, Theme
from gui.plotting.toolrow import ToolRow
from gui.plotting.viewport import History, Span, Viewport
from gui.retranslated import Retranslated

_FRAME_MS = 100
_REST = 3.0
"""Time between two pictures, in times that the last one took."""
_LONGEST_PAUSE_MS = 1000
_PAN = 0.15
_ZOOM = 0.8
_FILE_SIZE = QSize(900, 600)
_NEAR = 6.0
"""Pixels. How near to a resize mark the mouse must be for its story."""


class CurvesPanel(Retranslated, QWidget):
    """Feed it with ``apply``; it draws at most ten times a second, and only while it is visible."""

    frame_painted = Signal(int)
    """With last_drawn_seq, when a frame with new points has reached the screen."""

    def __init__(self, store: SeriesStore | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("curves")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._store = store or SeriesStore()
        self._theme = LIGHT
        self._view, self._history = Viewport(), History()
        self._axis, self._log, self._smoothing = Axis.STEP, False, 0.6
        self._drawn_revision, self._stale = -1, True
        self._pending_seq: int | None = None
        self.last_drawn_seq = 0
        """seq of the newest record whose picture has really been painted."""
        self._frame_ms = 0.0
        self.frames = 0
        """How many pictures were made; for tests and benchmarks."""
        self.tools = ToolRow(self)
        self.canvas = Canvas(self._theme, self)
        self._card = hover.HoverCard(self.canvas, self._theme)
        self._empty = QLabel(self)
        self._timer = QTimer(self)
        self._build()
        self._connect()

    def _build(self) -> None:
        self._empty.setObjectName("curves-empty")
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._empty.setWordWrap(True)
        self.canvas.setFocusProxy(self)
        self.menu = PanelMenu(self)
        self.tools.set_menu(self.menu)
        self._pages = QStackedLayout()
        self._pages.addWidget(self._empty)
        self._pages.addWidget(self.canvas)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self.tools)
        column.addLayout(self._pages, 1)
        self.setMinimumSize(360, 240)
        self.retranslate()

    def retranslate(self) -> None:
        self._empty.setText(self._empty_text())
        self._name_for_readers()
        self._redraw_soon()

    def _connect(self) -> None:
        self._timer.setInterval(_FRAME_MS)
        self._timer.timeout.connect(self._tick)
        tools, canvas = self.tools, self.canvas
        tools.axis_changed.connect(self.set_axis)
        tools.smoothing_changed.connect(self.set_smoothing)
        tools.log_changed.connect(self.set_log)
        tools.follow_changed.connect(self.set_follow)
        tools.fit_wanted.connect(self.fit)
        tools.filter_changed.connect(self._filter)
        canvas.chosen.connect(self._chosen)
        canvas.fit_wanted.connect(self.fit)
        canvas.menu_wanted.connect(self._open_menu)
        canvas.hovered.connect(self._hovered)
        canvas.left.connect(self._mouse_left)
        canvas.entry_changed.connect(self._redraw_soon)
        canvas.painted.connect(self._painted)
        canvas.resized.connect(self._redraw_soon)

    # ---- data --------------------------------------------------------------------------------

    @property
    def store(self) -> SeriesStore:
        return self._store

    @property
    def axis(self) -> Axis:
        return self._axis

    @property
    def viewport(self) -> Viewport:
        return self._view

    def apply(self, record: Record) -> None:
        self._store.apply(record)

    def set_store(self, store: SeriesStore) -> None:
        """Shows another run, all of it."""
        self._store = store
        self._view, self._history = Viewport(), History()
        self.tools.set_follow(True)
        self.canvas.clear_curves()
        self.last_drawn_seq, self._pending_seq = 0, None
        self._redraw_soon()

    def clear(self) -> None:
        self.set_store(SeriesStore())

    # ---- frames ------------------------------------------------------------------------------

    def _redraw_soon(self) -> None:
        self._stale = True
        if self.isVisible():
            QTimer.singleShot(0, self, self._tick)

    def _tick(self) -> None:
        """While the mouse drags, new points wait: a redraw in between would make the drag stutter."""
        if not self.isVisible() or self.window().isMinimized():
            return
        fresh = self._store.revision != self._drawn_revision
        if self._stale or (fresh and not self.canvas.dragging):
            self.redraw()
            self._timer.setInterval(self._pause())

    def _pause(self) -> int:
        """Pictures of very long runs take longer; they may not take the window's time away."""
        return round(min(max(_FRAME_MS, _REST * self._frame_ms), _LONGEST_PAUSE_MS))

    def redraw(self) -> None:
        """Makes the picture now. Usually the timer does it."""
        self._drawn_revision, self._stale = self._store.revision, False
        empty = not len(self._store.batches) and not len(self._store.epochs)
        self._pages.setCurrentIndex(0 if empty else 1)
        self._empty.setText(self._empty_text())
        self.tools.set_points(self._store.points)
        self._pending_seq = self._store.last_seq
        if empty:
            return
        self.frames += 1
        began = time.perf_counter()
        self.canvas.draw(self._store, self._view, self._axis, self._log, self._smoothing)
        self.canvas.viewport().update()
        self._frame_ms = (time.perf_counter() - began) * 1e3
        self._name_for_readers()

    def _empty_text(self) -> str:
        state = self._store.state
        if state is not None and state.over:
            return self.tr("This run ended before its first point; the log says why")
        return self.tr("Curves appear here when training starts")

    def _painted(self) -> None:
        if self._pending_seq is not None:
            self.last_drawn_seq, self._pending_seq = self._pending_seq, None
            self.frame_painted.emit(self.last_drawn_seq)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._stale = True
        self._timer.start()
        QTimer.singleShot(0, self, self._tick)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._timer.stop()

    # ---- what is seen ------------------------------------------------------------------------

    def set_axis(self, axis: Axis) -> None:
        if axis is not self._axis:
            self._axis = axis
            self.tools.set_axis(axis)
            self._see(Viewport(y=self._view.y), remember=False)
            self._history = History()

    def set_smoothing(self, weight: float) -> None:
        self._smoothing = weight
        self.tools.set_smoothing(weight)
        self._redraw_soon()

    def set_log(self, on: bool) -> None:
        if on != self._log:
            self._log = on
            self.tools.log.setChecked(on)
            self._see(Viewport(self._view.x, self._view.follow), remember=False)

    def set_follow(self, on: bool) -> None:
        if on != self._view.follow:
            x = self._view.x if on else self._seen_x()
            self._see(Viewport(x, on, self._view.y))

    def fit(self) -> None:
        self._see(Viewport())

    def back(self) -> None:
        self._see(self._history.back(self._view), remember=False)

    def forward(self) -> None:
        self._see(self._history.forward(self._view), remember=False)

    def _seen_x(self) -> Span:
        x0, x1 = self.canvas.strips[-1].box.viewRange()[0]
        return float(x0), float(x1)

    def _see(self, view: Viewport, remember: bool = True) -> None:
        if remember and view != self._view:
            self._history.push(self._view)
        self._view = view
        self.tools.set_follow(view.follow)
        self._redraw_soon()

    def _chosen(self, x: Span | None, y: Span | None, plot: str) -> None:
        self._see(self._view.chosen(x, y, plot))

    def _filter(self, text: str) -> None:
        self.canvas.set_filter(text)
        self._redraw_soon()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.canvas.use(theme)
        self._card.use(theme)
        self._redraw_soon()

    # ---- mouse and keys ----------------------------------------------------------------------

    def _colors(self) -> list[tuple[Key, str]]:
        strips = self.canvas.strips
        return [(curve.key, s.color(curve.key)) for s in strips for curve in s.curves.values()]

    def _hovered(self, x: float, position: QPointF) -> None:
        x0, x1 = self._seen_x()
        near = _NEAR * (x1 - x0) / max(1.0, self.canvas.strips[-1].box.width())
        found = hover.text_at(self._store, self._axis, x, self._colors(), near)
        if found is None or self.canvas.dragging:
            self._mouse_left()
            return
        place, text = found
        self.canvas.show_crosshair(place)
        self._card.show_at(QPointF(self.canvas.mapFromScene(position)), text)

    def _mouse_left(self) -> None:
        self.canvas.show_crosshair(None)
        self._card.hide()

    def _open_menu(self, position: QPointF) -> None:
        self.menu.popup(position.toPoint())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = self._keys().get(Qt.Key(event.key()))
        if event.modifiers() & Qt.KeyboardModifier.AltModifier:
            action = {Qt.Key.Key_Left: self.back, Qt.Key.Key_Right: self.forward}.get(
                Qt.Key(event.key())
            )
        if action is None:
            super().keyPressEvent(event)
        else:
            action()

    def _keys(self) -> dict[Qt.Key, Callable[[], None]]:
        key = Qt.Key
        return {
            key.Key_Left: lambda: self._pan(-_PAN),
            key.Key_Right: lambda: self._pan(_PAN),
            key.Key_Plus: lambda: self._zoom(_ZOOM),
            key.Key_Equal: lambda: self._zoom(_ZOOM),
            key.Key_Up: lambda: self._zoom(_ZOOM),
            key.Key_Minus: lambda: self._zoom(1 / _ZOOM),
            key.Key_Down: lambda: self._zoom(1 / _ZOOM),
            key.Key_0: self.fit,
            key.Key_Backspace: self.back,
            key.Key_L: lambda: self.set_log(not self._log),
            key.Key_F: lambda: self.set_follow(not self._view.follow),
            key.Key_S: lambda: self.tools.slider.setFocus(Qt.FocusReason.ShortcutFocusReason),
            key.Key_Slash: self.tools.start_filter,
            key.Key_Escape: self._escape,
            key.Key_F1: self.menu.show_help,
        }

    def _escape(self) -> None:
        self._mouse_left()
        self.tools.end_filter()

    def _pan(self, share: float) -> None:
        x0, x1 = self._seen_x()
        shift = share * (x1 - x0)
        self._see(self._view.chosen((x0 + shift, x1 + shift), None, ""))

    def _zoom(self, factor: float) -> None:
        self._see(self._view.chosen(zoomed(self._seen_x(), factor), None, ""))

    # ---- for readers of the screen -----------------------------------------------------------

    def summary(self) -> str:
        """What the plots show, in words."""
        return summary(self._store, self.canvas.strips)

    def _name_for_readers(self) -> None:
        self.setAccessibleName(self.tr("Curves"))
        self.canvas.setAccessibleName(self.tr("Plots of the run"))
        self.canvas.setAccessibleDescription(self.summary())
        self.setAccessibleDescription(help_text())

    # ---- export ------------------------------------------------------------------------------

    def _redraw_for_file(self) -> None:
        self._mouse_left()
        if not self.isVisible():
            if self.canvas.width() < _FILE_SIZE.width() // 2:  # was never shown
                self.canvas.resize(_FILE_SIZE)
            for _ in range(2):  # the second has the width of the axes that the first found out
                self.redraw()
                self.canvas.grab()  # gives a hidden widget its layout
        self.redraw()

    def save_png(self, path: str | Path) -> None:
        """Raises ExportError."""
        self._redraw_for_file()
        image = exports.image_of(self.canvas, self._theme.background)
        exports.write_file(Path(path), exports.png_of(image))

    def save_svg(self, path: str | Path) -> None:
        """Raises ExportError."""
        self._redraw_for_file()
        exports.write_file(Path(path), exports.svg_of(self.canvas, self.tr("Curves")))

    def save_csv(self, path: str | Path) -> None:
        """Every raw point, whatever is seen. Raises ExportError."""
        exports.write_file(Path(path), exports.csv_of(self._store))

    def copy(self) -> None:
        self._redraw_for_file()
        image = exports.image_of(self.canvas, self._theme.background)
        QGuiApplication.clipboard().setImage(image)
