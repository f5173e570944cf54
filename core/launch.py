"""Starting a run on a driver machine, and showing beforehand what would be started."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from trainer.launchspec import LaunchSpec, horovodrun_argv, to_json, work_argv
from trainer.rundir import RunDir, discovery_text

from .bundle import Bundle
from .errors import InvalidInput, LaunchError
from .home import Home
from .machine import Completed, Machine, last_lines

START_TIMEOUT = 60.0
"""Seconds for `start`: it makes a folder and waits for the supervisor's socket."""

NEW_RUN = "NEW-RUN"
NO_SCRIPT = "SCRIPT.py"
SCRIPT_NAME = RunDir(Path()).discovery.name


@dataclass(frozen=True, slots=True)
class StartedRun:
    run_id: str
    run_dir: str


@dataclass(frozen=True, slots=True)
class Preview:
    """``environment``: what the run adds to it, one NAME=value each, quoted for a shell."""

    command: str
    script: str
    environment: tuple[str, ...] = ()


def launch(machine: Machine, spec: LaunchSpec, home: Home, bundle: Bundle) -> StartedRun:
    """Raises InvalidInput (with the form's field), LaunchError or MachineError."""
    path = bundle.put(machine, home)
    if spec.workdir == home.work and not machine.exists(home.work):
        machine.run(["mkdir", "-p", home.work], timeout=START_TIMEOUT)
    completed = machine.run(
        ["env", f"MAYPOLE_HOME={home.root}", spec.python, path, "start"],
        input=to_json(spec).encode("utf-8"),
        timeout=START_TIMEOUT,
    )
    return _started(completed, spec, machine.name)


def _started(completed: Completed, spec: LaunchSpec, machine: str) -> StartedRun:
    answer = _answer(completed.stdout)
    error = answer.get("error")
    if isinstance(error, dict):
        text = str(error.get("text", "")) or "The run was refused without a reason."
        if error.get("field"):
            raise InvalidInput(str(error["field"]), text)
        raise LaunchError(text)
    run_dir = answer.get("run_dir")
    if completed.status == 0 and isinstance(run_dir, str) and run_dir.startswith("/"):
        return StartedRun(run_dir.rstrip("/").rpartition("/")[2], run_dir)
    words = last_lines(completed.stderr or completed.stdout)
    if completed.status in (126, 127):
        raise InvalidInput(
            "python", f"{spec.python} cannot be started on {machine}. Choose another Python."
        )
    raise LaunchError(
        f"The run could not be started on {machine} (status {completed.status}): "
        f"{words or 'nothing was said.'}"
    )


def _answer(output: bytes) -> dict[str, Any]:
    """The last line that is an object: a Python may print warnings of its own before it."""
    for line in reversed(output.splitlines()):
        try:
            value = json.loads(line)
        except ValueError:
            continue
        if isinstance(value, dict):
            return value
    return {}


def preview(spec: LaunchSpec, home: Home, bundle: Bundle) -> Preview:
    """What a run of ``spec`` starts; before it has a folder, NEW_RUN stands for its name.

    ``spec`` may still lack something: NO_SCRIPT stands for a script, and a script without hosts fails.
    """
    spec = replace(spec, script=spec.script or NO_SCRIPT)
    run_dir = f"{home.runs}/{spec.run_id or NEW_RUN}"
    script = f"{run_dir}/{SCRIPT_NAME}"
    command = work_argv(spec, bundle.path(home), run_dir)
    return Preview(
        shlex.join(horovodrun_argv(spec, script, command)),
        discovery_text(spec.hosts),
        tuple(f"{name}={shlex.quote(value)}" for name, value in sorted(spec.env.items())),
    )
