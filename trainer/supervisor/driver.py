"""The process of horovodrun: how it is started so that it outlives us, found again, and signalled.

A shell in a session of its own starts it and leaves its exit status in a file. The shell passes over
SIGTERM (a handler, not "ignore", which children would inherit), so that the status is left even then.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Dict, List, Optional

from .. import processes
from ..launchspec import LaunchSpec, horovodrun_args, work_argv
from ..processes import Process, Session
from ..rundir import RunDir, read_json, write_atomically

_WRAPPER = (
    "ulimit -c 0; trap : TERM INT HUP; "
    '"$@"; s=$?; printf "%s\\n" "$s" > "$0.tmp" && mv "$0.tmp" "$0"'
)
_KEPT = (
    "HOME",
    "USER",
    "LOGNAME",
    "LANG",
    "LC_ALL",
    "TZ",
    "TMPDIR",
    "LD_LIBRARY_PATH",
    "CUDA_HOME",
)
_SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def command(spec: LaunchSpec, run: RunDir, bundle: str, soft_init: bool) -> List[str]:
    """What the wrapper starts. Pure."""
    args = horovodrun_args(spec, str(run.discovery), soft_init)
    work = work_argv(spec, bundle, str(run.root))
    if spec.driver == "stock":
        return [str(Path(spec.python).parent / "horovodrun"), *args, *work]
    events = ["--events", str(run.driver_events)]
    return [spec.python, bundle, "drive", *events, "--", *args, *work]


def environment(spec: LaunchSpec, run: RunDir, ours: Dict[str, str]) -> Dict[str, str]:
    """Small and built: horovodrun hands all of it to every worker, on the remote command line (env.py:24)."""
    built = {name: ours[name] for name in _KEPT if name in ours}
    built["PATH"] = ":".join(
        [str(run.bin), str(Path(spec.python).parent), ours.get("PATH", _SYSTEM_PATH)]
    )
    built["PYTHONUNBUFFERED"] = "1"
    built.update(spec.env)
    return built


class Driver:
    def __init__(self, run: RunDir) -> None:
        self._run = run
        self._child: Optional["subprocess.Popen[bytes]"] = None
        self._leader: Optional[Process] = None

    def start(self, spec: LaunchSpec, bundle: str, soft_init: bool) -> None:
        """Raises OSError."""
        argv = ["/bin/sh", "-c", _WRAPPER, str(self._run.exit_code)]
        argv += command(spec, self._run, bundle, soft_init)
        with self._run.driver_log.open("ab") as log:
            self._child = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=spec.workdir,
                env=environment(spec, self._run, dict(os.environ)),
                start_new_session=True,
            )
        self._leader = processes.find(self._child.pid)
        self._note(self._child.pid, self._leader.started if self._leader else -1)

    def adopt(self) -> bool:
        """Whether this run's driver was ever started; then it is ours from now on."""
        noted = read_json(self._run.driver_pid)
        if noted is None:
            self._leader = self._find_unnoted()
            return self._leader is not None
        pid, started = noted.get("pid"), noted.get("started")
        known = isinstance(pid, int) and isinstance(started, int) and pid > 0 and started >= 0
        if known and noted.get("boot") == processes.boot():
            self._leader = Process(int(noted["pid"]), int(noted["started"]))
        return True

    def _find_unnoted(self) -> Optional[Process]:
        """Of a supervisor that was killed between starting the driver and writing driver.json."""
        begin = ["/bin/sh", "-c", _WRAPPER, str(self._run.exit_code)]
        for process in processes.everyone():
            if processes.arguments(process.pid)[: len(begin)] == begin:
                self._note(process.pid, process.started)
                return process
        return None

    def _note(self, pid: int, started: int) -> None:
        text = json.dumps({"pid": pid, "started": started, "boot": processes.boot()})
        write_atomically(self._run.driver_pid, text + "\n")

    @property
    def session(self) -> Optional[Session]:
        leader = self._leader
        return Session(leader.pid, leader.started) if leader is not None else None

    @property
    def ended(self) -> bool:
        if self._child is not None and self._child.poll() is not None:
            return True
        return self._leader is None or not self._leader.alive

    def exit_code(self) -> Optional[int]:
        """horovodrun's status; None while it runs, or when it was killed together with its wrapper."""
        with contextlib.suppress(OSError, ValueError):
            return int(self._run.exit_code.read_text(encoding="ascii"))
        return None

    def terminate(self) -> None:
        """SIGTERM to horovodrun alone: it ends its workers by itself."""
        processes.signal_all(self._children(), signal.SIGTERM)

    def kill(self) -> None:
        processes.signal_all(self._members(), signal.SIGKILL)

    def _members(self) -> List[Process]:
        session = self.session
        return processes.of_run("", [session]) if session is not None else []

    def _children(self) -> List[Process]:
        members = self._members()
        return [
            p for p in members if self._leader and processes.parent_of(p.pid) == self._leader.pid
        ]
