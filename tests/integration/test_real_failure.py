"""kill -9 of a worker in a real run, seen through the window: training goes on, and its host comes back."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.fakeprompter import FakePrompter
from helpers.linklab import wait_until
from helpers.player import Player
from helpers.realrun import RealRun, real_run, world_sizes
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from core.profilefile import builtin, save
from gui import names
from gui.app import Options
from trainer.events import (
    Batch,
    HostState,
    HostStateChanged,
    Problem,
    Resize,
    RunState,
    WorkerGone,
)
from trainer.rundir import RunDir

pytestmark = [pytest.mark.slow, pytest.mark.horovod, pytest.mark.timeout(600)]

COOLDOWN = (4, 12)
"""Horovod makes 8 to 12 seconds of it the first time (runner/elastic/discovery.py:77-82)."""


@pytest.fixture
def run(tmp_path: Path) -> Iterator[RealRun]:
    """Ended in any case; the window starts it."""
    with real_run(tmp_path) as run:
        yield run


@pytest.fixture
def player(qapp: QApplication, run: RealRun) -> Iterator[Player]:
    profile = run.home / "failing.toml"
    arguments = ("--epochs", "1000", "--pace", "0.05")
    save(profile, replace(builtin("rehearsal"), script_args=arguments, blacklist_cooldown=COOLDOWN))
    player = Player(qapp, run.home, FakePrompter(), Options(profile=str(profile)))
    yield player
    player.close()


def test_that_a_killed_rank_0_is_survived_and_its_host_comes_back(
    player: Player, run: RealRun
) -> None:
    player.start(2)
    run.files = RunDir(player.run_dir)
    player.batches(20)
    victim = player.rank_zero()
    pid = run.pid_on(victim)
    survivor = ({"demo-1", "demo-2"} - {victim}).pop()

    os.kill(pid, signal.SIGKILL)
    player.wait(lambda: player.trains_at(1), 120, "training without the killed worker")
    assert_counted_down(player, victim)
    player.wait(lambda: player.trains_at(2), 120, "the host's return")
    player.batches(10)
    player.press(names.STOP_ACTION)
    player.over(120)

    assert player.view.over is not None
    assert (player.view.over.outcome, player.view.over.left_behind) == (RunState.STOPPED, [])
    failure, back = run.events(Resize)
    assert (failure.cause, failure.left, failure.old_size, failure.new_size) == (
        "failure", [victim], 2, 1,
    )  # fmt: skip
    assert (back.cause, back.joined, back.old_size, back.new_size) == ("hosts", [victim], 1, 2)
    assert_told(run, victim, pid, failure, back)
    assert run.topology().members[0].host == survivor
    assert_only_the_roll_back_is_repeated(run.batches(), failure)


def assert_counted_down(player: Player, host: str) -> None:
    """The card says why and for how long; nothing but that time changes on it."""
    column = player.column(True)
    row = column.hosts.host_rows[column.hosts.row_of(host)]
    assert "blacklisted" in player.card(host)
    assert row.until is not None
    assert 0 < row.until - time.time() <= COOLDOWN[1]

    def picture() -> QImage:
        index = column.hosts.index(column.hosts.row_of(host))
        area: QRect = column.visualRect(index)
        return column.viewport().grab(area).toImage()

    first = picture()
    player.wait(lambda: picture() != first, 3, "another second on the card")
    assert column.hosts.host_rows[column.hosts.row_of(host)] == row


def assert_told(run: RealRun, victim: str, pid: int, failure: Resize, back: Resize) -> None:
    (gone,) = [e for e in run.events(WorkerGone) if not e.expected]
    assert (gone.worker.partition("[")[0], gone.exit_code) == (victim, 128 + signal.SIGKILL)
    errors = [(p.severity, p.host) for p in run.events(Problem) if p.severity == "error"]
    assert errors == [("error", victim)]
    blacklisted, *after = [
        e
        for e in run.events(HostStateChanged)
        if e.host == victim and e.state in (HostState.BLACKLISTED, HostState.TRAINING)
    ][1:]
    assert blacklisted.state is HostState.BLACKLISTED
    assert blacklisted.until is not None
    assert back.first_step is not None
    assert back.first_step > blacklisted.until
    assert [e.state for e in after] == [HostState.TRAINING]
    assert failure.first_step is not None
    assert failure.first_step < blacklisted.until
    wait_until(lambda: pid not in {p.pid for p in run.workers()}, "the killed worker")


def assert_only_the_roll_back_is_repeated(batches: list[Batch], failure: Resize) -> None:
    """Horovod goes back to the last commit, of every batch here: at most one step is done again.

    What the killed process had done and not yet sent died with it: at most two steps.
    """
    assert world_sizes(batches) == [2, 1, 2]
    at = next(i for i, batch in enumerate(batches) if batch.size == 1)
    assert 0 <= failure.repeated_steps <= 1
    assert -1 <= batches[at].step - batches[at - 1].step - 1 <= 2
    for part in (batches[:at], batches[at:]):
        assert [b.step for b in part] == list(range(part[0].step, part[0].step + len(part)))
