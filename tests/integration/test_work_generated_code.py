"""A killed worker leaves nothing of TensorFlow's in the temp folder (trainer/work/generated_code.py)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.elastic_job import REPOSITORY

pytestmark = [pytest.mark.slow, pytest.mark.horovod, pytest.mark.timeout(300)]

PROGRAM = Path(__file__).parent.parent / "helpers/programs/generated_code.py"


def test_that_a_killed_worker_leaves_no_generated_code(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "trainer", "work", "--", str(PROGRAM)]
    environ = {**os.environ, "TMPDIR": str(tmp_path), "CUDA_VISIBLE_DEVICES": "-1"}
    done = subprocess.run(
        words, cwd=REPOSITORY, env=environ, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    said = dict(line.split(" ", 1) for line in done.stdout.splitlines()[-3:])
    assert said["total"] == "6" and said["code"] == "True"
    # AutoGraph still leads back to the script's own line.
    assert "in user code: File" in said["error"] and "generated_code.py" in said["error"]
    assert "raised while it is converted" in said["error"]
    assert [path.name for path in tmp_path.rglob("*")] == []
