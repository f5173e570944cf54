"""Worker processes: started, forwarded, ended as a group, and never left behind.

Stands in for ``horovod.runner.common.util.safe_shell_exec.execute`` (0.28.1), which spawns a whole Python
interpreter a command, reports a false 0 when two of its threads wait for the same child
(safe_shell_exec.py:74-75 against :174), and leaves what a killed worker had started.
Here one thread waits for a child without reaping it, so its process id cannot be used again before the
group has been dealt with.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Set

from .forwarding import Forwarder, Sink
from .guard import Guard

GRACE = 5.0
"""Seconds between SIGTERM and SIGKILL, as stock (safe_shell_exec.py:30)."""
_WATCH_PERIOD = 0.1
_ORPHANS_OWN_END = 1.0
"""Seconds that helpers of an ended worker get to end by themselves."""


class Stopping(RuntimeError):
    """No process is started any more."""


class Process:
    """One command in a session of its own."""

    def __init__(self, command: str, env: Optional[Dict[str, str]], events: Sequence[Any]) -> None:
        self.popen: subprocess.Popen[bytes] = subprocess.Popen(
            ["/bin/sh", "-c", command],
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._events = events
        self._lock = threading.Lock()
        self._reaped = False
        self._kill_at: Optional[float] = None

    def wait(self) -> int:
        """The exit code as a shell would tell it: 128 + n for signal n."""
        os.waitid(os.P_PID, self.popen.pid, os.WEXITED | os.WNOWAIT)
        with self._lock:
            code = self.popen.wait()
            self._reaped = True
        return 128 - code if code < 0 else code

    def wanted(self) -> bool:
        return not any(event.is_set() for event in self._events)

    def terminate(self, now: float) -> None:
        """SIGTERM to the group at the first call, SIGKILL at a call after the grace."""
        if self._kill_at is None:
            self._kill_at = now + GRACE
            self.signal(signal.SIGTERM)
        elif now >= self._kill_at:
            self.signal(signal.SIGKILL)

    def signal(self, number: int) -> None:
        with self._lock:
            if not self._reaped:
                signal_group(self.popen.pid, number)


def signal_group(group: int, number: int) -> bool:
    """Whether the group has a member that we may signal."""
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def end_orphans(group: int) -> None:
    """Ends what an ended worker left in its group: it would hold its output, ports and device.

    The id stays taken as long as the group has a member, so nobody else is hit.
    """
    for number, patience in ((0, _ORPHANS_OWN_END), (signal.SIGTERM, GRACE), (signal.SIGKILL, 1.0)):
        if not has_living_member(group):
            return
        if not signal_group(group, number) or _is_gone(group, patience):
            return


def _is_gone(group: int, patience: float) -> bool:
    deadline = time.monotonic() + patience
    while has_living_member(group):
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.02)
    return True


def has_living_member(group: int) -> bool:
    """Zombies do not count: in a container whose first process reaps nobody they stay for ever."""
    if not signal_group(group, 0):
        return False
    if not os.path.isdir("/proc/self"):
        return True
    return any(_lives_in(group, name) for name in os.listdir("/proc") if name.isdigit())


def _lives_in(group: int, pid: str) -> bool:
    try:
        with open("/proc/%s/stat" % pid, "rb") as file:
            state, _, its_group = file.read().rpartition(b")")[2].split()[:3]
    except (OSError, ValueError):
        return False
    return int(its_group) == group and state not in (b"Z", b"X")


class Processes:
    """All commands that this driver runs at the moment."""

    def __init__(self, sink: Callable[[str], Sink]) -> None:
        """``sink``: from the stream's name ("stdout" or "stderr") to who takes its lines."""
        self._sink = sink
        self._guard = Guard()
        self._changed = threading.Condition()
        self._live: Set[Process] = set()
        self._watcher: Optional[threading.Thread] = None
        self._closed = False
        self._kill = False
        self._names = threading.local()

    @contextlib.contextmanager
    def named(self, prefix: str) -> Iterator[None]:
        """What this thread executes has its lines marked with ``prefix`` before ``<stdout>:``."""
        self._names.prefix = prefix
        try:
            yield
        finally:
            self._names.prefix = None

    def execute(
        self,
        command: str,
        env: Optional[Dict[str, str]] = None,
        stdout: Any = None,
        stderr: Any = None,
        index: Optional[int] = None,
        events: Optional[Sequence[Any]] = None,
        prefix_output_with_timestamp: bool = False,
    ) -> int:
        """Same signature and meaning as safe_shell_exec.execute (safe_shell_exec.py:211)."""
        name = getattr(self._names, "prefix", None) or ("" if index is None else "[%s]" % index)
        sinks = [
            self._sink_for(stream, given, name, prefix_output_with_timestamp)
            for stream, given in (("stdout", stdout), ("stderr", stderr))
        ]
        process = self._start(command, env, list(events or ()))
        assert process.popen.stdout is not None and process.popen.stderr is not None
        pipes = (process.popen.stdout, process.popen.stderr)
        forwarder = Forwarder(list(zip(pipes, sinks)))
        try:
            code = process.wait()
            end_orphans(process.popen.pid)
            forwarder.finish()
        finally:
            self._forget(process)
        return code

    def close(self) -> None:
        """Ends all with SIGTERM and, after the grace, SIGKILL; starts nothing any more."""
        with self._changed:
            self._closed = True

    def kill(self) -> None:
        with self._changed:
            self._closed = self._kill = True

    def finish(self) -> None:
        """Nothing runs any more: the guard may go."""
        self.close()
        self._guard.close()

    def wait_until_none(self, patience: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: not self._live, patience)

    def _sink_for(self, stream: str, given: Any, name: str, stamp: bool) -> Sink:
        sink = self._sink(stream) if given is None else _writing_to(given)
        if not name:
            return sink

        def marked(text: str) -> None:
            moment = time.asctime() if stamp else ""
            sink("%s%s<%s>:%s" % (moment, name, stream, text))

        return marked

    def _start(self, command: str, env: Optional[Dict[str, str]], events: List[Any]) -> Process:
        with self._changed:
            if self._closed:
                raise Stopping("the job is being stopped")
            process = Process(command, env, events)
            self._guard.add(process.popen.pid)
            self._live.add(process)
            if self._watcher is None:
                self._watcher = threading.Thread(target=self._watch, name="ends", daemon=True)
                self._watcher.start()
        return process

    def _forget(self, process: Process) -> None:
        self._guard.remove(process.popen.pid)
        with self._changed:
            self._live.discard(process)
            self._changed.notify_all()

    def _watch(self) -> None:
        while True:
            time.sleep(_WATCH_PERIOD)
            with self._changed:
                live, closed, kill = list(self._live), self._closed, self._kill
                if not live:
                    self._watcher = None
                    return
            now = time.monotonic()
            for process in live:
                if kill:
                    process.signal(signal.SIGKILL)
                elif closed or not process.wanted():
                    process.terminate(now)


def _writing_to(stream: Any) -> Sink:
    def write(text: str) -> None:
        stream.write(text + "\n")
        stream.flush()

    return write
