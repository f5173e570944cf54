"""What a RunClient tells its listener. The run's own events keep the form of trainer/events.py."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trainer.eventcodec import log_to_wire, record_to_wire
from trainer.events import (
    Adopted,
    Batch,
    DriverReady,
    EpochEnd,
    Event,
    ExportProgress,
    HostsRequested,
    HostState,
    HostStateChanged,
    LogRecord,
    Member,
    Nudged,
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
    Unknown,
    WorkerGone,
    WorkerJoined,
)
from trainer.launchspec import LaunchSpec
from trainer.protocol import encode

__all__ = [
    "Adopted",
    "Batch",
    "ClientEvent",
    "CommandReply",
    "DriverReady",
    "EpochEnd",
    "Event",
    "ExportProgress",
    "HostState",
    "HostStateChanged",
    "HostsRequested",
    "LinkChanged",
    "LinkState",
    "LogRecord",
    "Member",
    "Nudged",
    "Problem",
    "Record",
    "Resize",
    "RunInfo",
    "RunOver",
    "RunState",
    "RunStateChanged",
    "ScriptWritten",
    "Stage",
    "Topology",
    "TrainBegin",
    "Unknown",
    "WorkerGone",
    "WorkerJoined",
    "wire_line",
]


class LinkState(enum.Enum):
    """Of the connection to a run's supervisor; the training does not depend on it."""

    ATTACHING = "attaching"
    LIVE = "live"
    LOST = "lost"
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class RunInfo:
    """The run that was attached to. ``last``: the journal's last number, for a progress of the replay."""

    run_dir: str
    run_id: str
    spec: LaunchSpec
    last: int


@dataclass(frozen=True, slots=True)
class LinkChanged:
    """``text`` says why a link was lost, and what happens next."""

    state: LinkState
    text: str = ""


@dataclass(frozen=True, slots=True)
class CommandReply:
    """The one answer to a command. Its effects come as records."""

    id: str
    name: str
    ok: bool
    error: str = ""
    value: Mapping[str, Any] = field(default_factory=dict)


ClientEvent = Record | LogRecord | RunInfo | LinkChanged | CommandReply


def wire_line(event: Record | LogRecord) -> bytes:
    """The line as the supervisor sent it."""
    return encode(record_to_wire(event) if isinstance(event, Record) else log_to_wire(event))
