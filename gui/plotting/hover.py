"""The card beside the crosshair: every curve at x, with all its digits."""

from __future__ import annotations

import html
import time
from collections.abc import Iterable

from PySide6.QtCore import QCoreApplication, QPointF, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from core.series import LEARNING_RATE, Axis, Key, Kind, SeriesStore, nearest
from gui.plotting.theme import Theme, mix
from gui.plotting.ticks import duration_text, exact_text, value_text

_DISTANCE = 14


class HoverCard(QLabel):
    def __init__(self, parent: QWidget, theme: Theme) -> None:
        super().__init__(parent)
        self.setObjectName("curves-hover")
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setMargin(6)
        self.setAutoFillBackground(True)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.use(theme)
        self.hide()

    def use(self, theme: Theme) -> None:
        palette = self.palette()
        palette.setColor(
            QPalette.ColorRole.Window, QColor(mix(theme.foreground, theme.background, 0.05))
        )
        palette.setColor(QPalette.ColorRole.WindowText, QColor(theme.foreground))
        self.setPalette(palette)

    def show_at(self, position: QPointF, text: str) -> None:
        """Beside a point of the parent, wholly inside it."""
        self.setText(text)
        self.adjustSize()
        parent = self.parentWidget()
        room = parent.rect() if parent is not None else self.rect()
        x = position.x() + _DISTANCE
        if x + self.width() > room.width():
            x = position.x() - _DISTANCE - self.width()
        y = min(max(0.0, position.y() - self.height() / 2), room.height() - self.height())
        self.move(max(0, round(x)), max(0, round(y)))
        self.show()
        self.raise_()


def text_at(
    store: SeriesStore, axis: Axis, x: float, colors: Iterable[tuple[Key, str]], near: float = 0.0
) -> tuple[float, str] | None:
    """Where the nearest batch stands on the axis, and what is known there, as rich text.

    A resize within ``near`` of x is told too.
    """
    row = store.row_at(axis, x)
    if row is None:
        return None
    step = float(store.batches.column("step")[row])
    place = store.x_of_step(axis, step)
    if place is None:
        return None
    lines = [_line(store, key, color, step) for key, color in colors]
    table = "".join(line for line in lines if line)
    story = _resize_story(store, axis, x, near)
    return place, f"{_heading(store, row)}<table cellspacing='0'>{table}</table>{story}"


def _resize_story(store: SeriesStore, axis: Axis, x: float, near: float) -> str:
    placed = [(store.x_of_step(axis, mark.step), mark) for mark in store.marks]
    close = [(abs(at - x), mark) for at, mark in placed if at is not None and abs(at - x) <= near]
    if not close:
        return ""
    mark = min(close, key=lambda pair: pair[0])[1]
    translate = QCoreApplication.translate
    parts = [html.escape(mark.label), f"{mark.old_size} \N{RIGHTWARDS ARROW} {mark.new_size}"]
    if mark.seconds is not None:
        text = translate("Curves", "%1 s from request to first step")
        parts.append(text.replace("%1", f"{mark.seconds:.1f}"))
    parts.append(translate("Curves", "repeated steps: %1").replace("%1", str(mark.repeated_steps)))
    return " \N{MIDDLE DOT} ".join(parts)


def _heading(store: SeriesStore, row: int) -> str:
    def value(name: str) -> float:
        return float(store.batches.column(name)[row])

    translate = QCoreApplication.translate
    wall = value("wall")
    parts = [
        translate("Curves", "step %1").replace("%1", f"{value('step'):,.0f}"),
        translate("Curves", "epoch %1").replace("%1", f"{value('epoch'):.3f}"),
        translate("Curves", "world size %1").replace("%1", f"{value('size'):.0f}"),
    ]
    samples = value("samples")
    times = [time.strftime("%H:%M:%S", time.localtime(wall)), duration_text(wall - store.start, 1)]
    if samples == samples:
        times.append(translate("Curves", "%1 samples").replace("%1", f"{samples:,.0f}"))
    return f"<b>{' · '.join(parts)}</b><br>{' · '.join(times)}"


def _line(store: SeriesStore, key: Key, color: str, step: float) -> str:
    curve = store.curve(key, Axis.STEP)
    place = nearest(curve.x, step)
    if place is None:
        return ""
    at = float(curve.x[place])
    if key.kind is not Kind.EPOCH and at != step:
        return ""
    name = (
        QCoreApplication.translate("Curves", "learning rate") if key == LEARNING_RATE else key.name
    )
    where = f" @ {at:,.0f}" if at != step else ""
    value = float(curve.y[place])
    exact = exact_text(value) if value - value == 0 else value_text(value)
    sample = f"<font color='{color}'>\N{BLACK SQUARE}</font>&nbsp;"
    label = f"{sample}{html.escape(name)}{where}&nbsp;&nbsp;"
    return f"<tr><td>{label}</td><td align='right'>{exact}</td></tr>"
