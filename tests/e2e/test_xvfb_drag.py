"""A real mouse on a virtual screen moves cards; and pictures of the window in all its looks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.screen import screen

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "tests" / "helpers" / "programs"
PICTURES = ROOT / "test-artifacts"


def run(program: str, folder: Path) -> str:
    PICTURES.mkdir(exist_ok=True)
    with screen() as display:
        done = subprocess.run(
            [sys.executable, str(PROGRAMS / program), str(folder), str(PICTURES)],
            env={**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "LANG": "C.UTF-8"},
            capture_output=True, text=True, timeout=150, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.mark.slow
@pytest.mark.xvfb
@pytest.mark.timeout(180)
def test_that_a_real_mouse_and_keys_move_hosts(tmp_path: Path) -> None:
    facts = json.loads(run("mouse_board.py", tmp_path).splitlines()[-1])
    assert facts["platform"] == "xcb"
    assert facts["one_card"] == ["demo-1", "demo-2", "demo-3"]
    assert facts["two_cards"] == ["demo-1", "demo-2", "demo-3", "demo-4", "demo-5"]
    assert facts["back"] == ["demo-2", "demo-3", "demo-4", "demo-5"]
    assert facts["command"] == {f"demo-{n}": 1 for n in range(1, 7)}


@pytest.mark.slow
@pytest.mark.xvfb
@pytest.mark.timeout(180)
def test_that_the_window_has_its_picture_taken_in_every_look(tmp_path: Path) -> None:
    names = run("window_pictures.py", tmp_path).split()
    assert len(names) == 13
    for name in names:
        assert (PICTURES / name).stat().st_size > 20_000, name
