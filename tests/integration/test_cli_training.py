"""The command line with a real training: start, follow, grow, detach, come back, take the model home."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.linklab import ROOT, wait_until

from core.events import Batch, RunOver, RunState, Topology
from core.profilefile import builtin, save
from trainer.events import Record, record_from_wire

pytestmark = [pytest.mark.slow, pytest.mark.horovod, pytest.mark.timeout(300)]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A MAYPOLE_HOME of its own; a run that a failed test leaves is stopped."""
    yield tmp_path
    maypole(tmp_path, "stop", "last", "--now")


def start(home: Path, *words: str) -> subprocess.Popen[str]:
    environ = os.environ | {"MAYPOLE_HOME": str(home), "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-m", "gui", *words],
        stdout=pipe, stderr=pipe, stdin=subprocess.DEVNULL, text=True, env=environ, cwd=home,
    )  # fmt: skip


def maypole(home: Path, *words: str) -> tuple[int, str, str]:
    with start(home, *words) as process:
        stdout, stderr = process.communicate(timeout=240)
    return process.returncode, stdout, stderr


def records(text: str) -> list[Record]:
    return [record_from_wire(json.loads(line)) for line in text.splitlines()]


def read_until(process: subprocess.Popen[str], kind: type, size: int) -> None:
    """Reads the events of ``process`` up to one of ``kind`` at this world size."""

    def seen() -> bool:
        assert process.stdout is not None
        event = record_from_wire(json.loads(process.stdout.readline())).event
        return isinstance(event, kind) and getattr(event, "size", 0) == size

    wait_until(seen, f"no {kind.__name__} with {size} workers", 120)


def test_that_a_training_is_started_grown_left_and_taken_home(home: Path) -> None:
    profile = home / "digits.toml"
    save(profile, replace(builtin("rehearsal"), script_args=("--epochs", "20")))
    with start(home, "run", str(profile), "--json") as process:
        read_until(process, Batch, 2)
        status, _, stderr = maypole(home, "hosts", "last", "demo-1:1", "demo-2:1", "demo-3:1")
        assert status == 0, stderr
        read_until(process, Topology, 3)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "the run goes on" in stderr

    status, stdout, stderr = maypole(home, "attach", "last", "--json")
    assert status == 0, stderr
    told = records(stdout)
    assert [record.seq for record in told] == list(range(1, len(told) + 1))
    steps = [record.event.step for record in told if isinstance(record.event, Batch)]
    assert sorted(set(steps)) == list(range(1, max(steps) + 1))
    (end,) = [record.event for record in told if isinstance(record.event, RunOver)]
    assert (end.outcome, end.left_behind) == (RunState.FINISHED, [])

    status, stdout, stderr = maypole(home, "export", "last", "model")
    assert status == 0, stderr
    assert (home / "model" / "saved_model.pb").exists()
    assert "predictions differ by at most" in stdout
