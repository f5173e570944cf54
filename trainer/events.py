"""What can happen in a run: one frozen dataclass a kind. Their form on the wire is in eventcodec.py.

Standard library only; core imports this module. The journal ``events.ndjson`` holds one
:class:`Record` a line. Three groups by who says so first: the supervisor, ``drive`` (horovodrun's own state,
file ``drive.ndjson``), and the workers (over the worker link, numbered by each worker).

Times are seconds since the epoch on the clock of whoever says so; ``Record.time`` is the supervisor's.
A kind that this version does not know is read as :class:`Unknown` and kept as it came.
"""

from __future__ import annotations

import dataclasses
import enum
import re
from typing import Any, Dict, List, Optional, Tuple, Union

from .protocol import ProtocolError


class RunState(str, enum.Enum):
    PREPARING = "preparing"
    STARTING = "starting"
    WAITING = "waiting"
    TRAINING = "training"
    RESIZING = "resizing"
    STOPPING = "stopping"
    FINISHED = "finished"
    FAILED = "failed"
    STOPPED = "stopped"

    @property
    def over(self) -> bool:
        return self in (RunState.FINISHED, RunState.FAILED, RunState.STOPPED)


class HostState(str, enum.Enum):
    AVAILABLE = "available"
    ADMITTING = "admitting"
    OFFERED = "offered"
    TRAINING = "training"
    LEAVING = "leaving"
    STANDBY = "standby"
    BLACKLISTED = "blacklisted"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"


class Stage(str, enum.Enum):
    """Of an export."""

    REQUESTED = "requested"
    WRITING = "writing"
    VERIFYING = "verifying"
    READY = "ready"
    FAILED = "failed"


_WORKER = re.compile(r"\A(?P<host>[^\[\]]+)\[(?P<slot>\d+)\]\.(?P<incarnation>[0-9a-z]+)\Z")


def worker_id(host: str, slot: int, incarnation: str) -> str:
    """A worker's identity for its whole life: ``host[slot].incarnation``. Its rank is not."""
    return "%s[%d].%s" % (host, slot, incarnation)


def parse_worker_id(worker: str) -> Tuple[str, int, str]:
    match = _WORKER.match(worker)
    if match is None:
        raise ProtocolError("%.80r is not a worker's name" % worker)
    return match["host"], int(match["slot"]), match["incarnation"]


@dataclasses.dataclass(frozen=True)
class Member:
    """One worker's place in a topology. ``worker`` is "" until that worker has said hello."""

    rank: int
    host: str
    slot: int
    worker: str = ""


# ---- the supervisor ---------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class RunStateChanged:
    state: RunState
    reason: str = ""
    have: int = 0
    need: int = 0
    deadline: Optional[float] = None


@dataclasses.dataclass(frozen=True)
class HostsRequested:
    """Somebody wants these hosts (name -> slots). origin: start, window, command or hand."""

    hosts: Dict[str, int]
    request: str = ""
    origin: str = "start"


@dataclasses.dataclass(frozen=True)
class ScriptWritten:
    """The discovery script with these hosts is in place."""

    hosts: Dict[str, int]
    request: str = ""


@dataclasses.dataclass(frozen=True)
class HostStateChanged:
    host: str
    state: HostState
    reason: str = ""
    ranks: List[int] = dataclasses.field(default_factory=list)
    until: Optional[float] = None


@dataclasses.dataclass(frozen=True)
class Topology:
    """Who trains after a reset. ``generation`` counts resets of the run from 0, never back."""

    generation: int
    size: int
    members: List[Member]


@dataclasses.dataclass(frozen=True)
class Resize:
    """A reset, told once its first step is done. Times are epoch seconds, None where not seen."""

    generation: int
    cause: str
    old_size: int
    new_size: int
    joined: List[str]
    left: List[str]
    step: int
    requested: Optional[float] = None
    discovered: Optional[float] = None
    committed: Optional[float] = None
    rendezvous: Optional[float] = None
    synced: Optional[float] = None
    first_step: Optional[float] = None
    repeated_steps: int = 0


@dataclasses.dataclass(frozen=True)
class Nudged:
    reason: str


@dataclasses.dataclass(frozen=True)
class Adopted:
    """A new supervisor took over a run whose supervisor had died."""

    pid: int


@dataclasses.dataclass(frozen=True)
class Problem:
    """Plain words and what to do. severity: info, warning or error."""

    code: str
    severity: str
    text: str
    action: str = ""
    host: str = ""


@dataclasses.dataclass(frozen=True)
class ExportProgress:
    request: str
    stage: Stage
    text: str = ""
    path: str = ""
    step: int = -1
    size_bytes: int = 0
    max_difference: Optional[float] = None
    signature: str = ""


@dataclasses.dataclass(frozen=True)
class RunOver:
    """The last event of a run. ``left_behind`` names processes that would not end."""

    outcome: RunState
    reason: str
    exit_code: Optional[int] = None
    left_behind: List[str] = dataclasses.field(default_factory=list)


# ---- drive: horovodrun's own state ------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class DriverReady:
    pid: int
    horovod: str
    corrected: bool


@dataclasses.dataclass(frozen=True)
class DriverWaiting:
    """Waits for slots, initially or in a reset. ``have`` may be -1 (stock: not told)."""

    need: int
    have: int = -1
    deadline: Optional[float] = None


@dataclasses.dataclass(frozen=True)
class DriverDiscovered:
    hosts: Dict[str, int]


