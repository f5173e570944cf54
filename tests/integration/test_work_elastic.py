"""Real elastic runs: what the workers tell while hosts come and go."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from helpers.elastic_job import REPOSITORY, ElasticJob

from trainer import corrections
from trainer.events import (
    Batch,
    EpochEnd,
    TrainBegin,
    WorkerExported,
    WorkerFinished,
    WorkerJoined,
    WorkerPhase,
    WorkerRanked,
)

pytestmark = [pytest.mark.slow, pytest.mark.horovod, pytest.mark.timeout(400)]

GUIDE = REPOSITORY / "tests" / "data" / "guide_script.py"


@pytest.fixture
def jobs(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    started: list[ElasticJob] = []

    def make(script: str, *args: str, **options: Any) -> ElasticJob:
        started.append(ElasticJob(tmp_path / f"run{len(started)}", script, *args, **options))
        return started[-1]

    yield make
    for job in started:
        job.close()
        print(job.text()[-6000:])


def grow_and_shrink(job: ElasticJob, alone: int = 30) -> list[Batch]:
    """1 -> 2 -> 1 workers; it is the host of rank 0 that leaves. Then to the end."""
    job.start("demo-1")
    job.wait_for_size(1, batches=alone)
    job.set_hosts("demo-1", "demo-2")
    job.wait_for_size(2, batches=40)
    job.set_hosts("demo-2")
    job.wait_for_size(1, batches=5)
    assert job.wait() == 0
    return job.collector.of(Batch)


def assert_every_step_is_there_once(batches: list[Batch]) -> None:
    """Nothing failed, so Horovod repeated no step."""
    assert [batch.step for batch in batches] == list(range(1, len(batches) + 1))


def assert_samples_add_up(batches: list[Batch], batch_size: int) -> None:
    total = 0
    for batch in batches:
        total += batch.size * batch_size
        assert batch.samples == total


def world_sizes(batches: list[Batch]) -> list[int]:
    changes = [batches[0].size]
    for before, after in pairwise(batches):
        if after.size != before.size:
            changes.append(after.size)
    return changes


def verified(folder: Path) -> dict[str, Any]:
    result = subprocess.run(
        [sys.executable, "-m", "trainer", "verify", str(folder)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        timeout=120,
        check=False,
    )
    answer: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return answer


def test_that_digits_grows_loses_its_rank_0_and_tells_every_step(jobs: Any) -> None:
    job = jobs("maypole:digits", "--epochs", "10", "--pace", "0.01")
    batches = grow_and_shrink(job)

    assert world_sizes(batches) == [1, 2, 1]
    assert_every_step_is_there_once(batches)
    assert_samples_add_up(batches, batch_size=32)
    assert all(batch.lr == pytest.approx(0.001 * batch.size) for batch in batches)
    assert all({"loss", "accuracy"} == set(batch.metrics) for batch in batches)
    assert all(0 < batch.epoch <= 10 for batch in batches)
    assert [end.epoch for end in job.collector.of(EpochEnd)] == list(range(1, 11))
    assert {begin.epochs for begin in job.collector.of(TrainBegin)} == {10}
    assert [begin.steps_per_epoch for begin in job.collector.of(TrainBegin)] == [60, 30, 60]
    last = job.collector.of(EpochEnd)[-1]
    assert last.metrics["val_accuracy"] >= 0.97

    joined = [event.worker for event in job.collector.of(WorkerJoined)]
    assert [worker.partition("[")[0] for worker in joined] == ["demo-1", "demo-2"]
    ranked = [(e.worker, e.reset, e.rank, e.size) for e in job.collector.of(WorkerRanked)]
    assert sorted(ranked) == sorted(
        [
            (joined[0], 0, 0, 1),
            (joined[0], 1, 0, 2),
            (joined[1], 0, 1, 2),
            (joined[1], 1, 0, 1),
        ]
    )
    phases = [(e.worker, e.phase) for e in job.collector.of(WorkerPhase)]
    whole = ["interrupted", "shutdown", "initialised", "synced"]
    assert phases[:4] == [(joined[0], phase) for phase in whole]
    assert phases[4:] == [
        *((joined[0], phase) for phase in whole[:2]),
        *((joined[1], phase) for phase in whole[2:]),
    ]

    finished = {event.worker: event.outcome for event in job.collector.of(WorkerFinished)}
    assert finished == {joined[0]: "removed", joined[1]: "completed"}
    (exported,) = job.collector.of(WorkerExported)
    assert (exported.worker, exported.error, exported.step) == (joined[1], "", batches[-1].step)
    answer = verified(Path(exported.path))
    assert answer["ok"] and answer["max_difference"] <= 1e-6


def test_that_a_script_of_the_guide_runs_grows_and_shrinks_without_knowing_us(jobs: Any) -> None:
    text = GUIDE.read_text()
    assert "maypole" not in text.lower()
    job = jobs(str(GUIDE), "6")
    batches = grow_and_shrink(
        job, alone=510
    )  # the first rank 0 writes a checkpoint at its epoch's end

    assert world_sizes(batches) == [1, 2, 1]
    assert_every_step_is_there_once(batches)
    assert_samples_add_up(batches, batch_size=16)
    assert all(batch.lr == pytest.approx(1.0 * batch.size) for batch in batches)
    assert [begin.steps_per_epoch for begin in job.collector.of(TrainBegin)] == [500, 250, 500]
    assert job.collector.of(EpochEnd)[-1].epoch == 6
    assert batches[-1].epoch == pytest.approx(6.0)
    assert verified(Path(job.collector.of(WorkerExported)[-1].path))["ok"]
    assert list((job.home / "work").glob("checkpoint-*.h5"))


def send(job: ElasticJob, message: dict[str, Any]) -> None:
    """To every worker, as the supervisor may: only rank 0 acts on it."""
    for worker in job.collector.server.workers():
        assert job.collector.server.send(worker, message)


def test_that_two_workers_export_and_stop_at_a_commit(jobs: Any, tmp_path: Path) -> None:
    job = jobs("maypole:digits", "--epochs", "1000", "--pace", "0.01")
    job.start("demo-1", "demo-2")
    job.wait_for_size(2, batches=20)
    target = tmp_path / "taken" / "home"
    send(job, {"type": "export", "request": "r1", "path": str(target)})
    (first,) = job.collector.wait(lambda: job.collector.of(WorkerExported), "the export")
    assert (first.request, first.path, first.error) == ("r1", str(target), "")
    job.wait_for_size(2, batches=5)
    send(job, {"type": "stop"})

    assert job.wait() == 0
    job.collector.wait(
        lambda: len(job.collector.of(WorkerFinished)) == 2, "both workers' last words"
    )
    assert {event.outcome for event in job.collector.of(WorkerFinished)} == {"stopped"}
    last = job.collector.of(WorkerExported)[-1]
    assert (last.request, last.error, last.step) == ("final", "", job.collector.of(Batch)[-1].step)
    for folder in (target, Path(last.path)):
        answer = verified(folder)
        assert answer["ok"] and answer["max_difference"] <= 1e-6, answer


def test_that_a_killed_worker_is_told_as_a_roll_back(jobs: Any) -> None:
    """Plain horovodrun. The survivor goes back to its last commit and trains to the end."""
    job = jobs("maypole:digits", "--epochs", "6", "--pace", "0.01", stock=True)
    job.start("demo-1", "demo-2")
    job.wait_for_size(2, batches=20)
    victim = next(e for e in job.collector.of(WorkerRanked) if e.rank == 1).worker
    pid = next(e.pid for e in job.collector.of(WorkerJoined) if e.worker == victim)
    os.kill(pid, signal.SIGKILL)

    assert job.wait() == 0
    batches = job.collector.of(Batch)
    assert world_sizes(batches) == [2, 1]
    at = next(i for i, batch in enumerate(batches) if batch.size == 1)
    repeated = batches[at - 1].step + 1 - batches[at].step
    assert 0 <= repeated <= 1  # a commit after every batch
    kept = [batch for batch in batches[:at] if batch.step < batches[at].step] + batches[at:]
    assert_every_step_is_there_once(kept)
    assert_samples_add_up(kept, batch_size=32)
    survivor = batches[-1].worker
    phases = [e.phase for e in job.collector.of(WorkerPhase) if e.worker == survivor]
    assert phases == ["failed", "shutdown", "initialised", "synced"]
    finished = {event.worker: event.outcome for event in job.collector.of(WorkerFinished)}
    assert finished == {survivor: "completed"}


def test_that_a_spare_moves_up_when_a_host_leaves(jobs: Any) -> None:
    """Stock Horovod hangs here for ever: the old worker skips the sync that the new one waits in."""
    job = jobs("maypole:digits", "--epochs", "1000", "--pace", "0.01", max_np=2)
    job.start("demo-1", "demo-2")
    job.wait_for_size(2, batches=10)
    job.set_hosts("demo-1", "demo-2", "demo-3")
    job.wait_for_size(2, batches=60)
    before = {event.worker for event in job.collector.of(WorkerJoined)}
    leaver = next(e.worker for e in job.collector.of(WorkerRanked) if e.rank == 1)
    stays = ({"demo-1", "demo-2"} - {leaver.partition("[")[0]}).pop()
    job.set_hosts(stays, "demo-3")
    job.collector.wait(lambda: len(job.collector.of(WorkerJoined)) == 3, "the spare")
    known = len(job.collector.of(Batch))
    job.collector.wait(lambda: len(job.collector.of(Batch)) > known + 20, "batches with the spare")
    (spare,) = {event.worker for event in job.collector.of(WorkerJoined)} - before
    assert spare.startswith("demo-3[0]")
    assert job.collector.of(Batch)[-1].size == 2
    send(job, {"type": "stop"})
    assert job.wait() == 0


def test_that_a_host_that_cannot_be_reached_does_not_end_the_training(jobs: Any) -> None:
    """Stock Horovod aborts every worker. On a corrected build the survivors initialise again."""
    if corrections.SOFT_INIT not in corrections.installed():
        pytest.skip("needs a Horovod built with the correction soft-init")
    job = jobs("maypole:digits", "--epochs", "1000", "--pace", "0.01")
    job.start("demo-1")
    job.wait_for_size(1, batches=10)
    job.set_hosts("demo-1", "bad-1")
    job.collector.wait(lambda: len(job.collector.of(TrainBegin)) == 2, "the training to go on")
    job.wait_for_size(1, batches=30)
    assert "trying again" in job.text()
    assert_every_step_is_there_once(job.collector.of(Batch))
    send(job, {"type": "stop"})
    assert job.wait() == 0


FAILING = """
import horovod.tensorflow.keras as hvd
import tensorflow as tf
hvd.init()
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])
model.compile("sgd", "mse")
state = hvd.elastic.KerasState(model, epoch=0)

@hvd.elastic.run
def train(state):
    raise tf.errors.UnknownError(None, None, "the disk of the cat pictures is gone")

train(state)
print("this script thinks that all is well")
"""


def test_that_an_error_that_horovod_swallows_fails_the_run(jobs: Any, tmp_path: Path) -> None:
    script = tmp_path / "failing.py"
    script.write_text(FAILING)
    job = jobs(str(script))
    job.start("demo-1")

    assert job.wait() != 0
    (finished,) = job.collector.of(WorkerFinished)
    assert finished.outcome == "error"
    assert "cat pictures" in finished.text
    assert "all is well" not in job.text()
    assert "elastic_fixes.py" not in job.text(), "our frames are in the user's traceback"
