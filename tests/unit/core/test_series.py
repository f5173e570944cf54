"""The curves' data: every point kept, rollbacks told apart, any x axis."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from helpers.points import START, batch, epoch_end, falling, records, resize, topology

from core.series import LEARNING_RATE, Axis, Key, Kind, SeriesStore, nearest
from trainer.events import Event, Record, RunState, RunStateChanged, WorkerLost

LOSS = Key(Kind.BATCH, "loss")
LATE = "demo-1[0].a"
NEXT = "demo-2[0].b"


def store_of(*events: Event) -> SeriesStore:
    store = SeriesStore()
    for record in records(events):
        store.apply(record)
    return store


def steps(store: SeriesStore, key: Key = LOSS) -> list[float]:
    return store.curve(key, Axis.STEP).x.tolist()


def test_that_every_batch_becomes_a_point() -> None:
    store = store_of(*falling(1000))
    curve = store.curve(LOSS, Axis.STEP)
    assert curve.x.tolist() == list(range(1, 1001))
    assert curve.y.tolist() == [event.metrics["loss"] for event in falling(1000)]
    assert store.points == 2000


def test_that_a_batch_keeps_every_one_of_its_columns() -> None:
    table = store_of(topology(4, 2), batch(7, size=2, loss=1.0)).batches
    expected = {
        "seq": 2, "step": 7, "epoch": 0.07, "samples": 224, "wall": START + 0.7, "size": 2,
        "generation": 4, "segment": 0, "step_time": 0.1,
    }  # fmt: skip
    assert {name: float(table.column(name)[0]) for name in expected} == pytest.approx(expected)


def test_that_events_without_a_curve_change_nothing() -> None:
    store = store_of(WorkerLost("demo-1[0].a", 3))
    assert (store.revision, store.points) == (0, 0)


def test_that_a_metric_that_appears_later_has_no_points_before() -> None:
    store = store_of(batch(1, loss=1.0), batch(2, loss=2.0), batch(3, loss=3.0, mae=0.5))
    curve = store.curve(Key(Kind.BATCH, "mae"), Axis.STEP)
    assert (curve.x.tolist(), curve.y.tolist()) == ([3], [0.5])


def test_that_a_metric_may_come_and_go() -> None:
    store = store_of(batch(1, loss=1.0, mae=9.0), batch(2, loss=2.0), batch(3, loss=3.0, mae=7.0))
    curve = store.curve(Key(Kind.BATCH, "mae"), Axis.STEP)
    assert (curve.x.tolist(), curve.y.tolist()) == ([1, 3], [9.0, 7.0])


def test_that_a_real_nan_is_a_point_and_a_missing_value_is_not() -> None:
    store = store_of(
        batch(1, loss=1.0), batch(2, loss=math.nan), batch(3, acc=0.5), batch(4, loss=math.inf)
    )
    curve = store.curve(LOSS, Axis.STEP)
    assert curve.x.tolist() == [1, 2, 4]
    assert math.isnan(curve.y[1])
    x, before, values = store.odd_points(LOSS, Axis.STEP)
    assert x.tolist() == [2, 4]
    assert before.tolist() == [1.0, 1.0]
    assert math.isnan(values[0])
    assert values[1] == math.inf


def test_that_a_nan_before_every_finite_value_has_no_height() -> None:
    _, before, _ = store_of(batch(1, loss=math.nan), batch(2, loss=1.0)).odd_points(LOSS, Axis.STEP)
    assert np.isnan(before).tolist() == [True]


def test_that_a_missing_learning_rate_is_no_point() -> None:
    store = store_of(batch(1, lr=None, loss=1.0), batch(2, lr=0.5, loss=1.0))
    curve = store.curve(LEARNING_RATE, Axis.STEP)
    assert (curve.x.tolist(), curve.y.tolist()) == ([2], [0.5])


# ---- rollbacks -----------------------------------------------------------------------------------


def test_that_a_rollback_supersedes_the_repeated_steps_and_keeps_them() -> None:
    store = store_of(
        *[batch(s, loss=s) for s in range(1, 11)], *[batch(s, loss=-s) for s in range(6, 13)]
    )
    live = store.curve(LOSS, Axis.STEP)
    assert live.x.tolist() == list(range(1, 13))
    assert live.y.tolist() == [1, 2, 3, 4, 5, -6, -7, -8, -9, -10, -11, -12]
    (gone,) = store.superseded(LOSS, Axis.STEP)
    assert (gone.x.tolist(), gone.y.tolist()) == ([6, 7, 8, 9, 10], [6, 7, 8, 9, 10])
    assert store.points == 17


def test_that_each_rollback_leaves_a_curve_of_its_own() -> None:
    tries = [batch(s, loss=1.0) for s in (1, 2, 3, 4, 3, 4, 5, 4, 5, 6)]
    gone = store_of(*tries).superseded(LOSS, Axis.STEP)
    assert [curve.x.tolist() for curve in gone] == [[3, 4], [4, 5]]


def test_that_only_the_newest_rollbacks_are_given_when_asked() -> None:
    tries = [batch(s, loss=float(i)) for i, s in enumerate([1, 2, 3] * 5)]
    store = store_of(*tries)
    newest = store.superseded(LOSS, Axis.STEP, most=2)
    assert [curve.y.tolist() for curve in newest] == [[6, 7, 8], [9, 10, 11]]
    assert (
        len(store.superseded(LOSS, Axis.STEP, most=9))
        == len(store.superseded(LOSS, Axis.STEP))
        == 4
    )


def test_that_a_rollback_supersedes_the_ends_of_epochs_after_it() -> None:
    val = Key(Kind.EPOCH, "val_loss")
    store = store_of(
        batch(100, loss=1.0), epoch_end(100, val_loss=1.0), batch(101, loss=1.0),
        batch(200, loss=1.0), epoch_end(200, val_loss=2.0), batch(150, loss=1.0), batch(200, loss=1.0),
        epoch_end(200, val_loss=3.0),
    )  # fmt: skip
    assert store.curve(val, Axis.STEP).y.tolist() == [1.0, 3.0]
    assert [curve.y.tolist() for curve in store.superseded(val, Axis.STEP)] == [[2.0]]


def test_that_the_segment_counts_rollbacks() -> None:
    table = store_of(*[batch(s, loss=1.0) for s in (1, 2, 2, 3, 1)]).batches
    assert table.column("segment").tolist() == [2]


def test_that_two_logs_of_one_step_with_other_metrics_are_no_rollback() -> None:
    store = store_of(batch(1, loss=1.0), batch(1, acc=0.5), batch(2, loss=2.0), batch(2, acc=0.6))
    assert steps(store) == [1, 2]
    assert steps(store, Key(Kind.BATCH, "acc")) == [1, 2]
    assert not len(store.superseded_batches)


def test_that_the_same_metric_of_the_same_step_again_is_a_rollback() -> None:
    store = store_of(batch(1, loss=1.0), batch(2, loss=2.0), batch(2, loss=3.0))
    assert store.curve(LOSS, Axis.STEP).y.tolist() == [1.0, 3.0]
    assert len(store.superseded_batches) == 1


def test_that_the_first_step_may_be_repeated_too() -> None:
    store = store_of(batch(1, loss=1.0), batch(1, loss=2.0))
    assert store.curve(LOSS, Axis.STEP).y.tolist() == [2.0]


def test_that_live_steps_rise_after_any_walk_of_steps() -> None:
    random = np.random.default_rng(7)
    walk = np.maximum(1, np.cumsum(random.choice([1, 1, 1, 1, -4], 3000)))
    store = store_of(*[batch(int(s), loss=float(i)) for i, s in enumerate(walk)])
    live = store.batches.column("step")
    assert (np.diff(live) > 0).all()
    assert len(live) + len(store.superseded_batches) == 3000
    everything = np.concatenate(
        [store.batches.metrics["loss"].values, store.superseded_batches.metrics["loss"].values]
    )
    assert sorted(everything) == list(range(3000))
    last_said = {int(s): float(i) for i, s in enumerate(walk)}
    assert all(
        last_said[int(s)] == y for s, y in zip(live, store.curve(LOSS, Axis.STEP).y, strict=True)
    )


# ---- a former rank 0 that speaks late ------------------------------------------------------------


def test_that_a_late_point_before_the_new_rank_0_joins_the_live_ones() -> None:
    store = store_of(
        topology(0, 2, LATE), batch(1, LATE, loss=1.0), batch(2, LATE, loss=2.0),
        topology(1, 2, NEXT), batch(4, NEXT, loss=4.0), batch(5, NEXT, loss=5.0),
        batch(3, LATE, loss=3.0), batch(6, NEXT, loss=6.0),
    )  # fmt: skip
    assert store.curve(LOSS, Axis.STEP).y.tolist() == [1, 2, 3, 4, 5, 6]
    assert not len(store.superseded_batches)


def test_that_a_late_point_that_the_new_rank_0_repeated_is_superseded() -> None:
    store = store_of(
        topology(0, 2, LATE), batch(1, LATE, loss=1.0), batch(2, LATE, loss=2.0),
        topology(1, 2, NEXT), batch(3, NEXT, loss=30.0), batch(4, NEXT, loss=40.0),
        batch(3, LATE, loss=3.0), batch(5, NEXT, loss=50.0),
    )  # fmt: skip
    assert store.curve(LOSS, Axis.STEP).y.tolist() == [1, 2, 30, 40, 50]
    assert [curve.y.tolist() for curve in store.superseded(LOSS, Axis.STEP)] == [[3.0]]


def test_that_a_worker_that_becomes_rank_0_again_is_not_late() -> None:
    store = store_of(
        topology(0, 2, LATE), batch(1, LATE, loss=1.0), topology(1, 2, NEXT), batch(2, NEXT, loss=2.0),
        topology(2, 2, LATE), batch(2, LATE, loss=3.0), batch(3, LATE, loss=4.0),
    )  # fmt: skip
    assert store.curve(LOSS, Axis.STEP).y.tolist() == [1, 3, 4]


def test_that_a_rollback_after_late_points_still_finds_its_place() -> None:
    store = store_of(
        topology(0, 2, LATE), batch(1, LATE, loss=1.0), topology(1, 2, NEXT), batch(5, NEXT, loss=5.0),
        batch(2, LATE, loss=2.0), batch(3, LATE, loss=3.0), batch(3, NEXT, loss=30.0),
    )  # fmt: skip
    assert steps(store) == [1, 2, 3]
    assert store.curve(LOSS, Axis.STEP).y.tolist() == [1, 2, 30]


# ---- axes ----------------------------------------------------------------------------------------


def test_that_each_axis_shows_its_own_column() -> None:
    store = store_of(*[batch(s, loss=1.0) for s in (1, 2, 3)])
    assert store.curve(LOSS, Axis.EPOCH).x.tolist() == [0.01, 0.02, 0.03]
    assert store.curve(LOSS, Axis.SAMPLES).x.tolist() == [32, 64, 96]
    assert store.curve(LOSS, Axis.RELATIVE).x == pytest.approx([0.1, 0.2, 0.3], abs=1e-6)
    wall = store.curve(LOSS, Axis.WALL)
    assert wall.x + wall.offset == pytest.approx([START + 0.1, START + 0.2, START + 0.3], abs=1e-6)


def test_that_clocks_that_go_back_are_put_in_order() -> None:
    store = store_of(
        batch(1, wall=START, loss=1.0),
        batch(2, wall=START + 9, loss=2.0),
        batch(3, wall=START + 5, loss=3.0),
    )
    curve = store.curve(LOSS, Axis.WALL)
    assert (np.diff(curve.x) >= 0).all()
    assert curve.y.tolist() == [1.0, 3.0, 2.0]
    assert steps(store) == [1, 2, 3]


def test_that_points_of_unknown_samples_are_left_out_on_that_axis_only() -> None:
    store = store_of(batch(1, samples=-1, loss=1.0), batch(2, samples=64, loss=2.0))
    assert store.curve(LOSS, Axis.SAMPLES).y.tolist() == [2.0]
    assert store.curve(LOSS, Axis.STEP).y.tolist() == [1.0, 2.0]
    assert store.has_samples()


def test_that_the_end_of_an_epoch_stands_at_its_last_batch() -> None:
    store = store_of(batch(100, loss=1.0), epoch_end(100, val_loss=0.5))
    assert store.curve(Key(Kind.EPOCH, "val_loss"), Axis.EPOCH).x.tolist() == [1.0]


@pytest.mark.parametrize("axis", list(Axis))
def test_that_the_extent_holds_every_point_superseded_ones_too(axis: Axis) -> None:
    store = store_of(*[batch(s, loss=1.0) for s in range(1, 21)], batch(5, loss=1.0))
    low, high = store.extent(axis) or (0, 0)
    xs = [store.curve(LOSS, axis).x, *(curve.x for curve in store.superseded(LOSS, axis))]
    assert (low, high) == (min(x.min() for x in xs), max(x.max() for x in xs))


def test_that_an_empty_store_answers_everything() -> None:
    store = SeriesStore()
    assert store.extent(Axis.STEP) is None
    assert store.x_of_step(Axis.WALL, 3) is None
    assert store.row_at(Axis.STEP, 3) is None
    assert store.row_at(Axis.WALL, 3) is None
    assert len(store.world_size(Axis.EPOCH).x) == 0
    assert len(store.curve(LOSS, Axis.STEP).x) == 0
    assert store.superseded(LOSS, Axis.STEP) == []
    assert store.curve_keys() == []


# ---- world size, marks, states -------------------------------------------------------------------


def test_that_the_world_size_has_a_corner_at_each_change_and_at_the_newest_point() -> None:
    sizes = [2, 2, 2, 3, 3, 2, 2]
    store = store_of(*[batch(s, size=n, loss=1.0) for s, n in enumerate(sizes, 1)])
    curve = store.world_size(Axis.STEP)
    assert list(zip(curve.x.tolist(), curve.y.tolist(), strict=True)) == [
        (1, 2),
        (4, 3),
        (6, 2),
        (7, 2),
    ]


def test_that_a_resize_becomes_a_mark_with_its_story() -> None:
    store = store_of(batch(1, loss=1.0), resize(2, 2, 3, joined="demo-3"), batch(2, loss=1.0))
    (mark,) = store.marks
    assert mark.label == "+demo-3"
    assert mark.seconds == pytest.approx(3.5)
    assert store.x_of_step(Axis.SAMPLES, mark.step) == 64


@pytest.mark.parametrize(
    ("joined", "left", "label"),
    [("demo-3", "demo-1", "+demo-3 −demo-1"), ("", "demo-1", "−demo-1"), ("", "", "2 → 3")],
)
def test_that_a_mark_says_who_came_and_who_went(joined: str, left: str, label: str) -> None:
    assert store_of(resize(2, 2, 3, joined, left)).marks[0].label == label


def test_that_a_mark_without_a_request_tells_no_seconds() -> None:
    event = resize(2, 2, 3)
    without = type(event)(
        **{**{f: getattr(event, f) for f in event.__dataclass_fields__}, "requested": None}
    )
    assert store_of(without).marks[0].seconds is None


def test_that_the_state_is_the_last_one_told() -> None:
    store = store_of(RunStateChanged(RunState.STARTING), RunStateChanged(RunState.FAILED, "why"))
    assert store.state is RunState.FAILED


def test_that_the_newest_seq_is_known() -> None:
    store = SeriesStore()
    store.apply(Record(41, START, batch(1, loss=1.0)))
    assert store.last_seq == 41


# ---- keys ----------------------------------------------------------------------------------------


def test_that_of_an_epoch_only_what_no_batch_tells_is_a_curve() -> None:
    store = store_of(
        batch(1, loss=1.0, accuracy=0.1),
        epoch_end(1, loss=1.0, accuracy=0.1, val_loss=2.0, learning_rate=0.1, f1=0.3),
    )
    assert [(key.kind, key.name) for key in store.curve_keys()] == [
        (Kind.BATCH, "loss"), (Kind.BATCH, "accuracy"), (Kind.EPOCH, "val_loss"), (Kind.EPOCH, "f1"),
    ]  # fmt: skip


def test_that_the_nearest_of_rising_values_is_found() -> None:
    x = np.array([1.0, 2.0, 4.0])
    found = [nearest(x, place) for place in (-5, 1.4, 1.6, 3.2, 99)]
    assert found == [0, 0, 1, 2, 2]
    assert nearest(x[:0], 1) is None


def test_that_the_version_changes_with_every_kind_of_change() -> None:
    store = SeriesStore()
    seen = [store.version(LOSS)]
    for record in records(
        [batch(1, loss=1.0), batch(2, loss=1.0), batch(2, loss=1.0), batch(2, loss=1.0)]
    ):
        store.apply(record)
        seen.append(store.version(LOSS))
    assert all(a != b for a, b in itertools.combinations(seen, 2))


@pytest.mark.slow
def test_that_a_million_points_are_kept_exactly() -> None:
    store = SeriesStore()
    seqs = range(1, 1_000_001)
    for seq in seqs:
        store.apply(Record(seq, START, batch(seq, loss=float(seq))))
    curve = store.curve(LOSS, Axis.STEP)
    assert np.array_equal(curve.x, np.arange(1, 1_000_001))
    assert np.array_equal(curve.y, curve.x)
    assert np.shares_memory(curve.y, store.batches.metrics["loss"].values)
