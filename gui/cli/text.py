"""Events as lines for people."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from core.events import (
    Adopted,
    Event,
    ExportProgress,
    HostStateChanged,
    LogRecord,
    Nudged,
    Problem,
    Resize,
    RunOver,
    RunStateChanged,
    Stage,
    WorkerGone,
)
from core.runs import RunSummary
from core.runview import RunView
from core.watch import Watch


def clock(seconds: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(seconds))


def date(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))


def duration(seconds: float) -> str:
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    return f"{whole // 3600} h {whole // 60 % 60:02} min"


def size(count: int) -> str:
    value = float(count)
    for unit in ("B", "kB", "MB"):
        if value < 1000:
            return f"{value:.4g} {unit}"
        value /= 1000
    return f"{value:.4g} GB"


def state(summary: RunSummary) -> str:
    """What its supervisor noted, unless there is none any more: then that is old news."""
    untrue = (Watch.UNWATCHED, Watch.GONE)
    return summary.watch.value if summary.watch in untrue else summary.state.value


def watch_hint(summaries: Iterable[RunSummary]) -> str:
    """What the two words that are no states mean, for a list that has them."""
    found = {summary.watch for summary in summaries}
    lines = (
        (
            Watch.UNWATCHED,
            "unwatched: it goes on, but its supervisor is dead; attach makes a new one",
        ),
        (Watch.GONE, "gone: it ended while nobody watched; attach finds out how"),
    )
    return "\n".join(line for kind, line in lines if kind in found)


def sentence(event: Event) -> str:
    """What happened, or "" for what a person need not read."""
    match event:
        case RunStateChanged():
            return _state(event)
        case HostStateChanged():
            ranks = f" as rank {', '.join(map(str, event.ranks))}" if event.ranks else ""
            until = f" until {clock(event.until)}" if event.until else ""
            return f"{event.host}: {event.state.value}{ranks}{until}{_because(event.reason)}"
        case Resize():
            return _resize(event)
        case ExportProgress():
            return _export(event)
        case Problem():
            where = f"{event.host}: " if event.host else ""
            return f"{event.severity}: {where}{event.text} {event.action}".rstrip()
        case WorkerGone(expected=False):
            return f"{event.worker} ended{_status(event.exit_code)}{_because(event.text)}"
        case Nudged():
            return f"Horovod was told again that the hosts changed{_because(event.reason)}"
        case Adopted():
            return "a new supervisor took over the run"
        case RunOver():
            left = f". Still there: {', '.join(event.left_behind)}." if event.left_behind else ""
            return f"{event.outcome.value}{_because(event.reason).rstrip('.')}{left}"
        case _:
            return ""


def _state(event: RunStateChanged) -> str:
    slots = f", {event.have} of {event.need} slots" if event.have < event.need else ""
    until = f" until {clock(event.deadline)}" if event.deadline else ""
    return f"{event.state.value}{slots}{until}{_because(event.reason)}"


def _because(reason: str) -> str:
    return f": {reason}" if reason else ""


def _status(code: int | None) -> str:
    return "" if code is None else f" with status {code}"


def _resize(event: Resize) -> str:
    parts = [f"{', '.join(event.joined)} joined" if event.joined else ""]
    parts.append(f"{', '.join(event.left)} left" if event.left else "")
    if event.requested is not None and event.first_step is not None:
        parts.append(f"{event.first_step - event.requested:.1f} s from request to first step")
    if event.repeated_steps:
        parts.append(f"{event.repeated_steps} steps repeated")
    text = "; ".join(part for part in parts if part)
    return f"resized {event.old_size} -> {event.new_size} at step {event.step}{_because(text)}"


def _export(event: ExportProgress) -> str:
    text = f"export {event.request}: {event.stage.value}{_because(event.text)}"
    if event.stage is not Stage.READY:
        return text
    text += f", step {event.step}, {size(event.size_bytes)}"
    if event.max_difference is not None:
        text += f", reloaded predictions differ by at most {event.max_difference:.3g}"
    return text


def progress(view: RunView, metrics: Mapping[str, float]) -> str:
    now = view.progress
    epochs = f"/{now.epochs}" if now.epochs else ""
    values = "".join(f", {name} {value:.4g}" for name, value in metrics.items())
    left = f", about {duration(view.eta)} left" if view.eta is not None else ""
    return (
        f"step {now.step}, epoch {now.epoch:.2f}{epochs}, {view.world_size} workers{values}{left}"
    )


def log_line(record: LogRecord) -> str:
    where = record.host if record.slot < 0 else f"{record.host}[{record.slot}]"
    return f"{where or 'horovodrun'} | {record.text}"
