"""What the corrections to Horovod's C++ do in real processes, and what a stock build does instead.

No horovodrun here: the workers find each other through Horovod's own rendezvous server.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.horovod_builds import corrections_of, horovod_environment, layered_python, provision

from trainer.corrections import (
    CLEAN_REMOVAL,
    GLOO_INTERFACE,
    REMOVED_EXIT_CODE,
    RUNTIME_CORRECTIONS,
    SOFT_INIT,
)

PROGRAMS = Path(__file__).parents[1] / "helpers" / "programs"
pytestmark = [pytest.mark.horovod, pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def corrected() -> str:
    """The Python under test, which `make provision` gave a corrected Horovod."""
    if corrections_of(sys.executable) != RUNTIME_CORRECTIONS:
        pytest.skip("no corrected Horovod in this environment: run python -m trainer.provision")
    return sys.executable


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python with a stock Horovod, compiled once and then taken from the wheel cache."""
    python = layered_python(tmp_path_factory.mktemp("stock") / "venv")
    done = provision(python, "--stock")
    assert done.returncode == 0, done.stderr
    assert corrections_of(python) == set()
    return str(python)


def run(
    *command: str | Path, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command],
        env=env or horovod_environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_that_a_peer_that_never_comes_is_an_error_to_be_caught(corrected: str) -> None:
    assert SOFT_INIT in corrections_of(corrected)
    done = run(corrected, PROGRAMS / "lonely_worker.py")
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert [line.split(" ")[0] for line in said] == ["refused:", "refused:", "alone"]
    assert said[-1] == "alone 1 2.0"
    assert "Wait timeout after 1 seconds for key(s): 1" in done.stderr


def test_that_a_peer_that_never_comes_aborts_a_stock_worker(stock: str) -> None:
    done = run(stock, PROGRAMS / "lonely_worker.py")
    assert done.returncode == -signal.SIGABRT
    assert "terminate called after throwing an instance of 'gloo::IoException'" in done.stderr


def change_of_hosts(python: str, *scene: str, gloo_timeout: int = 120) -> dict[str, Any]:
    """What became of the workers of Horovod's elastic driver; see elastic_driver.py."""
    environ = horovod_environment(HOROVOD_GLOO_TIMEOUT_SECONDS=str(gloo_timeout))
    done = run(python, PROGRAMS / "elastic_driver.py", *scene, env=environ)
    assert done.returncode == 0, done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith("result ")
    result: dict[str, Any] = json.loads(last[len("result ") :])
    return result


def test_that_a_removed_worker_leaves_cleanly_and_is_no_success(corrected: str) -> None:
    assert CLEAN_REMOVAL in corrections_of(corrected)
    result = change_of_hosts(corrected, "removal")
    assert result["exits"] == {"keeper": 0, "dropped": REMOVED_EXIT_CODE}
    dropped = result["output"]["dropped"]
    assert "dropped[0] has been removed from elastic job" in dropped
    assert dropped[-2:] == ["removed for good", "atexit ran True"]
    # The driver ignores the exit of a worker without a rank; only who trained to the end succeeded.
    assert result["recorded"] == {"keeper[0]": 0}
    assert result["output"]["keeper"][-2:] == ["size 1 1.0", "atexit ran False"]


def test_that_a_removed_worker_of_a_stock_build_aborts_and_the_job_goes_on(stock: str) -> None:
    result = change_of_hosts(stock, "removal")
    assert result["exits"] == {"keeper": 0, "dropped": -signal.SIGABRT}
    assert result["recorded"] == {"keeper[0]": 0}


def joined(result: dict[str, Any]) -> tuple[int, int, float]:
    """World size, failed attempts and seconds of the keeper's second initialisation."""
    word, size, refused, seconds = result["output"]["keeper"][-1].split()
    assert word == "joined"
    return int(size), int(refused), float(seconds)


def test_that_a_newcomer_that_dies_costs_the_job_the_gloo_timeout_only(corrected: str) -> None:
    result = change_of_hosts(corrected, "newcomer", gloo_timeout=6)
    size, refused, seconds = joined(result)
    assert (size, refused) == (1, 1)
    assert 6 <= seconds < 60
    assert result["exits"] == {"newcomer": 1, "keeper": 0}
    assert result["recorded"] == {"keeper[0]": 0}


def test_that_the_driver_can_spare_the_survivors_that_wait(corrected: str) -> None:
    result = change_of_hosts(corrected, "newcomer", "early", gloo_timeout=120)
    size, refused, seconds = joined(result)
    assert (size, refused) == (1, 1)
    assert seconds < 30  # 1.6 s on an idle machine
    assert result["recorded"] == {"keeper[0]": 0}


def unresolvable_host(python: str) -> subprocess.CompletedProcess[str]:
    """A one-process job on a machine whose own name no resolver knows."""
    code = "import horovod.tensorflow as hvd; hvd.init(); print('size', hvd.size()); hvd.shutdown()"
    # The name goes with the namespace; the machine keeps its own.
    rename = 'hostname no-such-host.invalid && exec "$@"'
    return run("unshare", "--uts", "sh", "-c", rename, "sh", python, "-c", code)


needs_own_host_name = pytest.mark.skipif(
    os.geteuid() != 0
    or shutil.which("unshare") is None
    or subprocess.run(["unshare", "--uts", "true"], capture_output=True, check=False).returncode
    != 0,
    reason="a host name of one's own needs root and the right to make namespaces",
)


@needs_own_host_name
def test_that_the_given_interface_is_used_whatever_the_host_is_called(corrected: str) -> None:
    assert GLOO_INTERFACE in corrections_of(corrected)
    done = unresolvable_host(corrected)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "size 1\n"


@needs_own_host_name
def test_that_a_stock_build_needs_a_host_name_that_resolves(stock: str) -> None:
    done = unresolvable_host(stock)
    # Gloo looks at a result that getaddrinfo never filled (gloo/transport/tcp/device.cc:102), so
    # it depends on chance whether it finds nothing and aborts, or reads where nothing is.
    assert done.returncode in (-signal.SIGABRT, -signal.SIGSEGV)
