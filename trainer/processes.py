"""Processes of this machine, read from /proc: alive or not, which belong to a run, and ending them.

A pid alone is no identity: the kernel gives it out again. A pid with its start time is one, on one boot.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import time
from typing import Callable, Iterable, Iterator, List, Optional, Set

_START_TIME = 19
"""Field of /proc/PID/stat behind the closing bracket of the name, counted from 0 (proc(5): field 22)."""
_STATE, _PARENT, _SESSION = 0, 1, 3
POLL = 0.05


@dataclasses.dataclass(frozen=True)
class Process:
    """``started``: clock ticks since boot."""

    pid: int
    started: int

    @property
    def alive(self) -> bool:
        return started(self.pid) == self.started


@dataclasses.dataclass(frozen=True)
class Session:
    """``started``: start time of its leader, -1 if that had ended already.

    The kernel keeps the number while the session has a member, so a leader with another start time means
    that the session is over and its number is somebody else's now.
    """

    id: int
    started: int

    @property
    def ours(self) -> bool:
        now = started(self.id)
        return now in (-1, self.started)


def session(pid: int) -> Optional[Session]:
    """That of a living process; None for our own, which must never be ended as a whole."""
    number = session_of(pid)
    if number == 0 or number == os.getsid(0):
        return None
    return Session(number, started(number))


def boot() -> str:
    """Names this boot of the machine: start times mean nothing beyond it. "" where it is not told."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def _stat(pid: int) -> List[str]:
    """The fields behind the name; empty when there is no such process or it is a zombie."""
    try:
        with open("/proc/%d/stat" % pid, "rb") as file:
            text = file.read()
    except OSError:
        return []
    fields = text[text.rfind(b")") + 2 :].split()
    if len(fields) <= _START_TIME or fields[_STATE] in (b"Z", b"X"):
        return []
    return [field.decode("ascii", "replace") for field in fields]


def started(pid: int) -> int:
    """Start time of a living process, -1 for none."""
    fields = _stat(pid)
    return int(fields[_START_TIME]) if fields else -1


def find(pid: int) -> Optional[Process]:
    at = started(pid)
    return Process(pid, at) if at >= 0 else None


def session_of(pid: int) -> int:
    """0 for a process that is not there."""
    fields = _stat(pid)
    return int(fields[_SESSION]) if fields else 0


def parent_of(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[_PARENT]) if fields else 0


def arguments(pid: int) -> List[str]:
    try:
        with open("/proc/%d/cmdline" % pid, "rb") as file:
            return [os.fsdecode(word) for word in file.read().split(b"\0")[:-1]]
    except OSError:
        return []


def is_worker_of(words: List[str], run_dir: str) -> bool:
    """Whether a command line is ``... work --home RUN_DIR -- ...``, word by word."""
    for at in range(len(words) - 2):
        if words[at] == "work" and words[at + 1 : at + 3] == ["--home", run_dir]:
            return True
    return False


def of_run(run_dir: str, sessions: Iterable[Session] = ()) -> List[Process]:
    """Workers of the run by their exact command line, and all processes of the given sessions."""
    wanted: Set[int] = {known.id for known in sessions if known.ours} - {0, os.getsid(0)}
    return [
        process
        for process in everyone()
        if session_of(process.pid) in wanted or is_worker_of(arguments(process.pid), run_dir)
    ]


def everyone() -> Iterator[Process]:
    """All living processes but this one."""
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            process = find(int(name))
            if process is not None:
                yield process


def descendants(pid: int) -> List[Process]:
    """The living children of a process, theirs, and so on."""
    found: List[Process] = []
    parents = {pid}
    left = list(everyone())
    while True:
        children = [process for process in left if parent_of(process.pid) in parents]
        if not children:
            return found
        found += children
        parents = {process.pid for process in children}
        left = [process for process in left if process not in children]


def describe(process: Process) -> str:
    words = arguments(process.pid)
    return "%d %s" % (process.pid, " ".join(words)[:120] or "?")


def signal_all(processes: Iterable[Process], number: int) -> None:
    for process in processes:
        if process.alive:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, number)


def end(find_them: Callable[[], List[Process]], grace: float, patience: float) -> List[Process]:
    """SIGTERM, after ``grace`` seconds SIGKILL; those that live after ``patience`` more seconds.

    ``find_them`` is asked again each time: a process may have children in the meantime.
    """
    signal_all(find_them(), signal.SIGTERM)
    left = wait_gone(find_them, grace)
    if not left:
        return []
    signal_all(left, signal.SIGKILL)
    return wait_gone(find_them, patience)


def wait_gone(find_them: Callable[[], List[Process]], patience: float) -> List[Process]:
    deadline = time.monotonic() + patience
    left = find_them()
    while left and time.monotonic() < deadline:
        time.sleep(POLL)
        left = find_them()
    return left
