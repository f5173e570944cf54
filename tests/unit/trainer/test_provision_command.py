"""`provision` as a person meets it: what it says, its exit status, its speed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from trainer import provision
from trainer.provisioning import build
from trainer.provisioning.build import Progress, duration
from trainer.provisioning.errors import BuildFailed

ROOT = Path(__file__).parents[3]


@pytest.fixture
def bare_python(tmp_path: Path) -> Path:
    """A real Python without pip and without TensorFlow."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "bare"], check=True)
    return tmp_path / "bare" / "bin" / "python"


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "trainer.provision", *map(str, words)]
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )


def test_that_a_python_that_is_not_there_is_one_clear_line() -> None:
    done = run("--python", "/no/such/python")
    assert done.returncode == 1
    assert done.stderr == (
        "provision: '/no/such/python' cannot be run (No such file or directory). "
        "Give the path of a Python 3.8 to 3.13 with --python.\n"
    )


def test_that_a_program_that_is_no_python_is_refused() -> None:
    done = run("--python", "/bin/true")
    assert done.returncode == 1
    assert "did not answer as Python 3 does" in done.stderr


def test_that_a_python_without_pip_is_refused_before_anything_is_done(
    bare_python: Path, tmp_path: Path
) -> None:
    done = run("--python", bare_python, "--cache", tmp_path / "cache")
    assert done.returncode == 1
    assert "has no pip" in done.stderr
    assert not (tmp_path / "cache").exists()


def test_that_a_folder_called_horovod_beside_the_user_is_not_taken_for_the_package(
    bare_python: Path, tmp_path: Path
) -> None:
    (tmp_path / "horovod").mkdir()
    (tmp_path / "tensorflow").mkdir()
    facts = subprocess.run(
        [sys.executable, "-c", "from trainer.provisioning import probe; import sys, os;"
         "os.chdir(sys.argv[2]); print(probe.look_at(sys.argv[1]).tensorflow_folder)",
         str(bare_python), str(tmp_path)],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": ""}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert facts.stdout == "None\n"


def test_that_options_become_a_wish(tmp_path: Path) -> None:
    wish = provision.parse(["--stock", "--cache", str(tmp_path), "--python", "py"], {})
    assert wish == provision.Wish(python="py", cache=tmp_path, stock=True)
    assert provision.parse([], {"XDG_CACHE_HOME": "/c"}).cache == Path("/c/maypole/wheels")


def test_that_progress_is_told_a_few_times_a_minute() -> None:
    said: list[str] = []
    clock = iter([0.0, 1.0, 20.0, 21.0, 80.0]).__next__
    progress = Progress(said.append, clock)
    for line in (
        "[  1%] Building",
        "[ 20%] Building",
        "noise",
        "[ 21%] Building",
        "[ 60%] Linking",
    ):
        progress.see(line)
    assert said == ["  compiling: 20 % after 20 s", "  compiling: 60 % after 1 min 20 s"]


def test_that_durations_are_read_at_a_glance() -> None:
    assert (duration(59.4), duration(60), duration(143)) == ("59 s", "1 min 00 s", "2 min 23 s")


def failing_pip(folder: Path) -> str:
    """A fake Python whose pip fails as a compiler would."""
    program = folder / "python"
    program.write_text(
        "#!/bin/sh\nfor i in $(seq 40); do echo line $i; done\necho 'x.cc: error'\nexit 3\n"
    )
    program.chmod(0o755)
    return str(program)


def test_that_a_failed_build_shows_its_last_lines_and_where_the_log_is(tmp_path: Path) -> None:
    log = tmp_path / "build.log"
    with pytest.raises(BuildFailed) as caught:
        build.build(failing_pip(tmp_path), tmp_path, tmp_path, dict(os.environ), log, print)
    text = str(caught.value)
    assert "exit status 3" in text and str(log) in text and "x.cc: error" in text
    assert "line 1\n" not in text
    assert "line 1\n" in log.read_text()
    assert caught.value.log == log
