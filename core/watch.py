"""Who looks after a run that is not noted as over, told by the machine's process table.

Two processes matter (docs/architecture.md): the supervisor, whose pid is in status.json, and the driver,
whose pid, start time and boot are in driver.json. A pid alone proves nothing, the kernel gives it out
again: a supervisor also has to have the run in its command line, a driver its start time. Only files are
read, so no process is started and no lock is touched.
"""

from __future__ import annotations

import enum
import json
import posixpath
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from trainer.rundir import RunDir

from .errors import MachineError
from .machine import Machine

_LIMIT = 1 << 16
_NAMES = RunDir(PurePosixPath())  # type: ignore[arg-type]  # only its names are used
_BOOT = "/proc/sys/kernel/random/boot_id"
_START_TIME = 19
"""Field of /proc/PID/stat behind the name's closing bracket, counted from 0 (proc(5): field 22)."""


class Watch(enum.Enum):
    SUPERVISED = "supervised"
    UNWATCHED = "unwatched"
    """Its driver runs, but nobody notes what it does. To attach makes a supervisor take it over."""
    GONE = "gone"
    """Neither runs. To attach finds out how it ended."""
    UNKNOWN = "unknown"
    """It is over, has hardly begun, or the machine does not tell."""


def watch(machine: Machine, run_dir: str, status: Mapping[str, Any]) -> Watch:
    """``status``: what status.json holds."""
    pid = status.get("pid")
    if type(pid) is not int or not _read(machine, _BOOT):
        return Watch.UNKNOWN
    if _supervises(machine, pid, run_dir):
        return Watch.SUPERVISED
    return Watch.UNWATCHED if _driver_runs(machine, run_dir) else Watch.GONE


def _supervises(machine: Machine, pid: int, run_dir: str) -> bool:
    words = _read(machine, f"/proc/{pid}/cmdline").split("\0")
    run_id = posixpath.basename(run_dir)  # the folder itself may go by another path there
    return "supervise" in words and any(posixpath.basename(word) == run_id for word in words)


def _driver_runs(machine: Machine, run_dir: str) -> bool:
    noted = read_object(machine, posixpath.join(run_dir, str(_NAMES.driver_pid)))
    pid, started = noted.get("pid"), noted.get("started")
    if type(pid) is not int or type(started) is not int:
        return False
    same_boot = noted.get("boot") == _read(machine, _BOOT).strip()
    return same_boot and _started(_read(machine, f"/proc/{pid}/stat")) == started


def _started(stat: str) -> int:
    """In clock ticks since boot; -1 for a process that is no more (a zombie is no more)."""
    fields = stat.rpartition(")")[2].split()
    if len(fields) <= _START_TIME or fields[0] in ("Z", "X"):
        return -1
    return int(fields[_START_TIME])


def read_object(machine: Machine, path: str) -> dict[str, Any]:
    """The JSON object in a small file; empty when there is none (yet)."""
    try:
        value = json.loads(_read(machine, path))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _read(machine: Machine, path: str) -> str:
    try:
        return machine.read_file(path, _LIMIT).decode("utf-8", "replace")
    except MachineError:
        return ""
