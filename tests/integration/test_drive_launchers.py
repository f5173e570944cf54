"""The same job from the bundle, from plain horovodrun, and on a Horovod that drive does not know."""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.drivejob import DriveJob, make_bundle

from trainer.driverlog import LogSplitter
from trainer.events import (
    DriverAssigned,
    DriverReady,
    DriverWaiting,
    DriverWorkerExited,
    DriverWorkerReady,
    DriverWorkerStarted,
    Event,
)
from trainer.stocklog import StockLog

pytest.importorskip("horovod.runner", reason="needs Horovod's runner; TensorFlow is not started")
psutil = pytest.importorskip("psutil")
pytestmark = pytest.mark.slow

# Stock horovodrun imports TensorFlow to ask for Gloo (common/util.py:64-104); not here, for time's sake.
NO_GLOO_CHECK = "import horovod.common.util as u\nu.gloo_built = lambda verbose=False: True\n"


@pytest.fixture
def job(tmp_path: Path) -> Iterator[DriveJob]:
    job = DriveJob(tmp_path, {"demo-1": 1})
    yield job
    job.close()
    job.wait(lambda: job.left_behind() == [] or None, "end of all processes", timeout=15)


def with_site(job: DriveJob, code: str) -> dict[str, str]:
    site = job.folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(code)
    return {"PYTHONPATH": str(site)}


def grow_and_shrink(job: DriveJob) -> None:
    job.wait_log("rank 0 size 1")
    job.set_hosts({"demo-1": 1, "demo-2": 1})
    job.wait_log("size 2", 2)
    job.set_hosts({"demo-2": 1})
    job.wait_log("rank 0 size 1", 2)
    job.wait_log("exit with status code 134")
    job.finish()
    assert job.wait_end() == 0


def test_that_the_bundle_drives_too(job: DriveJob) -> None:
    bundle = make_bundle(job.folder / "maypole.pyz")
    job.start(
        1,
        launcher=[sys.executable, str(bundle), "drive", "--events", str(job.events_file), "--"],
        env={"PYTHONPATH": ""},
    )
    grow_and_shrink(job)
    assert job.wait_event(DriverWorkerExited, host="demo-1").assigned is False


def test_that_another_horovod_runs_uncorrected_from_the_bundle(job: DriveJob) -> None:
    bundle = make_bundle(job.folder / "maypole.pyz")
    other = NO_GLOO_CHECK + "import horovod\nhorovod.__version__ = '0.99.0'\n"
    job.start(
        1,
        launcher=[sys.executable, str(bundle), "drive", "--events", str(job.events_file), "--"],
        env=with_site(job, other),
    )
    grow_and_shrink(job)
    ready = job.wait_event(DriverReady)
    assert (ready.horovod, ready.corrected) == ("0.99.0", False)
    assert "0.99.0 is not 0.28.1" in job.log()
    assert "[0]<stdout>:rank 0 size 1" in job.log()


def test_that_plain_horovodrun_tells_the_same_through_its_log(job: DriveJob) -> None:
    job.start(
        1,
        launcher=[str(Path(sys.executable).with_name("horovodrun"))],
        env=with_site(job, NO_GLOO_CHECK),
    )
    grow_and_shrink(job)
    lines = job.log().splitlines()
    stock, splitter = StockLog(), LogSplitter()
    told = [event for line in lines for event in stock.feed(line)]
    workers = {line.worker.partition(".")[0] for line in map(splitter.feed, lines) if line.worker}
    assert workers == {"demo-1[0]", "demo-2[0]"}

    (job.stage / "stop").unlink()
    for world in job.stage.glob("world-*"):
        for file in world.iterdir():
            file.unlink()
    job.log_file.unlink()
    job.set_hosts({"demo-1": 1})
    job.start(1)
    grow_and_shrink(job)
    assert common(told) == common(job.events())


def common(events: list[Event]) -> list[tuple[object, ...]]:
    """What both ways tell, without what runs beside it in another thread (a removed worker's end)."""
    found: list[tuple[object, ...]] = []
    for event in events:
        if isinstance(event, DriverAssigned):
            found.append(("assigned", event.size))
        elif isinstance(event, DriverWorkerStarted):
            found.append(("started", event.host, event.slot))
        elif isinstance(event, DriverWaiting) and event.have in (-1, event.need, event.need + 1):
            found.append(("waits", event.need))
    ends = [e for e in events if isinstance(e, DriverWorkerExited)]
    ready = {(e.host, e.slot) for e in events if isinstance(e, DriverWorkerReady)}
    found.append(("ends", sorted((e.host, e.exit_code, e.assigned) for e in ends)))
    found.append(("ready", sorted(ready)))
    return found


def interface_beside_lo() -> tuple[str, str]:
    for name, addresses in psutil.net_if_addrs().items():
        for address in addresses:
            if address.family == socket.AF_INET and not address.address.startswith("127."):
                return name, address.address
    pytest.skip("this machine has no network interface but lo")


def test_that_a_job_of_this_machine_alone_can_be_reached_from_others(job: DriveJob) -> None:
    name, address = interface_beside_lo()
    job.set_hosts({"localhost": 1})
    args = job.horovodrun_args

    def with_interface(np: int, *more: str) -> list[str]:
        return [name if word == "lo" else word for word in args(np, *more)]

    job.horovodrun_args = with_interface  # type: ignore[method-assign]
    job.start(1)
    job.wait_log("rank 0 size 1")
    environment = Path(f"/proc/{job.worker_pid('localhost')}/environ").read_text()
    assert f"HOROVOD_GLOO_RENDEZVOUS_ADDR={address}" in environment.split("\0")
    job.signal(signal.SIGTERM)
    assert job.wait_end() == 143


def test_that_verbose_prints_no_environment(job: DriveJob) -> None:
    job.start(1, "--verbose", env={"MY_PASSWORD": "hunter2"})
    job.wait_log("rank 0 size 1")
    assert "hunter2" not in job.log()
