from __future__ import annotations

from typing import Any

import pytest

from core.errors import ExportError
from core.events import (
    Batch,
    DriverReady,
    EpochEnd,
    Event,
    ExportProgress,
    HostsRequested,
    HostState,
    HostStateChanged,
    Member,
    Problem,
    Record,
    Resize,
    RunOver,
    RunState,
    RunStateChanged,
    ScriptWritten,
    Stage,
    Topology,
    TrainBegin,
)
from core.export import fetch_export, final_export
from core.localmachine import LocalMachine
from core.runview import MAX_PROBLEMS, Change, HostView, RunView
from trainer.launchspec import LaunchSpec

SPEC = LaunchSpec(
    name="n", python="/p", workdir="/w", script="s.py", hosts={"a": 1, "b": 1}, max_np=3
)


def batch(wall: float, epoch: float, step: int = 1, size: int = 2, **metrics: float) -> Batch:
    return Batch("a[0].x", wall, step, epoch, size, metrics or {"loss": 1.0})


def view_of(*events: Event) -> RunView:
    view = RunView(SPEC)
    for number, event in enumerate(events, 1):
        view.apply(Record(number, 100.0 + number, event))
    return view


def change_of(event: Event, view: RunView) -> Change:
    return view.apply(Record(view.last_seq + 1, 200.0, event))


def resize(step: int) -> Resize:
    return Resize(1, "hosts changed", 2, 3, ["c"], [], step)


def test_that_a_new_view_prepares_with_the_hosts_that_were_asked_for() -> None:
    view = RunView(SPEC)
    assert view.state.state is RunState.PREPARING
    assert [(host.name, host.slots, host.state) for host in view.hosts] == [
        ("a", 1, HostState.AVAILABLE),
        ("b", 1, HostState.AVAILABLE),
    ]
    assert (view.world_size, view.desired_size, view.eta) == (0, 2, None)


def test_that_a_state_keeps_its_beginning_while_only_its_numbers_change() -> None:
    view = view_of(
        RunStateChanged(RunState.WAITING, "", 0, 2, 700.0),
        RunStateChanged(RunState.WAITING, "", 1, 2, 700.0),
    )
    now = view.state
    assert (now.state, now.since, now.have, now.need, now.deadline) == (
        RunState.WAITING, 101.0, 1, 2, 700.0,
    )  # fmt: skip


def test_that_hosts_tell_state_ranks_reason_and_what_is_wanted_of_them() -> None:
    view = view_of(
        HostStateChanged("a", HostState.TRAINING, "", [0, 1]),
        HostStateChanged("c", HostState.BLACKLISTED, "its worker ended", [], 400.0),
        HostsRequested({"a": 2}),
    )
    assert view.host("a") == HostView("a", HostState.TRAINING, 2, (0, 1), since=101.0)
    assert (view.host("c").reason, view.host("c").until) == ("its worker ended", 400.0)
    assert [host.name for host in view.hosts] == ["a", "c"]
    assert view.wanted_hosts == {"a": 2}


def test_that_the_desired_size_never_goes_beyond_max_np() -> None:
    view = view_of(HostsRequested({"a": 2, "b": 2}))
    assert view.desired_size == 3


def test_that_the_world_is_that_of_the_last_topology_or_batch() -> None:
    view = view_of(Topology(0, 2, [Member(0, "a", 0), Member(1, "b", 0)]))
    assert view.world_size == 2
    assert Change.WORLD in change_of(batch(10, 0.1, size=3), view)
    assert view.world_size == 3


def test_that_progress_metrics_and_their_order_come_from_the_batches() -> None:
    view = view_of(
        TrainBegin("a[0].x", 1.0, 0, epochs=10, steps_per_epoch=20, metrics=["loss"]),
        batch(10.0, 0.5, step=10, loss=2.0, accuracy=0.5),
        EpochEnd("a[0].x", 11.0, 20, 1, 2, {"loss": 1.5, "val_loss": 1.6}),
    )
    now = view.progress
    assert (now.step, now.epoch, now.epochs, now.steps_per_epoch) == (10, 0.5, 10, 20)
    assert now.fraction == pytest.approx(0.05)
    assert view.metric_names == ("loss", "accuracy", "val_loss")
    assert change_of(batch(12.0, 1.1, loss=1.0), view) is Change.PROGRESS


