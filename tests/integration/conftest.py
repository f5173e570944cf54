from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.commandline import maypole


@pytest.fixture
def maypole_home(tmp_path: Path) -> Iterator[Path]:
    """A MAYPOLE_HOME of its own; a run that a failed test leaves is stopped."""
    yield tmp_path
    maypole(tmp_path, "stop", "last", "--now")
