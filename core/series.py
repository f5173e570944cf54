"""The curves' data of one run: every point that its journal tells, kept.

Two pairs of tables: batches and ends of epochs, each *live* and *superseded*. When Horovod rolls back,
training repeats steps; the points that it repeats move to the superseded table, so the live one always
rises in step and reads as plain columns. Nothing is thrown away: the CSV has every point of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from core.curve import LEARNING_RATE, Axis, Curve, Key, Kind, ResizeMark, nearest, rising
from core.table import Floats, Rows, Sparse, Table
from trainer.events import Batch, EpochEnd, Record, Resize, RunState, RunStateChanged, Topology

__all__ = [
    "LEARNING_RATE",
    "Axis",
    "Curve",
    "Key",
    "Kind",
    "Record",
    "ResizeMark",
    "RunState",
    "SeriesStore",
    "nearest",
]

_NOT_CURVES = frozenset({"lr", "learning_rate"})
"""Keras' schedules write these into an epoch's logs; the learning rate has a curve of its own."""


@dataclass(slots=True)
class _Source:
    """Which worker the points come from, and with which step its turn as rank 0 began."""

    worker: str = ""
    first_step: float = -np.inf
    rank0: str = ""
    """Who is rank 0, as the last topology says; "" unknown."""

    def is_late(self, worker: str) -> bool:
        """Whether a former rank 0 sends what it could not send before its successor spoke."""
        return bool(self.rank0) and self.rank0 == self.worker != worker


@dataclass(slots=True)
class _Pair:
    live: Table = field(default_factory=Table)
    superseded: Table = field(default_factory=Table)
    last_step: float = -np.inf
    names_at_last_step: set[str] = field(default_factory=set)
    unsorted: bool = False
    breaks: list[int] = field(default_factory=list)
    """The row of the superseded table with which each rollback begins."""

    def goes_back(self, step: int, metrics: Mapping[str, float]) -> bool:
        """Two calls of maypole.log for one step, each with metrics of its own, do not go back."""
        if step == self.last_step:
            return not metrics or not self.names_at_last_step.isdisjoint(metrics)
        return step < self.last_step

    def cut(self, step: int) -> None:
        """Points from ``step`` on become superseded."""
        self.tidy()
        steps = self.live.column("step")
        keep = int(np.searchsorted(steps, step, "left"))
        if keep < len(steps):
            self.breaks.append(len(self.superseded))
            self.live.move_tail(keep, self.superseded)
            self.last_step = float(steps[keep - 1]) if keep else -np.inf
            self.names_at_last_step = set()

    def break_before(self, step: int) -> None:
        """A superseded point that does not follow the one before it begins a curve."""
        steps = self.superseded.column("step")
        if len(steps) and steps[-1] != step - 1:
            self.breaks.append(len(steps))

    def note(self, step: int, metrics: Mapping[str, float]) -> None:
        if step != self.last_step:
            self.last_step = step
            self.names_at_last_step = set()
        self.names_at_last_step.update(metrics)

    def tidy(self) -> None:
        if self.unsorted:
            self.live.sort("step")
            self.unsorted = False

    def names(self) -> list[str]:
        return list(dict.fromkeys([*self.live.metrics, *self.superseded.metrics]))


class SeriesStore:
    """``apply`` takes the journal's records in their order; kinds without a curve are passed over."""

    def __init__(self) -> None:
        self._batches = _Pair()
        self._epochs = _Pair()
        self._source = _Source()
        self._segment = 0
        self._generation = -1
        self._start: float | None = None
        self.revision = 0
        """Rises with every record that changed something."""
        self.last_seq = 0
        self.marks: list[ResizeMark] = []
        self.states: list[tuple[float, RunState]] = []
        self.sizes: list[tuple[float, int]] = []
        """(time, world size) of every topology."""

    # ---- what comes in -----------------------------------------------------------------------

    def apply(self, record: Record) -> None:
        event = record.event
        if isinstance(event, Batch):
            self._apply_batch(record.seq, event)
        elif isinstance(event, EpochEnd):
            self._apply_epoch(record.seq, event)
        elif isinstance(event, Topology):
            self._apply_topology(record.time, event)
        elif isinstance(event, Resize):
            self.marks.append(_mark(record, event))
        elif isinstance(event, RunStateChanged):
            self.states.append((record.time, event.state))
        else:
            return
        self.last_seq = record.seq
        self.revision += 1

    def _apply_topology(self, time: float, event: Topology) -> None:
        self._generation = event.generation
        self.sizes.append((time, event.size))
        self._source.rank0 = next((m.worker for m in event.members if m.rank == 0), "")

    def _apply_batch(self, seq: int, event: Batch) -> None:
        if self._start is None:
            self._start = event.wall - max(0.0, event.step_time)
        table = self._place(self._batches, event, (self._batches, self._epochs))
        if event.worker != self._source.worker and not self._source.is_late(event.worker):
            self._source.worker, self._source.first_step = event.worker, event.step
        table.append(self._row(seq, event, event.epoch, event.step_time), event.lr, event.metrics)

    def _apply_epoch(self, seq: int, event: EpochEnd) -> None:
        table = self._place(self._epochs, event, (self._epochs,))
        table.append(self._row(seq, event, self._epoch_at(event), 0.0), None, event.metrics)

    def _place(self, pair: _Pair, event: Batch | EpochEnd, cuts: tuple[_Pair, ...]) -> Table:
        """The table that the point belongs to; ``cuts`` are rolled back first if it says so."""
        if self._source.is_late(event.worker):
            if event.step >= self._source.first_step:
                pair.break_before(event.step)
                return pair.superseded
            pair.unsorted = True
            return pair.live
        if pair.goes_back(event.step, event.metrics):
            self._segment += 1
            for each in cuts:
                each.cut(event.step)
        pair.note(event.step, event.metrics)
        return pair.live

    def _row(
        self, seq: int, event: Batch | EpochEnd, epoch: float, step_time: float
    ) -> tuple[float, ...]:
        samples = np.nan if event.samples < 0 else event.samples
        place = (seq, event.step, epoch, samples, event.wall)
        return (*place, event.size, self._generation, self._segment, step_time)

    def _epoch_at(self, event: EpochEnd) -> float:
        """The end of an epoch stands where its last batch stands, on this axis too."""
        live = self._batches.live
        if len(live) and live.column("step")[-1] == event.step:
            return float(live.column("epoch")[-1])
        return float(event.epoch)

    # ---- what goes out -----------------------------------------------------------------------

    @property
    def batches(self) -> Table:
        """Live points, one row a batch, rising in step."""
        self._batches.tidy()
        return self._batches.live

    @property
    def epochs(self) -> Table:
        self._epochs.tidy()
        return self._epochs.live

    @property
    def superseded_batches(self) -> Table:
        """Batches that a rollback repeated."""
        return self._batches.superseded

    @property
    def superseded_epochs(self) -> Table:
        return self._epochs.superseded

    @property
    def start(self) -> float:
        """Seconds since the epoch at which the first batch began; 0 before it ended."""
        return self._start or 0.0

    @property
    def state(self) -> RunState | None:
        return self.states[-1][1] if self.states else None

    @property
    def points(self) -> int:
        """How many values of metrics are kept."""
        tables = (t for pair in (self._batches, self._epochs) for t in (pair.live, pair.superseded))
        return sum(table.points() for table in tables)

    def curve_keys(self) -> list[Key]:
        """Every metric's curve, in the order in which they first came.

        Of what the end of an epoch tells only those that no batch tells: val_* with Keras.
        """
        batch = self._batches.names()
        known = _NOT_CURVES.union(batch)
        epoch = [name for name in self._epochs.names() if name not in known]
        return [Key(Kind.BATCH, name) for name in batch] + [Key(Kind.EPOCH, name) for name in epoch]

    def has_samples(self) -> bool:
        samples = self.batches.column("samples")
        return bool(len(samples)) and not np.isnan(samples).all()

    def offset(self, axis: Axis) -> float:
        """What Curve.x leaves off: times are counted from the start, where floats are fine enough."""
        return self.start if axis is Axis.WALL else 0.0

    def curve(self, key: Key, axis: Axis) -> Curve:
        """One metric over an axis. Copies no column unless it must."""
        table, sparse = self._find(key, superseded=False)
        if sparse is None:
            return Curve(np.empty(0), np.empty(0))
        x = sparse.of(self._axis(table, axis))
        if axis is Axis.STEP:
            return Curve(x, sparse.values, 0.0, sparse.rewrites)
        placed, y = rising(x, sparse.values)
        version = (
            sparse.rewrites if placed is x else -1 - len(x)
        )  # new points may lie between old ones
        return Curve(placed, y, self.offset(axis), version)

    def superseded(self, key: Key, axis: Axis, most: int | None = None) -> list[Curve]:
        """What rollbacks left behind of a metric: one curve for each, of the newest ``most``."""
        table, sparse = self._find(key, superseded=True)
        if sparse is None or not len(sparse):
            return []
        pair = self._epochs if key.kind is Kind.EPOCH else self._batches
        starts = np.unique(np.searchsorted(sparse.rows, pair.breaks))
        starts = starts[(starts > 0) & (starts < len(sparse))]
        first = int(starts[-most]) if most is not None and len(starts) >= most else 0
        x, y = sparse.of(self._axis(table, axis))[first:], sparse.values[first:]
        starts = starts[starts > first] - first
        pieces = zip(np.split(x, starts), np.split(y, starts), strict=True)
        return [Curve(*rising(px, py), self.offset(axis)) for px, py in pieces]

    def version(self, key: Key) -> tuple[int, int, int]:
        """Differs whenever the points of a key, live or superseded, differ."""
        _, live = self._find(key, superseded=False)
        _, gone = self._find(key, superseded=True)
        sizes = (len(live) if live is not None else 0, len(gone) if gone is not None else 0)
        return (*sizes, live.rewrites if live is not None else 0)

    def odd_points(self, key: Key, axis: Axis) -> tuple[Floats, Floats, Floats]:
        """Where NaN and infinities are: x, the finite value before each (NaN: none), and what it is."""
        table, sparse = self._find(key, superseded=False)
        if sparse is None or not sparse.odd:
            return np.empty(0), np.empty(0), np.empty(0)
        values, odd = sparse.values, np.array(sparse.odd)
        known = np.maximum.accumulate(np.where(np.isfinite(values), np.arange(len(values)), -1))[
            odd
        ]
        before = np.where(known >= 0, values[known], np.nan)
        return sparse.of(self._axis(table, axis))[odd], before, values[odd]

    def world_size(self, axis: Axis) -> Curve:
        """Corners of the world size: where it changes, and the newest point."""
        size = self.batches.column("size")
        if not len(size):
            return Curve(size, size)
        changes = np.flatnonzero(size[1:] != size[:-1]) + 1
        rows = np.concatenate(([0], changes, [len(size) - 1]))
        x, y = rising(self._axis(self.batches, axis, rows), size[rows])
        return Curve(x, y, self.offset(axis), self._segment)

    def extent(self, axis: Axis) -> tuple[float, float] | None:
        """The least and the greatest place of any batch, superseded ones too."""
        ends = []
        for table in (self.batches, self.epochs, self._batches.superseded):
            x = self._axis(table, axis)
            if axis is Axis.STEP and table is not self._batches.superseded:
                x = x[[0, -1]] if len(x) else x  # it rises
            x = x[~np.isnan(x)]
            if len(x):
                ends.append((float(x.min()), float(x.max())))
        if not ends:
            return None
        return min(low for low, _ in ends), max(high for _, high in ends)

    def x_of_step(self, axis: Axis, step: float) -> float | None:
        """Where a step stands on an axis: at its batch, or the nearest after it."""
        steps = self.batches.column("step")
        if not len(steps):
            return None
        row = min(int(np.searchsorted(steps, step, "left")), len(steps) - 1)
        x = float(self._axis(self.batches, axis, np.array([row]))[0])
        return None if np.isnan(x) else x

    def row_at(self, axis: Axis, x: float) -> int | None:
        """The live batch nearest to a place on the axis (as in Curve.x)."""
        if axis is Axis.STEP:
            return nearest(self.batches.column("step"), x)
        distance = np.abs(self._axis(self.batches, axis) - x)
        return None if np.isnan(distance).all() else int(np.nanargmin(distance))

    def _find(self, key: Key, superseded: bool) -> tuple[Table, Sparse | None]:
        pair = self._epochs if key.kind is Kind.EPOCH else self._batches
        pair.tidy()
        table = pair.superseded if superseded else pair.live
        return table, table.lr if key.kind is Kind.LEARNING_RATE else table.metrics.get(key.name)

    def _axis(self, table: Table, axis: Axis, rows: Rows | None = None) -> Floats:
        column = table.column("wall" if axis.is_time else axis.value)
        if rows is not None:
            column = column[rows]
        return column - self.start if axis.is_time else column


def _mark(record: Record, event: Resize) -> ResizeMark:
    seconds = None
    if event.requested is not None and event.first_step is not None:
        seconds = event.first_step - event.requested
    return ResizeMark(
        record.seq, record.time, event.step, event.generation, event.cause, event.old_size,
        event.new_size, tuple(event.joined), tuple(event.left), seconds, event.repeated_steps,
    )  # fmt: skip