def test_that_the_time_left_follows_from_the_last_minute() -> None:
    view = view_of(TrainBegin("w", 0.0, 0, epochs=10))
    for second in range(121):
        view.apply(Record(second + 2, second, batch(float(second), second / 100)))
    assert view.eta == pytest.approx((10 - 1.2) * 100)


def test_that_a_resize_starts_the_measurement_again_from_the_old_speed() -> None:
    view = view_of(TrainBegin("w", 0.0, 0, epochs=10), batch(0, 0.0), batch(10, 1.0))
    view.apply(Record(9, 0, Topology(1, 3, [])))
    assert view.eta == pytest.approx(90)
    for wall, epoch in ((30, 1.0), (32, 2.0)):
        view.apply(Record(10, 0, batch(wall, epoch, size=3)))
    assert view.eta == pytest.approx(16)


def test_that_a_rollback_does_not_break_the_time_left() -> None:
    view = view_of(TrainBegin("w", 0.0, 0, epochs=10), batch(0, 1.0), batch(10, 2.0))
    view.apply(Record(9, 0, batch(20, 1.5)))
    view.apply(Record(10, 0, batch(30, 2.5)))
    assert view.eta == pytest.approx(75)


def test_that_the_end_is_told_with_its_reason_and_nothing_trains_any_more() -> None:
    view = view_of(batch(1, 0.5), RunOver(RunState.FAILED, "all workers failed", 1, ["b: pid 7"]))
    assert (view.state.state, view.state.reason) == (RunState.FAILED, "all workers failed")
    assert (view.started, view.ended, view.world_size, view.eta) == (101.0, 102.0, 0, None)
    assert view.over is not None
    assert view.over.left_behind == ["b: pid 7"]


def test_that_the_same_problem_counts_up_and_the_list_is_bounded() -> None:
    again = Problem("slow", "warning", "The disk is slow.")
    view = view_of(again, again)
    assert [(seen.problem, seen.count, seen.time) for seen in view.problems] == [(again, 2, 102.0)]
    for number in range(MAX_PROBLEMS + 10):
        change_of(Problem("x", "info", str(number)), view)
    assert len(view.problems) == MAX_PROBLEMS


def test_that_an_export_is_followed_by_its_request() -> None:
    view = view_of(
        ExportProgress("e1", Stage.REQUESTED),
        ExportProgress("e1", Stage.READY, "", "/x", 40, 1000, 0.0, "(8, 8, 1)"),
        ExportProgress("e2", Stage.WRITING),
    )
    assert [(export.request, export.stage) for export in view.exports] == [
        ("e1", Stage.READY),
        ("e2", Stage.WRITING),
    ]
    assert final_export(view) is None
    change_of(RunOver(RunState.FINISHED, ""), view)
    assert final_export(view) == view.export("e1")
    change_of(ExportProgress("final", Stage.READY, path="/f"), view)
    assert final_export(view) == view.export("final")


def test_that_an_export_that_is_not_ready_cannot_be_fetched(tmp_path: Any) -> None:
    view = view_of(ExportProgress("e1", Stage.FAILED, "rank 0 is gone"))
    export = view.export("e1")
    assert export is not None
    with pytest.raises(ExportError, match=r"not ready \(failed: rank 0 is gone\)\."):
        fetch_export(LocalMachine(), export, tmp_path / "x", lambda *_: None, lambda: False)


@pytest.mark.parametrize(
    ("event", "change"),
    [
        (RunStateChanged(RunState.TRAINING), Change.STATE),
        (DriverReady(1, "0.28.1", True), Change.STATE),
        (HostStateChanged("a", HostState.TRAINING), Change.HOSTS),
        (resize(3), Change.RESIZES),
        (Problem("x", "info", "y"), Change.PROBLEMS),
        (ExportProgress("e", Stage.WRITING), Change.EXPORTS),
        (ScriptWritten({"a": 1}), Change.NOTHING),
    ],
)
def test_that_an_event_says_what_it_changed(event: Event, change: Change) -> None:
    assert change_of(event, RunView(SPEC)) is change


def test_that_resizes_are_kept_in_order() -> None:
    view = view_of(resize(10), resize(20))
    assert [one.step for one in view.resizes] == [10, 20]
