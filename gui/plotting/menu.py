"""The panel's menu, its file dialogs and its help."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QFileDialog, QMenu, QMessageBox

from core.errors import ExportError
from gui.retranslated import Retranslated

if TYPE_CHECKING:
    from gui.plotting.panel import CurvesPanel


class PanelMenu(Retranslated, QMenu):
    def __init__(self, panel: CurvesPanel) -> None:
        super().__init__(panel)
        self.setObjectName("curves-menu")
        self._panel = panel
        self._fit = self._add(panel.fit)
        self._back = self._add(panel.back)
        self._forward = self._add(panel.forward)
        self.addSeparator()
        self._copy = self._add(panel.copy)
        self._png = self._add(self._ask_for("png", panel.save_png))
        self._svg = self._add(self._ask_for("svg", panel.save_svg))
        self._csv = self._add(self._ask_for("csv", panel.save_csv))
        self.addSeparator()
        self._help = self._add(self.show_help)
        self.retranslate()

    def retranslate(self) -> None:
        self._fit.setText(self.tr("&Fit"))
        self._back.setText(self.tr("&Back"))
        self._forward.setText(self.tr("For&ward"))
        self._copy.setText(self.tr("&Copy picture"))
        self._png.setText(self.tr("Save as &PNG..."))
        self._svg.setText(self.tr("Save as &SVG..."))
        self._csv.setText(self.tr("Save all points as CS&V..."))
        self._help.setText(self.tr("&Keys and mouse"))

    def _add(self, action: Callable[[], None]) -> QAction:
        made = QAction(self)
        made.triggered.connect(lambda _checked=False: action())
        self.addAction(made)
        return made

    def _ask_for(self, kind: str, save: Callable[[str | Path], None]) -> Callable[[], None]:
        def ask() -> None:
            dialog = QFileDialog(self._panel, self.tr("Save curves"), f"curves.{kind}", f"*.{kind}")
            dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
            dialog.setDefaultSuffix(kind)
            dialog.fileSelected.connect(lambda path: self._save(save, path))
            dialog.finished.connect(dialog.deleteLater)
            dialog.open()

        return ask

    def _save(self, save: Callable[[str | Path], None], path: str) -> None:
        try:
            save(path)
        except ExportError as error:
            self._tell(QMessageBox.Icon.Warning, self.tr("Not saved"), error.text)

    def _tell(self, icon: QMessageBox.Icon, title: str, text: str) -> None:
        box = QMessageBox(icon, title, text, QMessageBox.StandardButton.Close, self._panel)
        box.finished.connect(box.deleteLater)
        box.open()

    def show_help(self) -> None:
        self._tell(QMessageBox.Icon.NoIcon, self.tr("Keys and mouse"), help_text())


def help_text() -> str:
    lines = (
        QCoreApplication.translate(
            "Curves", "Left drag: zoom to a box. Double click or 0: show everything."
        ),
        QCoreApplication.translate("Curves", "Wheel: zoom the x axis; with Ctrl: the y axis."),
        QCoreApplication.translate("Curves", "Middle drag, or Shift and left drag: move."),
        QCoreApplication.translate(
            "Curves", "Left and Right: move. + and -: zoom. Backspace: back."
        ),
        QCoreApplication.translate(
            "Curves", "L: log y. S: smoothing. F: follow. /: filter. F1: this help."
        ),
        QCoreApplication.translate(
            "Curves", "Click a name above a plot to hide its curve, twice to see it alone."
        ),
    )
    return "\n".join(lines)
