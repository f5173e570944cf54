"""kill -9 of a real run's supervisor: the training goes on, and the next supervisor has every point once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.linklab import ROOT
from helpers.realrun import RealRun, real_run

from trainer.events import Adopted, EpochEnd, Problem, RunState, Topology, WorkerJoined
from trainer.rundir import read_json

pytestmark = [pytest.mark.slow, pytest.mark.horovod, pytest.mark.timeout(600)]

WITNESS = ROOT / "tests" / "data" / "witness.py"
Point = tuple[int, float, float]


def test_that_two_killed_supervisors_cost_no_point_and_no_training(tmp_path: Path) -> None:
    """Killed in mid-run, with the port of its link taken; and again, until the training is done."""
    with real_run(tmp_path) as run:
        run.start(script=run.use(WITNESS), script_args=("--pace", "0.02"))
        run.wait_for_size(2, batches=20)
        workers = {process.pid for process in run.workers()}

        run.kill_supervisor()
        with run.link_port_taken() as port:
            train_on_alone(run, 100)
            assert run.events(Adopted) == []
            client = run.attach()
            run.wait(lambda: run.events(Adopted), "nobody adopts the run")
            run.wait_for_more_steps(50)
        assert (read_json(run.files.link) or {})["port"] != port
        assert {process.pid for process in run.workers()} == workers
        assert client.command("ping")["ok"]

        run.kill_supervisor()
        run.wait(lambda: not run.workers(), "the training does not end without a supervisor")
        run.attach()
        over = run.wait_over()
        assert len(run.events(Adopted)) == 2
        assert (over.outcome, over.left_behind) == (RunState.FINISHED, [])
        assert_told_once(run)
        assert_learned(run)
        assert_a_torn_line_costs_only_itself(run)


def notebook(run: RealRun) -> list[Point]:
    lines = (run.work / "notebook").read_text().splitlines()
    return [tuple(json.loads(line)) for line in lines]


def train_on_alone(run: RealRun, steps: int) -> None:
    """By rank 0's own notebook: no supervisor lives that could tell."""
    goal = len(notebook(run)) + steps
    before = run.records()
    run.wait(lambda: len(notebook(run)) >= goal, "the training does not go on")
    assert run.records() == before


def assert_told_once(run: RealRun) -> None:
    """The journal has what rank 0 wrote down, value by value; and each number of each worker once."""
    points = [(b.step, b.metrics["loss"], b.metrics["accuracy"]) for b in run.batches()]
    assert points == notebook(run)
    assert [step for step, *_ in points] == list(range(1, 24 * 30 + 1))
    assert [record.seq for record in run.records()] == list(range(1, len(run.records()) + 1))
    for joined in run.events(WorkerJoined):
        numbers = [record.n for record in run.records() if record.worker == joined.worker]
        assert numbers == list(range(1, len(numbers) + 1))
    assert len(run.events(WorkerJoined)) == 2
    assert len(run.events(Topology)) == 1
    assert [p for p in run.events(Problem) if p.severity == "error"] == []


def assert_learned(run: RealRun) -> None:
    """digits in its default settings, and the model as its user gets it."""
    last: EpochEnd = run.events(EpochEnd)[-1]
    assert last.epoch == 24
    assert last.metrics["val_accuracy"] >= 0.97
    export = run.final_export()
    assert export.step == last.step
    assert export.max_difference is not None
    assert export.max_difference <= 1e-6


def assert_a_torn_line_costs_only_itself(run: RealRun) -> None:
    """Of a run that is over: its files are all there is."""
    whole = run.records()
    with run.files.journal.open("ab") as journal:
        journal.write(b'{"seq": 999999, "time": 17')
    client = run.attach()
    run.wait(lambda: client.of("ended"), "the end is not told")
    assert client.records() == whole
