"""The main job through the window's own widgets: a real supervisor, horovodrun and TensorFlow behind it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers import mainjob
from helpers.fakeprompter import FakePrompter
from helpers.linklab import wait_until
from helpers.player import Player
from PySide6.QtWidgets import QApplication

from core.events import RunState
from gui import names
from gui.app import Options
from trainer import processes
from trainer.events import Adopted, Batch, WorkerJoined
from trainer.journal import read_records

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "test-artifacts"
pytestmark = [pytest.mark.slow, pytest.mark.horovod, pytest.mark.timeout(900)]


@pytest.fixture
def players(qapp: QApplication, tmp_path: Path) -> Iterator[list[Player]]:
    """Windows that are closed at the end, and runs that are ended, whatever happened."""
    made: list[Player] = []
    yield made
    for player in made:
        player.close()
    for run in sorted((tmp_path / "home" / "runs").glob("*")):
        processes.end(lambda folder=str(run): every_process(folder), 5, 10)


def every_process(run_dir: str) -> list[processes.Process]:
    """Workers, supervisor, driver and attachments: whatever has the run's folder among its words."""
    found = list(processes.of_run(run_dir))
    for entry in Path("/proc").glob("[0-9]*"):
        words = processes.arguments(int(entry.name))
        if run_dir in words and int(entry.name) != os.getpid():
            process = processes.find(int(entry.name))
            found += [process] if process is not None else []
    return found


def a_window(players: list[Player], folder: Path, **options: str) -> Player:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    player = Player(app, folder, FakePrompter(path=str(folder)), Options(**options))
    players.append(player)
    return player


def test_that_hosts_are_dragged_into_and_out_of_a_running_training(
    players: list[Player], tmp_path: Path
) -> None:
    player = a_window(players, tmp_path, profile="rehearsal")
    facts = mainjob.perform(player, PICTURES)
    assert facts.sizes == [2, 3, 2]
    assert any("rank" in line for line in facts.cards["demo-3"])
    assert not any("rank" in line for line in facts.cards[facts.leaver])
    missing, double = mainjob.missing_and_double(facts.steps)
    assert missing == []
    assert len(double) == facts.repeated
    assert facts.outcome is RunState.STOPPED
    assert player.view.over is not None
    assert player.view.over.left_behind == []
    assert facts.max_difference is not None
    assert facts.max_difference <= 1e-6
    assert reloaded_difference(facts.saved) <= 1e-6
    run_dir = str(player.run_dir)
    player.close()
    players.remove(player)
    wait_until(lambda: not every_process(run_dir), "the end of all processes of the run")


def reloaded_difference(folder: Path) -> float:
    """The export as its user has it: loaded where it was copied to, in a fresh process."""
    answer = subprocess.run(
        [sys.executable, "-m", "trainer", "verify", str(folder)],
        cwd=ROOT, capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    return float(json.loads(answer.stdout.splitlines()[-1])["max_difference"])


def test_that_a_killed_window_costs_no_point(players: list[Player], tmp_path: Path) -> None:
    window = subprocess.Popen(
        [sys.executable, "-m", "gui", "--profile", "rehearsal", "--autostart"],
        cwd=ROOT,
        env={
            **os.environ,
            "MAYPOLE_HOME": str(tmp_path / "home"),
            "MAYPOLE_SETTINGS": str(tmp_path / "killed.ini"),
        },
    )
    try:
        wait_until(lambda: len(journaled_steps(tmp_path)) >= 5, "the first points", 180)
    finally:
        window.send_signal(signal.SIGKILL)
        window.wait()
    before = len(journaled_steps(tmp_path))
    wait_until(lambda: len(journaled_steps(tmp_path)) >= before + 10, "the training to go on", 60)

    player = a_window(players, tmp_path)
    player.wait(lambda: player.application.session.caught_up, 30, "the run that was going")
    player.batches(5)
    player.press(names.STOP_ACTION)
    player.over(180)
    assert player.steps == list(range(1, len(player.steps) + 1))
    assert player.steps == journaled_steps(tmp_path)


def test_that_a_killed_supervisor_costs_no_point(players: list[Player], tmp_path: Path) -> None:
    """While no supervisor lives the workers train on and keep what they have to say."""
    player = a_window(players, tmp_path, profile="rehearsal")
    player.start(2)
    player.batches(5)
    before = workers_of(player.run_dir)
    supervisor = supervisor_of(player.run_dir)
    os.kill(supervisor, signal.SIGKILL)
    kept = player.run_dir / "spool"
    wait_until(lambda: any(file.stat().st_size for file in kept.iterdir()), "a spooled event", 60)
    assert not processes.arguments(supervisor)
    player.wait(lambda: adoptions(player.run_dir) == 1, 60, "the next supervisor")
    player.wait(lambda: player.application.session.caught_up, 30, "the run, attached to again")
    player.batches(20)
    assert workers_of(player.run_dir) == before
    player.press(names.STOP_ACTION)
    player.over(180)
    assert player.steps == list(range(1, len(player.steps) + 1))
    assert player.steps == journaled_steps(tmp_path)
    assert player.view.over is not None
    assert player.view.over.left_behind == []


def supervisor_of(run_dir: Path) -> int:
    """Its pid."""
    (found,) = (
        int(entry.name)
        for entry in Path("/proc").glob("[0-9]*")
        if {"supervise", str(run_dir)} <= set(processes.arguments(int(entry.name)))
    )
    return found


def workers_of(run_dir: Path) -> list[int]:
    """The pids of all that have joined so far."""
    records = read_records(run_dir / "events.ndjson")
    return [r.event.pid for r in records if isinstance(r.event, WorkerJoined)]


def adoptions(run_dir: Path) -> int:
    return sum(isinstance(r.event, Adopted) for r in read_records(run_dir / "events.ndjson"))


def journaled_steps(folder: Path) -> list[int]:
    journals = list((folder / "home" / "runs").glob("*/events.ndjson"))
    if not journals:
        return []
    return [r.event.step for r in read_records(journals[0]) if isinstance(r.event, Batch)]
