"""The run's state as an icon and a word; more of it in the tool tip."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.events import RunState
from core.runview import StateView
from gui import icons, names, theme, words
from gui.colors import Colors
from gui.phrases import said
from gui.retranslated import Retranslated

_SIGN, _PAD, _GAP, _HEIGHT = 16, 12, 6, 28


class StatusPill(Retranslated, QWidget):
    def __init__(self, colors: Colors, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(names.STATE_PILL)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.colors = colors
        self._state: StateView | None = None
        self._launching = False
        self._show()

    @property
    def state(self) -> RunState | None:
        if self._state is not None:
            return self._state.state
        return RunState.PREPARING if self._launching else None

    def set_state(self, state: StateView | None, launching: bool = False) -> None:
        """``launching``: asked to start, but there is no run to look at yet."""
        if (state, launching) != (self._state, self._launching):
            self._state, self._launching = state, launching
            self._show()

    def set_colors(self, colors: Colors) -> None:
        self.colors = colors
        self.update()

    def text(self) -> str:
        word = words.of_run(self.state).word
        view = self._state
        if view is not None and view.state is RunState.WAITING and view.need:
            return self.tr("{0} {1} / {2} slots").format(word, max(0, view.have), view.need)
        return word

    def _show(self) -> None:
        reason = said(self._state.reason) if self._state else ""
        self.setAccessibleName(self.tr("State of the run: {0}").format(self.text()))
        self.setAccessibleDescription(reason)
        self.setToolTip(f"{self.text()}\n{reason}".strip())
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        width = QFontMetrics(theme.bold(self.font())).horizontalAdvance(self.text())
        return QSize(width + _SIGN + _GAP + 2 * _PAD + 2, _HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        look = words.of_run(self.state)
        color = QColor(self.colors.tone(look.tone))
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(color, 1))
        painter.setBrush(QColor(self.colors.surface))
        painter.drawRoundedRect(area, area.height() / 2, area.height() / 2)
        sign = QRectF(_PAD, (self.height() - _SIGN) / 2, _SIGN, _SIGN)
        icons.paint(painter, look.icon, color.name(), sign)
        painter.setPen(QColor(self.colors.text))
        painter.setFont(theme.bold(self.font()))
        text = self.rect().adjusted(_PAD + _SIGN + _GAP, 0, -_PAD + 2, 0)
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, self.text())
        painter.end()

    def retranslate(self) -> None:
        self._show()
