"""Scenarios on the real ElasticDriver with fake workers: no TensorFlow is started."""

from __future__ import annotations

import base64
import os
import pickle
import signal
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.drivejob import DriveJob

from trainer.events import (
    DriverAssigned,
    DriverBlacklisted,
    DriverDiscovered,
    DriverNotified,
    DriverPollFailed,
    DriverReady,
    DriverStopping,
    DriverWaiting,
    DriverWhitelisted,
    DriverWorkerExited,
    DriverWorkerReady,
    DriverWorkerStarted,
    Member,
)

pytest.importorskip("horovod.runner", reason="needs Horovod's runner; TensorFlow is not started")
pytestmark = pytest.mark.slow

TWO = {"demo-1": 1, "demo-2": 1}
THREE = {**TWO, "demo-3": 1}


@pytest.fixture
def job(tmp_path: Path) -> Iterator[DriveJob]:
    job = DriveJob(tmp_path, TWO)
    yield job
    job.close()
    assert job.left_behind() == []


def trains(job: DriveJob, size: int, times: int = 1) -> None:
    job.wait_log(f"size {size}", size * times)


def test_that_a_host_is_added_and_rank_0s_host_is_removed(job: DriveJob) -> None:
    job.start(2, "--min-np", "1")
    trains(job, 2)
    assert job.wait_event(DriverAssigned).members == [
        Member(0, "demo-1", 0),
        Member(1, "demo-2", 0),
    ]

    job.set_hosts(THREE)
    job.wait_event(DriverDiscovered, hosts=THREE)
    job.wait_event(DriverNotified, delivered=True)
    job.wait_event(DriverWorkerReady, host="demo-2", slot=0)
    job.wait_event(DriverWorkerStarted, host="demo-3", slot=0, rank=2)
    trains(job, 3)

    before = len(job.events())
    job.set_hosts({"demo-2": 1, "demo-3": 1})
    left = job.wait_event(DriverWorkerExited, host="demo-1")
    assert (left.exit_code, left.assigned) == (134, False)
    assigned = job.wait_event(DriverAssigned, after=before)
    assert assigned.members == [Member(0, "demo-2", 0), Member(1, "demo-3", 0)]

    job.wait_log("[demo-3[0]#2]<stdout>:rank 1 size 2")
    job.finish()
    assert job.wait_end() == 0
    assert job.wait_event(DriverStopping).reason == "a worker has ended with success"


def test_that_a_spare_beyond_max_np_waits_and_moves_up_with_a_sync(job: DriveJob) -> None:
    job.start(2, "--min-np", "1", "--max-np", "2")
    trains(job, 2)
    before = len(job.events())
    job.set_hosts(THREE)
    job.wait_event(DriverDiscovered, hosts=THREE)
    job.set_hosts({"demo-2": 1, "demo-3": 1})
    job.wait_event(DriverWorkerStarted, host="demo-3", slot=0, rank=1)
    events = job.events()[before:]
    notified = [i for i, event in enumerate(events) if isinstance(event, DriverNotified)]
    removed = events.index(DriverDiscovered({"demo-2": 1, "demo-3": 1}))
    assert notified and notified[0] > removed, "a spare needs no reset"
    # 3 is HostUpdateResult.mixed: a bare "removed" (1) would skip the sync that the spare waits in.
    told = [line for line in job.log().splitlines() if ":told " in line]
    assert told and all(line.endswith(" 3") for line in told)


def test_that_a_killed_workers_host_is_blacklisted_and_comes_back(job: DriveJob) -> None:
    job.start(2, "--min-np", "1", "--blacklist-cooldown-range", "1", "2")
    trains(job, 2)
    os.kill(job.worker_pid("demo-2"), signal.SIGKILL)
    job.reset()
    ended = job.wait_event(DriverWorkerExited, host="demo-2")
    assert (ended.exit_code, ended.assigned) == (137, True)
    until = job.wait_event(DriverBlacklisted, host="demo-2").until
    assert until is not None and 0 < until - time.time() <= 2
    job.wait_event(DriverAssigned, size=1)
    before = len(job.events())
    job.wait_event(DriverWhitelisted, host="demo-2")
    job.wait_event(DriverAssigned, after=before, size=2)


