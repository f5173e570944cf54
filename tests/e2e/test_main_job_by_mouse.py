"""The main job with a real mouse on a virtual screen, once. Its picture stays in test-artifacts/."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.mainjob import missing_and_double
from helpers.screen import screen

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "tests" / "helpers" / "programs" / "mouse_main_job.py"
PICTURES = ROOT / "test-artifacts"


@pytest.mark.slow
@pytest.mark.horovod
@pytest.mark.xvfb
@pytest.mark.timeout(900)
def test_that_a_real_mouse_drags_hosts_into_and_out_of_a_training(tmp_path: Path) -> None:
    PICTURES.mkdir(exist_ok=True)
    picture = PICTURES / "xvfb-screen.png"
    picture.unlink(missing_ok=True)
    with screen() as display:
        done = subprocess.run(
            [sys.executable, str(PROGRAM), str(tmp_path), str(PICTURES)],
            env={**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"},
            capture_output=True, text=True, timeout=800, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    facts = json.loads(done.stdout.splitlines()[-1])
    assert facts["platform"] == "xcb"
    assert facts["sizes"] == [2, 3, 2]
    missing, double = missing_and_double(facts["steps"])
    assert missing == []
    assert len(double) == facts["repeated"]
    assert facts["outcome"] == "stopped"
    assert facts["max_difference"] <= 1e-6
    assert facts["left_behind"] == []
    assert picture.stat().st_size > 10_000
