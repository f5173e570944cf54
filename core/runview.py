"""What a run looks like now: a reducer over its records. No clock, no thread, no I/O."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from trainer.launchspec import LaunchSpec

from .events import (
    Batch,
    DriverReady,
    EpochEnd,
    Event,
    ExportProgress,
    HostsRequested,
    HostState,
    HostStateChanged,
    Problem,
    Record,
    Resize,
    RunOver,
    RunState,
    RunStateChanged,
    Stage,
    Topology,
    TrainBegin,
)
from .progress import Progress, Speed, eta

MAX_PROBLEMS = 500
MAX_RESIZES = 10_000


class Change(enum.Flag):
    """What a record changed, so that a window redraws only that."""

    NOTHING = 0
    STATE = enum.auto()
    HOSTS = enum.auto()
    WORLD = enum.auto()
    PROGRESS = enum.auto()
    RESIZES = enum.auto()
    EXPORTS = enum.auto()
    PROBLEMS = enum.auto()
    METRICS = enum.auto()


@dataclass(frozen=True, slots=True)
class StateView:
    """``since``: when it began. ``have`` of ``need`` slots and ``deadline`` while waiting."""

    state: RunState = RunState.PREPARING
    reason: str = ""
    since: float = 0.0
    have: int = 0
    need: int = 0
    deadline: float | None = None


@dataclass(frozen=True, slots=True)
class HostView:
    """``slots``: what the job should have of it, 0 when it is not wanted (any more)."""

    name: str
    state: HostState = HostState.AVAILABLE
    slots: int = 0
    ranks: tuple[int, ...] = ()
    reason: str = ""
    until: float | None = None
    since: float = 0.0


@dataclass(frozen=True, slots=True)
class ExportView:
    """``path`` is on the driver machine. ``max_difference``: of predictions, reloaded against live."""

    request: str
    stage: Stage
    text: str = ""
    path: str = ""
    step: int = -1
    size_bytes: int = 0
    max_difference: float | None = None
    signature: str = ""


@dataclass(frozen=True, slots=True)
class SeenProblem:
    """The same problem again counts up instead of filling the list."""

    problem: Problem
    time: float
    count: int = 1


class RunView:
    """Give it every record in order with :meth:`apply`; read its attributes in the same thread."""

    def __init__(self, spec: LaunchSpec | None = None) -> None:
        self.spec = spec
        self.started: float | None = None
        self.ended: float | None = None
        self.last_seq = 0
        self.state = StateView()
        self.over: RunOver | None = None
        self.driver: DriverReady | None = None
        self.topology: Topology | None = None
        self.world_size = 0
        self.progress = Progress()
        self.metric_names: tuple[str, ...] = ()
        self._wanted: dict[str, int] = dict(spec.hosts) if spec else {}
        self._hosts: dict[str, HostView] = {}
        self._exports: dict[str, ExportView] = {}
        self._problems: dict[tuple[str, str, str], SeenProblem] = {}
        self._resizes: list[Resize] = []
        self._known_metrics: set[str] = set()
        self._speed = Speed()

    def apply(self, record: Record) -> Change:
        self.last_seq = record.seq
        if self.started is None:
            self.started = record.time
        return self._apply(record.event, record.time)

    # ---- reading ------------------------------------------------------------------------------

    @property
    def wanted_hosts(self) -> Mapping[str, int]:
        """Name -> slots, as somebody asked for last."""
        return self._wanted

    @property
    def desired_size(self) -> int:
        size = sum(self._wanted.values())
        limit = self.spec.max_np if self.spec else None
        return size if limit is None else min(size, limit)

    @property
    def hosts(self) -> tuple[HostView, ...]:
        """Those that the run knows, by name: wanted, or told about."""
        names = sorted({*self._hosts, *self._wanted})
        return tuple(self.host(name) for name in names)

    def host(self, name: str) -> HostView:
        view = self._hosts.get(name) or HostView(name)
        return replace(view, slots=self._wanted.get(name, 0))

    @property
    def exports(self) -> tuple[ExportView, ...]:
        return tuple(self._exports.values())

    def export(self, request: str) -> ExportView | None:
        return self._exports.get(request)

    @property
    def problems(self) -> tuple[SeenProblem, ...]:
        return tuple(self._problems.values())

    @property
    def resizes(self) -> Sequence[Resize]:
        return self._resizes

    @property
    def eta(self) -> float | None:
        """Seconds of training left; None while unknown and when the run is over."""
        return None if self.over else eta(self.progress, self._speed)

    # ---- applying -----------------------------------------------------------------------------

    def _apply(self, event: Event, time: float) -> Change:
        match event:
            case Batch():
                return self._batch(event)
            case EpochEnd():
                return self._metrics(event.metrics)
            case TrainBegin():
                return self._begin(event)
            case RunStateChanged():
                return self._state(event, time)
            case HostStateChanged():
                return self._host_state(event, time)
            case HostsRequested():
                self._wanted = dict(event.hosts)
                return Change.HOSTS | Change.WORLD
            case Topology():
                return self._topology(event)
            case Resize():
                self._resizes.append(event)
                del self._resizes[:-MAX_RESIZES]
                return Change.RESIZES
            case ExportProgress():
                return self._export(event)
            case Problem():
                return self._problem(event, time)
            case DriverReady():
                self.driver = event
                return Change.STATE
            case RunOver():
                return self._over(event, time)
            case _:
                return Change.NOTHING

    def _batch(self, event: Batch) -> Change:
        change = Change.PROGRESS | self._metrics(event.metrics)
        if event.size != self.world_size:
            change |= self._resize(event.size)
        self.progress = replace(
            self.progress,
            step=event.step,
            epoch=event.epoch,
            samples=event.samples,
            wall=event.wall,
        )
        self._speed.add(event.wall, event.epoch)
        return change

    def _metrics(self, metrics: Mapping[str, float]) -> Change:
        if self._known_metrics.issuperset(metrics):
            return Change.NOTHING
        self.metric_names += tuple(name for name in metrics if name not in self._known_metrics)
        self._known_metrics.update(metrics)
        return Change.METRICS

    def _begin(self, event: TrainBegin) -> Change:
        self.progress = replace(
            self.progress,
            epochs=event.epochs or self.progress.epochs,
            steps_per_epoch=event.steps_per_epoch or self.progress.steps_per_epoch,
        )
        return Change.PROGRESS | self._metrics(dict.fromkeys(event.metrics, 0.0))

    def _state(self, event: RunStateChanged, time: float) -> Change:
        since = time if event.state is not self.state.state else self.state.since
        self.state = StateView(
            event.state, event.reason, since, event.have, event.need, event.deadline
        )
        return Change.STATE

    def _host_state(self, event: HostStateChanged, time: float) -> Change:
        self._hosts[event.host] = HostView(
            event.host,
            event.state,
            ranks=tuple(event.ranks),
            reason=event.reason,
            until=event.until,
            since=time,
        )
        return Change.HOSTS

    def _topology(self, event: Topology) -> Change:
        self.topology = event
        return Change.HOSTS | self._resize(event.size)

    def _resize(self, size: int) -> Change:
        if size != self.world_size:
            self._speed.resized()
        self.world_size = size
        return Change.WORLD

    def _export(self, event: ExportProgress) -> Change:
        self._exports[event.request] = ExportView(
            event.request,
            event.stage,
            event.text,
            event.path,
            event.step,
            event.size_bytes,
            event.max_difference,
            event.signature,
        )
        return Change.EXPORTS

    def _problem(self, event: Problem, time: float) -> Change:
        key = (event.code, event.host, event.text)
        before = self._problems.pop(key, None)
        self._problems[key] = SeenProblem(event, time, before.count + 1 if before else 1)
        if len(self._problems) > MAX_PROBLEMS:
            del self._problems[next(iter(self._problems))]
        return Change.PROBLEMS

    def _over(self, event: RunOver, time: float) -> Change:
        self.over, self.ended = event, time
        self.world_size = 0
        since = time if event.outcome is not self.state.state else self.state.since
        self.state = StateView(event.outcome, event.reason, since)
        return Change.STATE | Change.WORLD | Change.HOSTS
