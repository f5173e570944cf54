"""An iterator's end holds up no worker (trainer/work/iterators.py)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from helpers.elastic_job import REPOSITORY

pytestmark = [pytest.mark.slow, pytest.mark.horovod, pytest.mark.timeout(300)]

PROGRAM = Path(__file__).parent.parent / "helpers/programs/busy_iterator.py"


def test_that_a_pipeline_that_cannot_end_yet_does_not_hold_up_its_worker() -> None:
    """Plain TensorFlow hangs there for ever, because it waits while it holds Python's global lock."""
    words = [sys.executable, "-m", "trainer", "work", "--", str(PROGRAM)]
    done = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-3:] == ["first 0", "dropped", "again 0"]
    assert "maypole: iterators" not in done.stderr
