"""Live curves. The only folder that knows pyqtgraph."""

import os

# pyqtgraph takes PyQt6 where both are installed, unless told.
os.environ.setdefault("PYQTGRAPH_QT_LIB", "PySide6")

from gui.plotting.panel import CurvesPanel
from gui.plotting.theme import DARK, LIGHT, Theme

__all__ = ["DARK", "LIGHT", "CurvesPanel", "Theme"]