@pytest.mark.parametrize("waits", ["at the start", "in a reset"])
def test_that_a_signal_ends_a_wait_for_slots_at_once(job: DriveJob, waits: str) -> None:
    if waits == "at the start":
        job.start(3, "--min-np", "2")
        waiting = job.wait_event(DriverWaiting, need=3, have=2)
    else:
        job.start(2, "--min-np", "2")
        trains(job, 2)
        job.set_hosts({"demo-1": 1})
        waiting = job.wait_event(DriverWaiting, need=2, have=1)
    assert waiting.deadline is not None and 500 < waiting.deadline - time.time() <= 600
    begun = time.monotonic()
    job.signal(signal.SIGTERM)
    assert job.wait_end() == 128 + signal.SIGTERM
    assert time.monotonic() - begun < 2
    assert job.left_behind() == []
    assert job.wait_event(DriverStopping).reason == "stopped by SIGTERM"
    exits = [event for event in job.events() if isinstance(event, DriverWorkerExited)]
    assert len(exits) == (0 if waits == "at the start" else 2)


def test_that_a_second_signal_kills_workers_that_ignore_the_first(job: DriveJob) -> None:
    job.set_hosts({"demo-1": 1})
    (job.stage / "stubborn").touch()
    job.start(1)
    trains(job, 1)
    job.signal(signal.SIGINT)
    job.wait_event(DriverStopping, reason="stopped by SIGINT")
    begun = time.monotonic()
    job.signal(signal.SIGINT)
    assert job.wait_end() == 130
    assert time.monotonic() - begun < 3


def test_that_a_change_before_rank_0_registers_is_told_when_it_does(job: DriveJob) -> None:
    (job.stage / "mute").touch()
    job.start(2, "--min-np", "1")
    trains(job, 2)
    job.set_hosts(THREE)
    assert "not registered" in job.wait_event(DriverNotified, delivered=False).reason
    (job.stage / "mute").unlink()
    job.wait_event(DriverNotified, delivered=True)
    trains(job, 3)


def test_that_a_message_thrown_away_by_a_reset_is_told_again(job: DriveJob) -> None:
    job.start(2, "--min-np", "1")
    trains(job, 2)
    (job.stage / "deaf").touch()
    job.set_hosts(THREE)
    job.wait_log(":told ")
    (job.stage / "deaf").unlink()
    trains(job, 3)
    assert [e.reason != "" for e in job.events() if isinstance(e, DriverNotified)][:2] == [
        False,
        True,
    ]


def test_that_two_quick_changes_are_both_seen(job: DriveJob) -> None:
    job.start(2, "--min-np", "1")
    trains(job, 2)
    job.set_hosts(THREE)
    job.wait_log("[demo-1[0]#0]<stdout>:rank 0 size 3")
    job.set_hosts({**THREE, "demo-4": 1})
    trains(job, 4)
    told = [line.split()[1] for line in job.log().splitlines() if ":told " in line]
    assert len(told) == len(set(told)) >= 2


def test_that_a_failing_script_keeps_the_hosts(job: DriveJob) -> None:
    job.start(2, "--min-np", "1")
    trains(job, 2)
    before = len(job.events())
    job.set_script("#!/bin/sh\necho broken >&2\nexit 7\n")
    failed = job.wait_event(DriverPollFailed)
    assert "Exit code: 7" in failed.text and "broken" in failed.text
    job.set_script("#!/bin/sh\n")
    job.wait_event(DriverPollFailed, text="the script printed no host")
    job.set_hosts(TWO)
    job.set_hosts(THREE)
    trains(job, 3)
    assert [e.size for e in job.events()[before:] if isinstance(e, DriverAssigned)] == [3]


def test_that_a_script_that_fails_at_once_ends_the_job(job: DriveJob) -> None:
    job.set_script("#!/bin/sh\nexit 5\n")
    job.start(2)
    assert job.wait_end() == 1
    assert "Exit code: 5" in job.wait_event(DriverStopping).reason
    assert "Exit code: 5" in job.log().splitlines()[-1]