@dataclasses.dataclass(frozen=True)
class DriverAssigned:
    """A rendezvous: ranks are given out. ``members`` may be empty (stock tells only the size)."""

    size: int
    members: List[Member]


@dataclasses.dataclass(frozen=True)
class DriverWorkerStarted:
    host: str
    slot: int
    rank: int


@dataclasses.dataclass(frozen=True)
class DriverWorkerReady:
    """A worker reached the barrier of a rendezvous."""

    host: str
    slot: int


@dataclasses.dataclass(frozen=True)
class DriverWorkerExited:
    """``assigned`` False: it had been removed before, whatever its exit code."""

    host: str
    slot: int
    exit_code: int
    assigned: bool = True


@dataclasses.dataclass(frozen=True)
class DriverBlacklisted:
    host: str
    until: Optional[float] = None


@dataclasses.dataclass(frozen=True)
class DriverWhitelisted:
    host: str


@dataclasses.dataclass(frozen=True)
class DriverPollFailed:
    text: str


@dataclasses.dataclass(frozen=True)
class DriverNotified:
    """Rank 0 was told (or could not be told: ``delivered`` False) that the hosts changed."""

    delivered: bool
    reason: str = ""


@dataclasses.dataclass(frozen=True)
class DriverStopping:
    reason: str


# ---- workers ----------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class WorkerJoined:
    """A worker's first word. ``corrections`` are those of its Horovod build."""

    worker: str
    pid: int
    python: str = ""
    tensorflow: str = ""
    keras: str = ""
    horovod: str = ""
    corrections: List[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class WorkerRanked:
    """After every initialisation: what this worker is now. ``reset`` counts its own resets."""

    worker: str
    reset: int
    rank: int
    size: int
    wall: float


@dataclasses.dataclass(frozen=True)
class WorkerPhase:
    """Rank 0's clock through a reset. phase: interrupted, failed, shutdown, initialised, synced."""

    worker: str
    phase: str
    wall: float
    step: int = -1


@dataclasses.dataclass(frozen=True)
class Batch:
    """One finished batch, told by rank 0.

    step: optimizer steps done, counted over resets (goes back only when Horovod rolled back).
    epoch: epochs done, fractional. samples: global samples seen up to here, -1 unknown.
    step_time: seconds. lr: what the optimizer used, None without one.
    metrics: loss and every compiled metric, rank 0's own values.
    """

    worker: str
    wall: float
    step: int
    epoch: float
    size: int
    metrics: Dict[str, float]
    lr: Optional[float] = None
    samples: int = -1
    step_time: float = 0.0


@dataclasses.dataclass(frozen=True)
class EpochEnd:
    """End of an epoch on rank 0: the val_* metrics, and the epoch's averages as Keras logs them."""

    worker: str
    wall: float
    step: int
    epoch: int
    size: int
    metrics: Dict[str, float]
    samples: int = -1


@dataclasses.dataclass(frozen=True)
class TrainBegin:
    """Rank 0 enters model.fit. epochs: how many in all (fit's argument plus those done before)."""

    worker: str
    wall: float
    step: int
    epochs: int = 0
    steps_per_epoch: int = 0
    metrics: List[str] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class WorkerExported:
    """A SavedModel lies at ``path`` on this worker's machine, or ``error`` says why not."""

    worker: str
    request: str
    path: str
    step: int
    error: str = ""


@dataclasses.dataclass(frozen=True)
class WorkerFinished:
    """outcome: completed, stopped, removed (from the job, by the driver) or error.

    Only rank 0's "completed" makes a run finished.
    """

    worker: str
    outcome: str
    rank: int
    text: str = ""


@dataclasses.dataclass(frozen=True)
class WorkerLost:
    """Points that this worker had to give up (spool full); ``count`` of them."""

    worker: str
    count: int


@dataclasses.dataclass(frozen=True)
class WorkerGone:
    """Said by the supervisor: the worker's process is known to have ended."""

    worker: str
    exit_code: Optional[int] = None
    expected: bool = False
    text: str = ""


@dataclasses.dataclass(frozen=True)
class Unknown:
    """An event of a newer version, kept as it came."""

    type: str
    fields: Dict[str, Any]


Event = Union[
    RunStateChanged, HostsRequested, ScriptWritten, HostStateChanged, Topology, Resize, Nudged,
    Adopted, Problem, ExportProgress, RunOver,
    DriverReady, DriverWaiting, DriverDiscovered, DriverAssigned, DriverWorkerStarted,
    DriverWorkerReady, DriverWorkerExited, DriverBlacklisted, DriverWhitelisted, DriverPollFailed,
    DriverNotified, DriverStopping,
    WorkerJoined, WorkerRanked, WorkerPhase, Batch, EpochEnd, TrainBegin, WorkerExported,
    WorkerFinished, WorkerLost, WorkerGone, Unknown,
]  # fmt: skip


@dataclasses.dataclass(frozen=True)
class Record:
    """A line of the journal. ``worker`` and ``n``: under what number a worker sent it, or ""/0."""

    seq: int
    time: float
    event: Event
    worker: str = ""
    n: int = 0


@dataclasses.dataclass(frozen=True)
class LogRecord:
    """A line of output. ``slot`` -1: the driver's own. ``rank``: the rank at that time, or -1."""

    log: int
    time: float
    host: str
    slot: int
    rank: int
    stream: str
    text: str
    worker: str = ""
