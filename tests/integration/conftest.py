from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import fakerun
from helpers.commandline import maypole
from helpers.fakerun import FakeRun


@pytest.fixture
def maypole_home(tmp_path: Path) -> Iterator[Path]:
    """A MAYPOLE_HOME of its own; a run that a failed test leaves is stopped."""
    yield tmp_path
    maypole(tmp_path, "stop", "last", "--now")


@pytest.fixture(scope="session")
def fake_bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return fakerun.build(tmp_path_factory.mktemp("bundle"))


@pytest.fixture
def run(tmp_path: Path, fake_bundle: Path) -> Iterator[FakeRun]:
    """Not begun yet; ended in any case."""
    with fakerun.fake_run(tmp_path, fake_bundle) as run:
        yield run
