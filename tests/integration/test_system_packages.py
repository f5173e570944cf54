"""The set-up script on a machine that lacks things: what it says, and that it changes nothing then."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / ".ci" / "system-packages"
TOOLS = ("sh", "ls", "grep", "tr", "sort", "cut", "echo", "cat", "ldconfig")


def a_machine(folder: Path, user_id: int, **commands: str) -> dict[str, str]:
    """An environment whose PATH has the basic tools, ``id`` for that user, and ``commands``."""
    folder.mkdir()
    for tool in TOOLS:
        if tool in commands:
            continue
        found = shutil.which(tool, path=os.environ["PATH"] + ":/sbin:/usr/sbin")
        assert found is not None
        (folder / tool).symlink_to(found)
    for name, body in {"id": f"echo {user_id}", **commands}.items():
        (folder / name).write_text(f"#!{shutil.which('sh')}\n{body}\n")
        (folder / name).chmod(0o755)
    return {"PATH": str(folder)}


def run(environment: dict[str, str], *groups: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(SCRIPT), *groups],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_that_a_user_who_is_not_root_gets_one_line_to_copy(tmp_path: Path) -> None:
    record = tmp_path / "called"
    machine = a_machine(tmp_path / "bin", 1000, **{"apt-get": f"echo $@ >> {record}"})
    result = run(machine, "screen")
    lines = [line for line in result.stderr.splitlines() if "sudo apt-get install" in line]
    assert result.returncode == 1
    assert len(lines) == 1
    assert {"xvfb", "xdotool"} <= set(lines[0].split())
    assert not record.exists()


def test_that_root_installs_what_is_missing_and_only_that(tmp_path: Path) -> None:
    record = tmp_path / "called"
    machine = a_machine(
        tmp_path / "bin",
        0,
        **{"apt-get": f"echo $@ >> {record}", "xdotool": "true", "apt-cache": "true"},
    )
    result = run(machine, "screen")
    calls = record.read_text().splitlines()
    assert result.returncode == 0, result.stderr
    assert calls[0].startswith("update")
    assert calls[-1].startswith("install")
    assert "xvfb" in calls[-1].split()
    assert "xdotool" not in calls[-1].split()


def test_that_the_package_that_this_distribution_has_is_taken(tmp_path: Path) -> None:
    record = tmp_path / "called"
    machine = a_machine(
        tmp_path / "bin",
        0,
        **{
            "apt-get": f"echo $@ >> {record}",
            "apt-cache": '[ "$2" = libglib2.0-0 ] || [ "$2" != libglib2.0-0t64 ]',
            "ldconfig": "true",
        },
    )
    result = run(machine, "window")
    packages = record.read_text().splitlines()[-1].split()
    assert result.returncode == 0, result.stderr
    assert "libglib2.0-0" in packages
    assert "libglib2.0-0t64" not in packages


def test_that_a_machine_without_apt_is_told_the_names(tmp_path: Path) -> None:
    result = run(a_machine(tmp_path / "bin", 0), "screen")
    assert result.returncode == 1
    assert "xvfb" in result.stderr


@pytest.mark.parametrize("group", ["build", "window", "screen"])
def test_that_nothing_is_said_where_nothing_is_missing(group: str) -> None:
    """Holds wherever these tests run at all: make test has run the same script before."""
    result = run(dict(os.environ), group)
    assert (result.returncode, result.stdout) == (0, "")
