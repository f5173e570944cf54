"""A script as the Elastic Horovod guide has it, without a word about Maypole, under the real supervisor."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import pytest
from helpers.linklab import ROOT
from helpers.realrun import RealRun, real_run, world_sizes

from trainer.events import (
    Batch,
    EpochEnd,
    Problem,
    Resize,
    RunState,
    Topology,
    WorkerJoined,
)

pytestmark = [pytest.mark.slow, pytest.mark.horovod, pytest.mark.timeout(600)]

GUIDE = ROOT / "tests" / "data" / "guide_script.py"
EPOCHS, BATCH_SIZE, STEPS_PER_EPOCH, LEARNING_RATE = 3, 16, 500, 1.0
"""As in the script."""


def test_that_the_guides_script_grows_loses_its_rank_0_and_is_plotted(tmp_path: Path) -> None:
    assert "maypole" not in GUIDE.read_text().lower()
    with real_run(tmp_path) as run:
        run.start(script=run.use(GUIDE), script_args=(str(EPOCHS),))
        first = grow_and_shrink(run)
        over = run.wait_over()
        run.wait(lambda: not run.workers(), "a worker stays")

        assert (over.outcome, over.left_behind) == (RunState.FINISHED, [])
        assert [p for p in run.events(Problem) if p.severity == "error"] == []
        assert_one_topology_for_each_world(run, first)
        assert_every_step_is_there_once(run.batches())
        assert_an_epoch_starts_again_only_with_a_reset(run.batches())
        for batch in run.batches():
            assert batch.lr == pytest.approx(LEARNING_RATE * batch.size)
            assert set(batch.metrics) == {"loss", "accuracy"}
            assert all(math.isfinite(value) for value in batch.metrics.values())
        assert [end.epoch for end in run.events(EpochEnd)][-1] == EPOCHS
        assert run.batches()[-1].epoch == pytest.approx(EPOCHS)
        difference = run.final_export().max_difference
        assert difference is not None
        assert difference <= 1e-6


def grow_and_shrink(run: RealRun) -> str:
    """2 -> 3 -> 2 workers; the host of rank 0 leaves. Gives its name."""
    client = run.attach()
    run.wait_for_size(2, batches=10)
    run.set_hosts(client, "demo-1", "demo-2", "demo-3")
    run.wait_for_size(3, batches=10)
    first = run.host_of_rank_zero()
    run.set_hosts(client, *({"demo-1", "demo-2", "demo-3"} - {first}))
    run.wait_for_size(2, batches=10)
    return first


def assert_one_topology_for_each_world(run: RealRun, leaver: str) -> None:
    topologies: list[Topology] = run.events(Topology)
    assert [(t.generation, t.size) for t in topologies] == [(0, 2), (1, 3), (2, 2)]
    assert leaver not in {member.host for member in topologies[2].members}
    assert len(run.events(WorkerJoined)) == 3
    resizes: list[Resize] = run.events(Resize)
    told = [(r.generation, r.cause, r.joined, r.left, r.repeated_steps) for r in resizes]
    assert told == [(1, "hosts", ["demo-3"], [], 0), (2, "hosts", [], [leaver], 0)]
    for resize in resizes:
        times = (
            resize.requested,
            resize.discovered,
            resize.committed,
            resize.rendezvous,
            resize.synced,
            resize.first_step,
        )
        assert None not in times
        assert sorted(times) == list(times)  # type: ignore[type-var]


def assert_every_step_is_there_once(batches: list[Batch]) -> None:
    """Hosts came and went at commits, so Horovod rolled nothing back and repeated no step."""
    assert [batch.step for batch in batches] == list(range(1, len(batches) + 1))
    assert world_sizes(batches) == [2, 3, 2]
    samples = 0
    for batch in batches:
        samples += batch.size * BATCH_SIZE
        assert batch.samples == samples


def assert_an_epoch_starts_again_only_with_a_reset(batches: list[Batch]) -> None:
    """What Horovod really repeats: after a reset the guide's fit starts the epoch that it was in anew."""
    epoch = done = 0
    for before, batch in pairwise([None, *batches]):
        assert batch is not None
        if before is not None and before.size != batch.size:
            done = 0
        done += 1
        steps = STEPS_PER_EPOCH // batch.size
        assert batch.epoch == pytest.approx(epoch + done / steps)
        if done == steps:
            epoch, done = epoch + 1, 0
