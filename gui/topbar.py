"""The tool bar: what can be done with the run, and how it is."""

from __future__ import annotations

import time
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QMenu,
    QProgressBar,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.runview import RunView
from gui import figures, names
from gui.colors import Colors
from gui.retranslated import Retranslated
from gui.statuspill import StatusPill

_SECOND = 1000
_PROGRESS = (176, 336)


@dataclass(frozen=True, slots=True)
class RunActions:
    start: QAction
    stop: QAction
    stop_now: QAction
    apply: QAction
    export: QAction


class TopBar(Retranslated, QWidget):
    def __init__(self, actions: RunActions, colors: Colors, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(names.TOOL_BAR)
        self._actions = actions
        self._view: RunView | None = None
        self.start, self.stop = QToolButton(), QToolButton()
        self.apply, self.export = QToolButton(), QToolButton()
        self.pill = StatusPill(colors)
        self.world, self._world_word = QLabel(), QLabel()
        self.epoch, self.eta, self.elapsed = QLabel(), QLabel(), QLabel()
        self.run_name = QLabel()
        self.bar = QProgressBar()
        self._clock = QTimer(self)
        self._clock.setInterval(_SECOND)
        self._clock.timeout.connect(self._show_elapsed)
        self._prepare_buttons()
        self._prepare_labels()
        self._lay_out()
        self.retranslate()

    # ---- building -----------------------------------------------------------------------------

    def _prepare_buttons(self) -> None:
        acts = self._actions
        named = (
            (self.start, acts.start, names.START_BUTTON), (self.stop, acts.stop, names.STOP_BUTTON),
            (self.apply, acts.apply, names.APPLY_BUTTON),
            (self.export, acts.export, names.EXPORT_BUTTON),
        )  # fmt: skip
        for button, action, name in named:
            button.setDefaultAction(action)
            button.setObjectName(name)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.start.setProperty("look", "primary")
        self.apply.setProperty("look", "primary")
        menu = QMenu(self.stop)
        menu.addAction(acts.stop_now)
        self.stop.setMenu(menu)
        self.stop.setPopupMode(QToolButton.ToolButtonPopupMode.MenuButtonPopup)
        acts.start.changed.connect(self._show_buttons)
        acts.apply.changed.connect(self._show_buttons)
        acts.stop.changed.connect(self._show_buttons)

    def _prepare_labels(self) -> None:
        named = (
            (self.world, names.WORLD_SIZE_LABEL), (self.epoch, names.EPOCH_LABEL),
            (self.eta, names.ETA_LABEL), (self.elapsed, names.ELAPSED_LABEL),
            (self.run_name, names.RUN_NAME_LABEL),
        )  # fmt: skip
        for label, name in named:
            label.setObjectName(name)
        self.world.setProperty("role", "title")
        for label in (self._world_word, self.eta, self.elapsed, self.run_name):
            label.setProperty("role", "muted")
        self._world_word.setBuddy(self.world)
        self.bar.setObjectName(names.EPOCH_BAR)
        self.bar.setTextVisible(False)
        self.bar.setRange(0, 1000)
        self.run_name.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 8, 16, 8)
        row.setSpacing(8)
        for button in (self.start, self.stop, self.apply, self.export):
            row.addWidget(button)
        row.addSpacing(8)
        row.addWidget(self.pill)
        row.addSpacing(8)
        row.addWidget(self._world_word)
        row.addWidget(self.world)
        row.addSpacing(16)
        row.addWidget(self._progress(), 2)
        row.addSpacing(8)
        row.addStretch(1)
        row.addWidget(self.run_name)
        row.addSpacing(8)
        row.addWidget(self.elapsed)

    def _progress(self) -> QWidget:
        """Words above, the bar below: they share one place however narrow the window is."""
        panel = QWidget()
        panel.setMinimumWidth(_PROGRESS[0])
        panel.setMaximumWidth(_PROGRESS[1])
        above = QHBoxLayout()
        above.setSpacing(8)
        above.addWidget(self.epoch)
        above.addStretch(1)
        above.addWidget(self.eta)
        column = QVBoxLayout(panel)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addStretch(1)
        column.addLayout(above)
        column.addWidget(self.bar)
        column.addStretch(1)
        self.bar.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        return panel

    # ---- showing ------------------------------------------------------------------------------

    def set_colors(self, colors: Colors) -> None:
        self.pill.set_colors(colors)

    def set_run_name(self, text: str, tip: str) -> None:
        self.run_name.setText(text)
        self.run_name.setToolTip(tip)

    def show_run(self, view: RunView | None, launching: bool) -> None:
        self._view = view
        self.pill.set_state(view.state if view else None, launching)
        self._show_world(view)
        self._show_progress(view)
        self._show_elapsed()
        if view is not None and view.over is None:
            self._clock.start()
        else:
            self._clock.stop()

    def _show_world(self, view: RunView | None) -> None:
        going = view is not None and view.over is None
        self._world_word.setVisible(going)
        self.world.setVisible(going)
        if view is None or not going:
            self.world.setText("")
            return
        self.world.setText(f"{view.world_size} / {view.desired_size}")
        text = self.tr("{0} workers train, {1} are wanted")
        self.world.setToolTip(text.format(view.world_size, view.desired_size))
        self.world.setAccessibleName(
            self.tr("World size {0} of {1}").format(view.world_size, view.desired_size)
        )

    def _show_progress(self, view: RunView | None) -> None:
        started = view is not None and view.progress.step >= 0
        for widget in (self.epoch, self.eta, self.bar):
            widget.setVisible(started)
        if view is None or not started:
            return
        progress = view.progress
        self.epoch.setText(self._epoch_text(view))
        self.epoch.setToolTip(
            self.tr("epoch {0}, step {1}").format(f"{progress.epoch:.3f}", f"{progress.step:,}")
        )
        fraction = progress.fraction
        self.bar.setVisible(fraction is not None)
        self.bar.setValue(round(1000 * (fraction or 0.0)))
        self.bar.setAccessibleName(self.tr("Progress of the training"))
        left = view.eta
        self.eta.setText(
            "" if left is None else self.tr("{0} left").format(figures.rough_duration(left))
        )

    def _epoch_text(self, view: RunView) -> str:
        progress = view.progress
        if not progress.epochs:
            return self.tr("step {0}").format(f"{progress.step:,}")
        current = min(progress.epochs, int(progress.epoch) + (view.over is None))
        return self.tr("epoch {0} / {1}").format(current, progress.epochs)

    def _show_elapsed(self) -> None:
        view = self._view
        if view is None or view.started is None:
            self.elapsed.setText("")
            return
        end = view.ended if view.ended is not None else time.time()
        self.elapsed.setText(figures.clock(end - view.started))
        self.elapsed.setToolTip(self.tr("since {0}").format(figures.date_and_time(view.started)))

    def _show_buttons(self) -> None:
        """Only what can be done now takes room: Start or Stop, Apply while something is staged."""
        stopping = self._actions.stop.isVisible()
        self.start.setVisible(self._actions.start.isVisible())
        self.stop.setVisible(stopping)
        self.apply.setVisible(self._actions.apply.isVisible())

    def retranslate(self) -> None:
        self._world_word.setText(self.tr("world size"))
        self.elapsed.setAccessibleName(self.tr("Elapsed time"))
        self.show_run(self._view, self.pill.state is not None and self._view is None)
        self._show_buttons()
