"""What cannot start says why, starts nothing, leaves nothing behind and harms no older run. All real."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.commandline import maypole, records

from core.events import Problem, RunOver, RunState
from core.profilefile import builtin, save
from trainer import processes

pytestmark = pytest.mark.timeout(120)


def profile(home: Path, **changes: Any) -> str:
    """The rehearsal, changed. Gives its file."""
    file = home / "changed.toml"
    save(file, replace(builtin("rehearsal"), **changes))
    return str(file)


def script(home: Path, text: str) -> dict[str, Any]:
    (home / "own").mkdir()
    (home / "own" / "train.py").write_text(text)
    return {"workdir": str(home / "own"), "script": "train.py", "script_args": ()}


def no_host_in_job() -> tuple[Any, ...]:
    return tuple(replace(host, in_job=False) for host in builtin("rehearsal").hosts)


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"workdir": "/", "script": "no.py"}, "script", "There is no script /no.py"),
        ({"workdir": "/no/such", "script": "x.py"}, "workdir", "There is no folder /no/such"),
        ({"workdir": "/", "script": "tmp"}, "script", "There is no script /tmp"),
        ({"min_np": 3}, "min_np", "--min-np (3) is above -np (2)"),
        ({"np": 1, "min_np": 1, "max_np": 0}, "max_np", "--max-np"),
        ({"hosts": no_host_in_job()}, "hosts", "No host is in the job"),
        ({"network_interface": "eth99"}, "network_interface", "no network interface eth99"),
        ({"python": "/no/python"}, "python", "/no/python"),
    ],
)
def test_that_a_field_that_cannot_be_is_named(
    maypole_home: Path, changes: dict[str, Any], field: str, said: str
) -> None:
    status, stdout, stderr = maypole(maypole_home, "run", profile(maypole_home, **changes))
    assert status == 2
    assert stderr.startswith(f"maypole: {field}: ")
    assert said in stderr
    assert "Traceback" not in stdout + stderr
    assert runs_of(maypole_home) == []


def runs_of(home: Path) -> list[Path]:
    return sorted((home / "runs").glob("*"))


def test_that_a_python_without_packages_is_told_what_to_install(maypole_home: Path) -> None:
    bare = maypole_home / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    python = str(bare / "bin" / "python")
    file = profile(maypole_home, python=python)
    assert "has no TensorFlow" in maypole(maypole_home, "run", file)[2]

    (packages,) = bare.glob("lib/python*/site-packages")
    (packages / "tensorflow").mkdir()
    (packages / "tensorflow" / "__init__.py").write_text("")
    told = maypole(maypole_home, "run", file)[2]
    assert "has no Horovod. Build it with: " in told
    words = told.partition("Build it with: ")[2].split()
    assert (words[0], words[2:]) == (python, ["provision", "--python", python])
    subprocess.run([*words[:2], "provision", "--help"], check=True, stdout=subprocess.DEVNULL)
    assert runs_of(maypole_home) == []


@pytest.mark.parametrize("what", ["runs", "bundles"])
def test_that_a_folder_that_cannot_be_written_is_named_and_left(
    maypole_home: Path, what: str
) -> None:
    """A file stands where the folder should be: not even root can write into it."""
    (maypole_home / what).write_text("mine")
    status, _, stderr = maypole(maypole_home, "run", profile(maypole_home))
    assert status != 0
    assert str(maypole_home / what) in stderr
    assert "Traceback" not in stderr
    assert (maypole_home / what).read_text() == "mine"


@pytest.mark.horovod
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("print('hello')\nraise RuntimeError('no data')\n", "RuntimeError: no data"),
        ("def f(:\n", "SyntaxError: invalid syntax"),
        ("import sys\nsys.exit(3)\n", "the script ended with status 3"),
        ("import no_such_package\n", "ModuleNotFoundError: No module named 'no_such_package'"),
    ],
)
def test_that_a_script_that_fails_is_quoted(maypole_home: Path, text: str, said: str) -> None:
    file = profile(maypole_home, **script(maypole_home, text))
    status, stdout, _ = maypole(maypole_home, "run", file, "--json")
    assert status == 1
    told = [record.event for record in records(stdout)]
    (over,) = [event for event in told if isinstance(event, RunOver)]
    assert over.outcome is RunState.FAILED
    assert said in over.reason
    assert "demo-" in over.reason
    assert over.left_behind == []
    assert [event.severity for event in told if isinstance(event, Problem)].count("error") >= 1
    (run,) = runs_of(maypole_home)
    assert list(processes.of_run(str(run))) == []


@pytest.mark.horovod
def test_that_a_bad_start_does_an_older_run_no_harm(maypole_home: Path) -> None:
    good = profile(maypole_home, **script(maypole_home, "print('done')\n"))
    assert maypole(maypole_home, "run", good)[0] == 0
    (run,) = runs_of(maypole_home)
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    assert maypole(maypole_home, "run", profile(maypole_home, min_np=3))[0] == 2
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before
    assert runs_of(maypole_home) == [run]
