"""The runs of a machine, read from their folders and its process table; nothing is started for it."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from trainer.launchspec import LaunchSpec, SpecError, from_json
from trainer.rundir import RunDir

from .errors import MachineError, RunError
from .events import RunState
from .home import Home
from .machine import Machine
from .watch import Watch, read_object, watch

_LIMIT = 1 << 20
_NAMES = RunDir(PurePosixPath())  # type: ignore[arg-type]  # only its names are used
LAST = "last"


@dataclass(frozen=True, slots=True)
class RunSummary:
    """``state``: what its supervisor noted last (at ``updated``); ``watch``: whether it still notes."""

    run_id: str
    run_dir: str
    spec: LaunchSpec
    state: RunState
    updated: float
    watch: Watch = Watch.UNKNOWN

    @property
    def over(self) -> bool:
        return self.state.over


def list_runs(machine: Machine, home: Home) -> list[RunSummary]:
    """Newest first. Folders that are not runs are passed over. Raises MachineError."""
    found = []
    for run_id in machine.list_folder(home.runs):
        summary = _summary(machine, posixpath.join(home.runs, run_id))
        if summary is not None:
            found.append(summary)
    return sorted(found, key=lambda run: (run.spec.created, run.run_id), reverse=True)


def find_run(machine: Machine, home: Home, text: str) -> RunSummary:
    """A run by its folder, its id, the beginning of its id, or "last". Raises RunError."""
    if text.startswith("/"):
        return read_run(machine, text.rstrip("/"))
    names = machine.list_folder(home.runs)
    if text in names and text not in ("", ".", ".."):
        return read_run(machine, posixpath.join(home.runs, text))
    if text == LAST:
        runs = list_runs(machine, home)
        if runs:
            return runs[0]
        raise RunError(f"There is no run in {home.runs}. Start one with: maypole run rehearsal")
    matches = [name for name in names if text and name.startswith(text)]
    if len(matches) == 1:
        return read_run(machine, posixpath.join(home.runs, matches[0]))
    if matches:
        raise RunError(f"{text} could be any of {', '.join(matches[:10])}. Give more of its name.")
    raise RunError(f"There is no run {text!r:.80} in {home.runs}. See them with: maypole runs")


def read_run(machine: Machine, run_dir: str) -> RunSummary:
    """Raises RunError."""
    summary = _summary(machine, run_dir)
    if summary is None:
        raise RunError(
            f"{run_dir} on {machine.name} is not a run: it has no usable {_NAMES.spec}. "
            "See the runs with: maypole runs"
        )
    return summary


def _summary(machine: Machine, run_dir: str) -> RunSummary | None:
    try:
        spec = from_json(_read(machine, run_dir, str(_NAMES.spec)))
    except (MachineError, SpecError):
        return None
    status = read_object(machine, posixpath.join(run_dir, str(_NAMES.status)))
    state, updated = _state(status.get("state")), status.get("updated")
    return RunSummary(
        posixpath.basename(run_dir),
        run_dir,
        spec,
        state,
        float(updated) if isinstance(updated, (int, float)) else spec.created,
        Watch.UNKNOWN if state.over else watch(machine, run_dir, status),
    )


def _read(machine: Machine, run_dir: str, name: str) -> str:
    return machine.read_file(posixpath.join(run_dir, name), _LIMIT).decode("utf-8", "replace")


def _state(text: Any) -> RunState:
    return RunState(text) if text in list(RunState) else RunState.PREPARING
