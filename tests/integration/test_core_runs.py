"""The list of runs tells who looks after each, with real processes (helpers/fakerun.py)."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

from helpers.commandline import maypole
from helpers.fakerun import FakeRun

from core.home import Home
from core.localmachine import LocalMachine
from core.runs import RunSummary, list_runs
from core.watch import Watch, watch
from trainer.rundir import read_json

HERE = LocalMachine()


def listed(run: FakeRun, home: Path) -> RunSummary:
    (summary,) = list_runs(HERE, Home(str(home)))
    assert summary.run_dir == str(run.files.root)
    return summary


def test_that_a_run_whose_supervisor_died_is_not_listed_as_training(
    run: FakeRun, tmp_path: Path
) -> None:
    run.start()
    run.wait_for_size(2)
    assert (listed(run, tmp_path).watch, listed(run, tmp_path).over) == (Watch.SUPERVISED, False)
    assert "training" in maypole(tmp_path, "runs")[1]

    run.kill_supervisor()
    assert listed(run, tmp_path).watch is Watch.UNWATCHED
    _, line, hint = maypole(tmp_path, "runs")
    assert "unwatched" in line
    assert "training" not in line
    assert "attach makes a new one" in hint
    assert json.loads(maypole(tmp_path, "runs", "--json")[1])["watch"] == "unwatched"

    for process in run.members():
        os.kill(process.pid, signal.SIGKILL)
    run.wait_gone()
    assert listed(run, tmp_path).watch is Watch.GONE

    run.attach()
    run.wait_over()
    run.wait(lambda: listed(run, tmp_path).over)
    assert listed(run, tmp_path).watch is Watch.UNKNOWN


def test_that_another_process_with_the_same_number_is_not_the_supervisor(tmp_path: Path) -> None:
    status = {"pid": os.getpid()}
    assert watch(HERE, str(tmp_path / "r1"), status) is Watch.GONE


def test_that_a_driver_of_another_boot_is_gone(run: FakeRun) -> None:
    run.start()
    run.wait_for_size(2)
    run.kill_supervisor()
    noted = read_json(run.files.driver_pid) or {}
    for change, expected in (
        ({}, Watch.UNWATCHED),
        ({"boot": "another"}, Watch.GONE),
        ({"started": 1}, Watch.GONE),
        ({"pid": "1"}, Watch.GONE),
    ):
        run.files.driver_pid.write_text(json.dumps(noted | change))
        status = read_json(run.files.status) or {}
        assert watch(HERE, str(run.files.root), status) is expected
    run.files.driver_pid.write_text(json.dumps(noted))
    run.attach()  # the next supervisor takes over and puts away what the killed one left


def test_that_a_run_without_a_noted_supervisor_is_not_judged(tmp_path: Path) -> None:
    for status in ({}, {"pid": None}, {"pid": "x"}, {"pid": True}):
        assert watch(HERE, str(tmp_path), status) is Watch.UNKNOWN
