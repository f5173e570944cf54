"""Plain horovodrun in the place of drive, under the same supervisor: the fallback."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from helpers.commandline import maypole, read_until, records, start

from core.events import Batch, HostState, HostStateChanged, Problem, Resize, RunOver, RunState
from core.profilefile import builtin, save

pytestmark = [pytest.mark.slow, pytest.mark.horovod, pytest.mark.timeout(300)]


def test_that_a_run_of_plain_horovodrun_grows_and_shrinks(maypole_home: Path) -> None:
    profile = maypole_home / "digits.toml"
    arguments = ("--epochs", "20", "--pace", "0.02")
    save(profile, replace(builtin("rehearsal"), driver="stock", script_args=arguments))
    with start(maypole_home, "run", str(profile), "--json") as process:
        read_until(process, Batch, 2)
        assert maypole(maypole_home, "hosts", "last", "demo-1:1", "demo-2:1", "demo-3:1")[0] == 0
        read_until(process, Batch, 3)
        assert maypole(maypole_home, "hosts", "last", "demo-2:1", "demo-3:1")[0] == 0
        read_until(process, Batch, 2)
        process.communicate(timeout=180)
        assert process.returncode == 0

    told = [
        record.event for record in records(maypole(maypole_home, "attach", "last", "--json")[1])
    ]
    steps = [event.step for event in told if isinstance(event, Batch)]
    assert steps == list(range(1, len(steps) + 1))
    resizes = [(e.old_size, e.new_size) for e in told if isinstance(e, Resize)]
    assert resizes == [(2, 3), (3, 2)]
    assert not [event.text for event in told if isinstance(event, Problem)]
    last = {e.host: e.state for e in told if isinstance(e, HostStateChanged)}
    assert last["demo-1"] is HostState.AVAILABLE
    (end,) = [event for event in told if isinstance(event, RunOver)]
    assert (end.outcome, end.left_behind) == (RunState.FINISHED, [])
