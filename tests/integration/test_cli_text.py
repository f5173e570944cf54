"""What the command line says of each event."""

from __future__ import annotations

import pytest

from core.events import (
    Adopted,
    Event,
    ExportProgress,
    HostState,
    HostStateChanged,
    LogRecord,
    Nudged,
    Problem,
    Resize,
    RunOver,
    RunState,
    RunStateChanged,
    Stage,
    Unknown,
    WorkerGone,
)
from gui.cli import text

SHRUNK = Resize(1, "", 3, 2, [], ["a"], 9, repeated_steps=4)


@pytest.mark.parametrize(
    ("event", "said"),
    [
        (RunStateChanged(RunState.TRAINING, "", 2, 2), "training"),
        (RunStateChanged(RunState.WAITING, "a host left", 1, 2), "waiting, 1 of 2 slots: a host left"),
        (HostStateChanged("a", HostState.TRAINING, "", [0, 2]), "a: training as rank 0, 2"),
        (HostStateChanged("a", HostState.REFUSED, "no Horovod"), "a: refused: no Horovod"),
        (SHRUNK, "resized 3 -> 2 at step 9: a left; 4 steps repeated"),
        (ExportProgress("e1", Stage.FAILED, "no room"), "export e1: failed: no room"),
        (ExportProgress("e1", Stage.READY, "", "/x", 7, 1234567), "export e1: ready, step 7, 1.235 MB"),
        (Problem("c", "error", "It broke.", "Mend it.", "a"), "error: a: It broke. Mend it."),
        (WorkerGone("a[0].x", 134, False, "aborted"), "a[0].x ended with status 134: aborted"),
        (WorkerGone("a[0].x", 134, True), ""),
        (Nudged("it missed demo-3"), "Horovod was told again that the hosts changed: it missed demo-3"),
        (Adopted(7), "a new supervisor took over the run"),
        (RunOver(RunState.FAILED, "no host", 1, ["a: pid 7"]), "failed: no host. Still there: a: pid 7."),
        (Unknown("weather", {}), ""),
    ],
)  # fmt: skip
def test_that_an_event_is_told_in_one_line(event: Event, said: str) -> None:
    assert text.sentence(event) == said


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.4, "0 s"),
        (59.4, "59 s"),
        (61, "1 min 01 s"),
        (3599.7, "1 h 00 min"),
        (7260, "2 h 01 min"),
    ],
)
def test_that_times_are_rounded_for_people(seconds: float, said: str) -> None:
    assert text.duration(seconds) == said


@pytest.mark.parametrize(
    ("count", "said"), [(7, "7 B"), (158_123, "158.1 kB"), (5_000_000_000, "5 GB")]
)
def test_that_sizes_are_rounded_for_people(count: int, said: str) -> None:
    assert text.size(count) == said


def test_that_a_line_of_output_names_its_place() -> None:
    assert text.log_line(LogRecord(1, 1.0, "a", 2, 0, "stdout", "hi")) == "a[2] | hi"
    assert text.log_line(LogRecord(1, 1.0, "", -1, -1, "stderr", "hi")) == "horovodrun | hi"