def test_that_a_hanging_script_delays_no_reset_and_no_stop(job: DriveJob) -> None:
    job.start(2, "--min-np", "1")
    trains(job, 2)
    hangs = job.folder / "hangs"
    job.set_script(f"#!/bin/sh\ntouch {hangs}\nsleep 600\n")
    job.wait(lambda: hangs.exists() or None, "hanging script")
    before = len(job.events())
    begun = time.monotonic()
    job.reset()
    job.wait_event(DriverAssigned, after=before, size=2)
    assert time.monotonic() - begun < 5
    assert "longer than 10 seconds" in job.wait_event(DriverPollFailed).text
    job.signal(signal.SIGTERM)
    assert job.wait_end(timeout=3) == 143


def test_that_true_exit_codes_are_told(job: DriveJob) -> None:
    (job.stage / "broken-demo-1").touch()
    (job.stage / "broken-demo-2").touch()
    job.start(2)
    assert job.wait_end() == 1
    assert job.wait_event(DriverWorkerExited, host="demo-1").exit_code == 3
    assert job.wait_event(DriverWorkerExited, host="demo-2").exit_code == 3
    assert job.wait_event(DriverStopping).reason == "all workers have failed"


def test_that_a_newcomers_death_ends_the_others_wait_for_its_key(job: DriveJob) -> None:
    job.start(2, "--min-np", "1")
    trains(job, 2)
    key = rendezvous(job) + "/global/2"
    assert status(key) == 404
    (job.stage / "broken-demo-3").touch()
    job.set_hosts(THREE)
    assert job.wait_event(DriverWorkerExited, host="demo-3").exit_code == 3
    job.wait(lambda: status(key) == 503 or None, "refusal")
    before = len(job.events())
    job.reset()
    job.wait_event(DriverBlacklisted, host="demo-3")
    job.wait_event(DriverAssigned, after=before, size=2)
    job.wait(lambda: status(key) == 404 or None, "end of the refusal")


def rendezvous(job: DriveJob) -> str:
    environment = Path(f"/proc/{job.worker_pid('demo-1')}/environ").read_text().split("\0")
    port = dict(item.partition("=")[::2] for item in environment)["HOROVOD_GLOO_RENDEZVOUS_PORT"]
    return f"http://127.0.0.1:{port}"


def status(url: str, data: bytes | None = None) -> int:
    request = urllib.request.Request(url, data, method="GET" if data is None else "PUT")
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        with error:
            return error.code


class Harmful:
    """Runs a program when it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, ("touch harm",)


def test_that_nothing_harmful_is_unpickled_by_the_rendezvous(job: DriveJob) -> None:
    job.start(2, "--min-np", "1")
    trains(job, 2)
    address = rendezvous(job) + "/worker_addresses/demo-9:0"
    assert status(address, base64.b64encode(pickle.dumps(Harmful()))) == 400
    assert status(address, b"nothing") == 400
    assert status(address) == 404
    job.set_hosts(THREE)
    trains(job, 3)
    assert not (job.folder / "harm").exists()


def test_that_workers_do_not_outlive_a_killed_driver(job: DriveJob) -> None:
    job.start(2)
    trains(job, 2)
    job.signal(signal.SIGKILL)
    job.wait_end()
    job.wait(lambda: job.left_behind() == [] or None, "end of the workers", timeout=10)


def test_that_an_unwritable_events_file_stops_nothing(job: DriveJob) -> None:
    job.events_file = job.folder / "missing" / "drive.ndjson"
    job.start(2)
    trains(job, 2)
    job.finish()
    assert job.wait_end() == 0
    assert job.log().count("cannot write") == 1


def test_that_a_reset_that_finds_no_slots_in_time_is_no_success(job: DriveJob) -> None:
    job.start(2, "--min-np", "2", "--elastic-timeout", "2")
    trains(job, 2)
    job.set_hosts({"demo-1": 1})
    assert job.wait_end() == 1
    assert "Timed out waiting for slots" in job.wait_event(DriverStopping).reason


def test_that_ready_names_the_version_and_the_process(job: DriveJob) -> None:
    job.start(2)
    ready = job.wait_event(DriverReady)
    assert job.process is not None
    assert ready == DriverReady(job.process.pid, "0.28.1", corrected=True)
