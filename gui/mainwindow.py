"""The main window: its parts and where they stand. What they do is wired in gui/wiring.py."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QMainWindow,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from gui import icons, names
from gui.actions import Actions
from gui.colors import Colors
from gui.hostboard import HostBoard
from gui.launchpanel import LaunchPanel
from gui.logpanel import LogPanel
from gui.plotting import DARK as DARK_CURVES
from gui.plotting import LIGHT as LIGHT_CURVES
from gui.plotting import CurvesPanel
from gui.problemspanel import ProblemsPanel
from gui.resizespanel import ResizesPanel
from gui.runspanel import RunsPanel
from gui.settings import Settings
from gui.topbar import RunActions, TopBar

CURVES_TAB, LAUNCH_TAB = 0, 1
LOG_TAB, PROBLEMS_TAB, RESIZES_TAB, RUNS_TAB = range(4)
_SIZE = QSize(1440, 900)
_BOARD, _BOTTOM = 384, 184


class MainWindow(QMainWindow):
    """Signals: closing(), when it is closed for good."""

    closing = Signal()

    def __init__(self, colors: Colors, settings: Settings, interfaces: list[str]) -> None:
        super().__init__()
        self.setObjectName("mainWindow")
        self.setWindowIcon(icons.app_icon())
        self._settings = settings
        self.actions_ = Actions(self)
        acts = self.actions_
        self.top = TopBar(
            RunActions(acts.start, acts.stop, acts.stop_now, acts.apply, acts.export), colors
        )
        self.board = HostBoard(colors, acts.add_hosts)
        self.curves = CurvesPanel()
        self.launch = LaunchPanel(interfaces, [acts.open, acts.save])
        self.log = LogPanel(colors)
        self.problems = ProblemsPanel(colors)
        self.resizes = ResizesPanel()
        self.runs = RunsPanel()
        self.centre, self.bottom = QTabWidget(), QTabWidget()
        self._across = QSplitter(Qt.Orientation.Horizontal)
        self._down = QSplitter(Qt.Orientation.Vertical)
        self._build()
        self.set_colors(colors)
        self.retranslate()
        self._restore()
        self.board.available.setFocus()

    # ---- building -----------------------------------------------------------------------------

    def _build(self) -> None:
        self.board.setMinimumWidth(312)
        self._fill_tabs()
        centre, bottom = _surface(self.centre), _surface(self.bottom)
        centre.setMinimumHeight(240)
        bottom.setMinimumHeight(120)
        self._down.addWidget(centre)
        self._down.addWidget(bottom)
        self._down.setStretchFactor(0, 1)
        self._across.addWidget(self.board)
        self._across.addWidget(self._down)
        self._across.setStretchFactor(1, 1)
        for split in (self._across, self._down):
            split.setHandleWidth(8)
            split.setChildrenCollapsible(False)
        body = QHBoxLayout()
        body.setContentsMargins(16, 0, 16, 16)
        body.addWidget(self._across)
        whole = QWidget()
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.top)
        column.addLayout(body, 1)
        self.setCentralWidget(whole)
        self.setMinimumSize(1000, 600)

    def _fill_tabs(self) -> None:
        self.centre.setObjectName(names.CENTRE_TABS)
        self.bottom.setObjectName(names.BOTTOM_TABS)
        curves = QWidget()
        curves.setObjectName(names.CURVES_PAGE)
        column = QVBoxLayout(curves)
        column.setContentsMargins(8, 4, 8, 8)
        column.addWidget(self.curves)
        for tabs, pages in (
            (self.centre, (curves, self.launch)),
            (self.bottom, (self.log, self.problems, self.resizes, self.runs)),
        ):
            tabs.setDocumentMode(True)
            tabs.tabBar().setExpanding(False)
            tabs.tabBar().setDrawBase(False)
            for page in pages:
                tabs.addTab(page, "")

    # ---- showing ------------------------------------------------------------------------------

    def set_colors(self, colors: Colors) -> None:
        for part in (self.top, self.board, self.log, self.problems):
            part.set_colors(colors)
        self.curves.set_theme(DARK_CURVES if colors.dark else LIGHT_CURVES)

    def show_tab(self, place: int) -> None:
        self.centre.setCurrentIndex(place)

    def show_bottom(self, place: int) -> None:
        self.bottom.setCurrentIndex(place)

    def show_counts(self, problems: int, resizes: int) -> None:
        """Beside the names of the tabs; nothing for none."""
        self._problems, self._resizes = problems, resizes
        numbered: Callable[[str, int], str] = lambda word, n: f"{word} {n:,}" if n else word  # noqa: E731
        self.bottom.setTabText(PROBLEMS_TAB, numbered(self.tr("Problems"), problems))
        self.bottom.setTabText(RESIZES_TAB, numbered(self.tr("Resizes"), resizes))

    _problems = _resizes = 0

    def retranslate(self) -> None:
        self.actions_.retranslate()
        self.centre.setTabText(CURVES_TAB, self.tr("Curves"))
        self.centre.setTabText(LAUNCH_TAB, self.tr("Launch"))
        self.centre.setAccessibleName(self.tr("Curves and launch panel"))
        self.bottom.setTabText(LOG_TAB, self.tr("Log"))
        self.bottom.setTabText(RUNS_TAB, self.tr("Runs"))
        self.bottom.setAccessibleName(self.tr("Log, problems, resizes and runs"))
        self.show_counts(self._problems, self._resizes)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()
        super().changeEvent(event)

    # ---- coming and going ---------------------------------------------------------------------

    def _restore(self) -> None:
        self.resize(_SIZE)
        self._across.setSizes([_BOARD, _SIZE.width() - _BOARD])
        self._down.setSizes([_SIZE.height() - _BOTTOM, _BOTTOM])
        geometry = self._settings.shape("geometry")
        if not geometry.isEmpty():
            self.restoreGeometry(geometry)
            self._across.restoreState(self._settings.shape("across"))
            self._down.restoreState(self._settings.shape("down"))

    def closeEvent(self, event: QCloseEvent) -> None:
        self._settings.set_shape("geometry", self.saveGeometry())
        self._settings.set_shape("across", self._across.saveState())
        self._settings.set_shape("down", self._down.saveState())
        self._settings.sync()
        self.closing.emit()
        super().closeEvent(event)


def _surface(content: QWidget) -> QFrame:
    frame = QFrame()
    frame.setObjectName("surface")
    column = QVBoxLayout(frame)
    column.setContentsMargins(0, 4, 0, 0)
    column.addWidget(content)
    return frame
