from __future__ import annotations

from pathlib import Path

import pytest

from core.home import Home, home_on, local_home
from core.localmachine import LocalMachine


@pytest.mark.parametrize(
    ("environ", "root"),
    [
        ({"MAYPOLE_HOME": "/data/maypole", "XDG_STATE_HOME": "/state"}, "/data/maypole"),
        ({"XDG_STATE_HOME": "/state"}, "/state/maypole"),
        ({"XDG_STATE_HOME": "relative"}, "/home/me/.local/state/maypole"),
        ({}, "/home/me/.local/state/maypole"),
    ],
)
def test_that_here_and_on_a_machine_the_home_follows_the_same_rule(
    environ: dict[str, str], root: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("MAYPOLE_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/me", **environ}.items():
        monkeypatch.setenv(name, value)
    assert local_home() == Home(root)
    assert home_on(LocalMachine()) == Home(root)


def test_that_a_relative_home_begins_where_the_program_was_started(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MAYPOLE_HOME", "some/where")
    assert local_home() == home_on(LocalMachine()) == Home(str(tmp_path / "some" / "where"))
