"""The command line with a real training: start, follow, grow, detach, come back, take the model home."""

from __future__ import annotations

import signal
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.commandline import maypole, read_until, records, start

from core.events import Batch, RunOver, RunState, Topology
from core.profilefile import builtin, save

pytestmark = [pytest.mark.slow, pytest.mark.horovod, pytest.mark.timeout(300)]


def test_that_a_training_is_started_grown_left_and_taken_home(maypole_home: Path) -> None:
    profile = maypole_home / "digits.toml"
    save(profile, replace(builtin("rehearsal"), script_args=("--epochs", "20")))
    with start(maypole_home, "run", str(profile), "--json") as process:
        read_until(process, Batch, 2)
        status, _, stderr = maypole(
            maypole_home, "hosts", "last", "demo-1:1", "demo-2:1", "demo-3:1"
        )
        assert status == 0, stderr
        read_until(process, Topology, 3)
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
        assert process.returncode == 130
        assert "the run goes on" in stderr

    status, stdout, stderr = maypole(maypole_home, "attach", "last", "--json")
    assert status == 0, stderr
    told = records(stdout)
    assert [record.seq for record in told] == list(range(1, len(told) + 1))
    steps = [record.event.step for record in told if isinstance(record.event, Batch)]
    assert sorted(set(steps)) == list(range(1, max(steps) + 1))
    (end,) = [record.event for record in told if isinstance(record.event, RunOver)]
    assert (end.outcome, end.left_behind) == (RunState.FINISHED, [])

    status, stdout, stderr = maypole(maypole_home, "export", "last", "model")
    assert status == 0, stderr
    assert (maypole_home / "model" / "saved_model.pb").exists()
    assert "predictions differ by at most" in stdout
