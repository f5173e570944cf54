"""A supervisor dies, the training does not: the next one takes the run over, and nothing is lost or doubled.

With a fake of driver and workers (helpers/fakerun.py); the same with real ones is in e2e/test_main_job.py.
"""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest
from helpers import fakerun
from helpers.fakerun import FakeRun

from trainer import processes
from trainer.events import (
    Adopted,
    DriverWorkerExited,
    DriverWorkerStarted,
    HostsRequested,
    Resize,
    RunOver,
    RunState,
    Topology,
)
from trainer.rundir import read_json

pytestmark = pytest.mark.timeout(180)

TWO = {"demo-1": 1, "demo-2": 1}
THREE = TWO | {"demo-3": 1}


def assert_nothing_lost_and_nothing_twice(run: FakeRun) -> None:
    numbers = [record.seq for record in run.records()]
    assert numbers == list(range(1, len(numbers) + 1))
    steps = run.steps()
    assert steps == list(range(1, len(steps) + 1))
    for told in (
        [event.generation for event in run.events(Topology)],
        [event.generation for event in run.events(Resize)],
        [(event.host, event.slot, event.rank) for event in run.events(DriverWorkerStarted)],
        [event.outcome for event in run.events(RunOver)],
    ):
        assert len(told) == len(set(told))


def adopted(run: FakeRun) -> fakerun.Attached:
    """The next client brings a supervisor, which takes over and sees the training go on."""
    before = len(run.events(Adopted))
    client = run.attach()
    run.wait(lambda: len(run.events(Adopted)) == before + 1)
    run.wait_for_more_steps(10)
    return client


def test_that_the_next_supervisor_goes_on_where_a_killed_one_was(run: FakeRun) -> None:
    run.start()
    run.wait_for_size(2)
    for _ in range(3):
        run.kill_supervisor()
        client = adopted(run)
    assert client.command("set_hosts", hosts=THREE)["ok"]
    run.wait_for_size(3)
    run.steer("done")
    assert run.wait_over().outcome is RunState.FINISHED
    assert_nothing_lost_and_nothing_twice(run)


def test_that_a_resize_goes_on_without_a_supervisor_and_is_told_once(run: FakeRun) -> None:
    run.start()
    run.wait_for_size(2)
    run.attach().command("set_hosts", hosts=THREE)
    run.kill_supervisor()
    adopted(run)
    run.wait_for_size(3)
    (resize,) = run.wait(lambda: run.events(Resize))
    assert (resize.joined, resize.new_size) == (["demo-3"], 3)
    assert [dict(event.hosts) for event in run.events(HostsRequested)] == [TWO, THREE]
    assert_nothing_lost_and_nothing_twice(run)


def test_that_a_taken_port_is_given_up_for_another(run: FakeRun) -> None:
    run.start()
    run.wait_for_size(2)
    run.kill_supervisor()
    with run.link_port_taken() as port:
        adopted(run)
        assert (read_json(run.files.link) or {})["port"] != port
    assert_nothing_lost_and_nothing_twice(run)


def test_that_a_line_that_was_torn_by_the_end_costs_only_itself(run: FakeRun) -> None:
    run.start()
    run.wait_for_size(2)
    run.kill_supervisor()
    whole = run.records()
    with run.files.journal.open("ab") as journal:
        journal.write(b'{"seq": 999, "time": 17')
    client = adopted(run)
    assert client.records()[: len(whole)] == whole
    assert_nothing_lost_and_nothing_twice(run)


def test_that_a_terminated_supervisor_leaves_the_run_to_the_next(run: FakeRun) -> None:
    run.start()
    run.wait_for_size(2)
    pid, noted = run.supervisor, read_json(run.files.status) or {}
    os.kill(pid, signal.SIGTERM)
    run.wait(lambda: processes.started(pid) < 0)
    assert not Path(noted["socket"]).exists()
    assert run.events(RunOver) == []
    adopted(run)
    assert_nothing_lost_and_nothing_twice(run)


def test_that_two_clients_at_once_bring_one_supervisor(run: FakeRun) -> None:
    run.start()
    run.wait_for_size(2)
    run.kill_supervisor()
    first, second = run.attach(), run.attach()
    assert first.command("ping")["ok"]
    assert second.command("ping")["ok"]
    assert len(run.events(Adopted)) == 1


def test_that_a_stop_survives_the_supervisor_that_was_told(run: FakeRun) -> None:
    run.start()
    run.wait_for_size(2)
    run.steer("paused")  # no commit: the stop cannot be at once
    assert run.attach().command("stop")["ok"]
    run.kill_supervisor()
    run.attach()
    run.wait(lambda: run.events(Adopted))
    run.unsteer("paused")
    assert run.wait_over().outcome is RunState.STOPPED
    run.wait_gone()
    assert_nothing_lost_and_nothing_twice(run)


def test_that_an_end_without_a_supervisor_is_told_by_the_next(run: FakeRun) -> None:
    run.start()
    run.wait_for_size(2)
    run.kill_supervisor()
    run.steer("done")
    run.wait(lambda: run.driver() < 0)
    run.attach()
    assert run.wait_over().outcome is RunState.FINISHED
    assert len(run.events(DriverWorkerExited)) == 2
    assert_nothing_lost_and_nothing_twice(run)


def test_that_a_supervisor_that_is_killed_at_the_end_does_not_hide_it(run: FakeRun) -> None:
    run.start()
    run.wait_for_size(2)
    run.steer("done")
    run.wait(lambda: run.events(DriverWorkerExited))
    run.kill_supervisor()
    client = run.attach()
    assert run.wait_over().outcome is RunState.FINISHED
    run.wait(lambda: client.of("ended"))
    assert_nothing_lost_and_nothing_twice(run)


def test_that_a_driver_that_was_killed_too_is_told_as_that(run: FakeRun) -> None:
    run.start()
    run.wait_for_size(2)
    run.kill_supervisor()
    os.kill(run.driver(), signal.SIGKILL)
    run.attach()
    over = run.wait_over()
    assert over.outcome is RunState.FAILED
    assert "killed" in over.reason
    run.wait_gone()
    assert json.loads(run.files.status.read_text())["state"] == "failed"
