"""A whole window over a fake engine, offscreen, with settings of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.qtwindow import Desk, open_desk
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot


@pytest.fixture
def desk(qapp: QApplication, qtbot: QtBot, tmp_path: Path) -> Iterator[Desk]:
    made = open_desk(qapp, qtbot, tmp_path)
    yield made
    made.put_away()
