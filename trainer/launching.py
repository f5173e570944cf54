"""Starting a supervisor in a session of its own, and knowing whether it lives."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any, Dict, Optional

from . import processes
from .rundir import RunDir, read_json
from .travelling import bundle_path

READY = 50.0
"""Seconds to wait for a supervisor that somebody else starts. Our own says when it is ready, or ends."""


class NotStarted(Exception):
    """The sentence says why there is no supervisor."""


def start_supervisor(run: RunDir) -> None:
    """Returns when one listens: ours, or another that was quicker. Raises NotStarted."""
    reader, writer = os.pipe()
    try:
        with (run.root / "supervisor.log").open("ab") as log:
            child = subprocess.Popen(
                [sys.executable, bundle_path(), "supervise", str(run.root), "--ready", str(writer)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                pass_fds=(writer,),
                start_new_session=True,
            )
    finally:
        os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read(4096).decode("utf-8", "replace")
    if said == "taken":
        wait_for_socket(run)
    elif said != "ok":
        status = child.wait()
        raise NotStarted(said or _last_words(run, status))


def _last_words(run: RunDir, status: int) -> str:
    """The folder may be gone when this is read, so the log's last line is told, not its place."""
    with (run.root / "supervisor.log").open("rb") as file:
        file.seek(max(0, os.fstat(file.fileno()).st_size - 4096))
        lines = file.read().decode("utf-8", "replace").splitlines()
    return "The supervisor ended with status %d: %s" % (status, lines[-1] if lines else "no word")


def wait_for_socket(run: RunDir) -> None:
    """Another process is just starting one. Raises NotStarted."""
    deadline = time.monotonic() + READY
    while time.monotonic() < deadline:
        if living_socket(run):
            return
        time.sleep(0.05)
    raise NotStarted("Another supervisor has %s, but does not answer." % run.root)


def status(run: RunDir) -> Dict[str, Any]:
    return read_json(run.status) or {}


def living_socket(run: RunDir) -> Optional[str]:
    """Where this run's supervisor listens; None when there is none."""
    noted = status(run)
    pid, path = noted.get("pid"), noted.get("socket")
    if not isinstance(pid, int) or not isinstance(path, str) or not path:
        return None
    words = processes.arguments(pid)
    if "supervise" not in words or str(run.root) not in words or not os.path.exists(path):
        return None
    return path
