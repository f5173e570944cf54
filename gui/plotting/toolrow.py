"""The row above the plots: what stands on x, smoothing, log, follow, how many points, more."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QSlider,
    QToolButton,
    QWidget,
)

from core.series import Axis
from gui.retranslated import Retranslated

_MOST_SMOOTHING = 999
_ROOM_FOR_LABEL = 640


class _Count(QLabel):
    """Tells when its width changed: what it says depends on that."""

    def __init__(self, resized: Callable[[], None], parent: QWidget) -> None:
        super().__init__(parent)
        self._resized = resized

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._resized()


class ToolRow(Retranslated, QWidget):
    """Signals: axis_changed(Axis), smoothing_changed(0 to 0.999), log_changed(on), follow_changed(on),
    fit_wanted(), filter_changed(text)."""

    axis_changed = Signal(object)
    smoothing_changed = Signal(float)
    log_changed = Signal(bool)
    follow_changed = Signal(bool)
    fit_wanted = Signal()
    filter_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("curves-tools")
        self.axis = QComboBox(self)
        self.slider = QSlider(Qt.Orientation.Horizontal, self)
        self.amount = QLabel(self)
        self.log = self._toggle("curves-log")
        self.follow = self._toggle("curves-follow")
        self.fit = QToolButton(self)
        self.filter = QLineEdit(self)
        self.count = _Count(self._show_points, self)
        self.more = QToolButton(self)
        self.smoothing_label = QLabel(self)
        self._points = -1
        self._build()
        self.retranslate()
        self._connect()
        self.set_smoothing(0.6)
        self.set_follow(True)

    def _toggle(self, name: str) -> QToolButton:
        button = QToolButton(self)
        button.setObjectName(name)
        button.setCheckable(True)
        return button

    def _build(self) -> None:
        self.axis.setObjectName("curves-axis")
        for axis in Axis:
            self.axis.addItem("", axis)
        self.slider.setObjectName("curves-smoothing")
        self.slider.setRange(0, _MOST_SMOOTHING)
        self.slider.setPageStep(50)
        self.slider.setFixedWidth(96)
        self.amount.setFixedWidth(self.fontMetrics().horizontalAdvance("0.000") + 2)
        for button in (self.log, self.follow, self.fit, self.more):
            button.setAutoRaise(True)
            button.setProperty("look", "flat")  # the window's style sheet knows it
        self.more.setObjectName("curves-more")
        self.filter.setObjectName("curves-filter")
        self.filter.setClearButtonEnabled(True)
        self.filter.setFixedWidth(130)
        self.filter.hide()
        self.count.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 2, 8, 2)
        row.setSpacing(4)
        first: tuple[QWidget, ...] = (self.axis, self.smoothing_label, self.slider, self.amount)
        for widget in (*first, self.log, self.follow, self.fit, self.filter):
            row.addWidget(widget)
        row.addWidget(self.count, 1)
        row.addWidget(self.more)

    def retranslate(self) -> None:
        words = {
            Axis.STEP: self.tr("Step"),
            Axis.EPOCH: self.tr("Epoch"),
            Axis.SAMPLES: self.tr("Samples"),
            Axis.RELATIVE: self.tr("Relative time"),
            Axis.WALL: self.tr("Time of day"),
        }
        for place, word in enumerate(words.values()):
            self.axis.setItemText(place, word)
        self.smoothing_label.setText(self.tr("Smoothing"))
        self.smoothing_label.setBuddy(self.slider)
        self.log.setText(self.tr("Log y"))
        self.follow.setText(self.tr("Follow"))
        self.fit.setText(self.tr("Fit"))
        self.more.setText("\N{HORIZONTAL ELLIPSIS}")
        self.filter.setPlaceholderText(self.tr("Filter plots"))
        self._show_points()
        self._show_smoothing()
        self._explain()

    def _explain(self) -> None:
        tips = {
            self.axis: (self.tr("X axis"), self.tr("What the x axis counts")),
            self.slider: (
                self.tr("Smoothing"),
                self.tr("Smoothing of the curves, as TensorBoard does it (S)"),
            ),
            self.log: (self.tr("Logarithmic y axis"), self.tr("Powers of ten on the y axes (L)")),
            self.follow: (self.tr("Follow"), self.tr("Keep the newest point in view (F)")),
            self.fit: (self.tr("Fit"), self.tr("Show everything (0, or a double click)")),
            self.filter: (
                self.tr("Filter plots"),
                self.tr("Show only the plots whose name has this (/)"),
            ),
            self.more: (self.tr("More"), self.tr("Save, copy, help")),
        }
        for widget, (name, tip) in tips.items():
            widget.setAccessibleName(name)
            widget.setToolTip(tip)

    def _connect(self) -> None:
        self.axis.currentIndexChanged.connect(self._axis_picked)
        self.slider.valueChanged.connect(self._slid)
        self.log.toggled.connect(self.log_changed)
        self.follow.toggled.connect(self.follow_changed)
        self.fit.clicked.connect(self.fit_wanted)
        self.filter.textChanged.connect(self.filter_changed)
        self.filter.returnPressed.connect(self.filter.clearFocus)

    def _axis_picked(self) -> None:
        self.axis_changed.emit(self.axis.currentData())

    def _slid(self, value: int) -> None:
        self._show_smoothing()
        self.smoothing_changed.emit(value / 1000)

    def _show_smoothing(self) -> None:
        value = self.slider.value()
        self.amount.setText(f"{value / 1000:.3g}" if value else self.tr("off"))

    # ---- what the panel sets -----------------------------------------------------------------

    def set_menu(self, menu: QMenu) -> None:
        """Opens below the button, without the arrow that a button's own menu draws over its text."""
        self.more.clicked.connect(
            lambda: menu.popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))
        )

    def set_smoothing(self, weight: float) -> None:
        self.slider.setValue(round(weight * 1000))

    def set_axis(self, axis: Axis) -> None:
        self.axis.setCurrentIndex(self.axis.findData(axis))

    def set_follow(self, on: bool) -> None:
        """Without telling anyone."""
        with QSignalBlocker(self.follow):
            self.follow.setChecked(on)

    def set_points(self, points: int) -> None:
        if points != self._points:
            self._points = points
            self._show_points()

    def _show_points(self) -> None:
        """In the longest words for which there is room."""
        number, room = f"{max(0, self._points):,}", self.count.width()
        words = [self.tr("%1 points, all kept"), self.tr("%1 points")]
        if self._points == 1:
            words = [self.tr("%1 point, all kept"), self.tr("%1 point")]
        texts = [word.replace("%1", number) for word in words]
        width = self.count.fontMetrics().horizontalAdvance
        self.count.setText(next((t for t in texts if self._points > 0 and width(t) <= room), ""))
        self.count.setAccessibleName(texts[0])
        self.count.setToolTip(self.tr("Every point is kept; every peak is drawn"))

    def start_filter(self) -> None:
        self.filter.show()
        self.filter.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def end_filter(self) -> None:
        self.filter.clear()
        self.filter.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.smoothing_label.setVisible(self.width() >= _ROOM_FOR_LABEL)
