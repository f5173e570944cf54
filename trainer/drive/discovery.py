"""The discovery script: run cheaply, with an end, and read in the order of its lines.

Stock spawns a Python interpreter a second for it, waits for ever, and throws the order of the lines
away (horovod/runner/elastic/discovery.py:232-262, 0.28.1).
"""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import time
from typing import IO, Any, Dict, Optional, Tuple

from .processes import signal_group

PERIOD = 0.25
"""Seconds between the end of one run and the next."""
TIMEOUT = 10.0
OUTPUT_LIMIT = 1 << 20
_TICK = 0.1
_END_TICK = 0.002
_LINE = re.compile(r"\A(?P<host>[A-Za-z0-9_][A-Za-z0-9._@-]{0,252})(?::(?P<slots>\d{1,4}))?\Z")


class PollFailed(RuntimeError):
    """The script gave no list of hosts. The hosts stay as they are."""


def hosts_of(output: str, default_slots: Optional[int]) -> Dict[str, int]:
    """Host -> slots in the order of the lines. Raises PollFailed with the line at fault.

    Stricter than stock, which takes any text for a host name and puts it into a shell command
    (discovery.py:241-252, gloo_run.py:143-151).
    """
    hosts: Dict[str, int] = {}
    for line in output.splitlines():
        if not line.strip():
            continue
        match = _LINE.match(line.strip())
        if match is None:
            raise PollFailed("cannot read the line %.80r: it must be <host>:<slots>" % line)
        slots = default_slots if match["slots"] is None else int(match["slots"])
        if slots is None:
            raise PollFailed("the line %.80r has no slots: write <host>:<slots>" % line)
        hosts[match["host"]] = slots
    return hosts


class Script:
    """A shell command line that prints hosts."""

    def __init__(self, command: str, default_slots: Optional[int]) -> None:
        self.command = command
        self._default_slots = default_slots
        self._had_hosts = False

    def poll(self, stop: Any) -> Dict[str, int]:
        """Runs it; ``stop`` (anything with is_set) cuts it short. Raises PollFailed."""
        hosts = hosts_of(run(self.command, stop), self._default_slots)
        # Stock takes silence for "every host is removed": the job pauses, and rank 0 may be a newcomer
        # with untrained weights afterwards (discovery.py:216-223, driver.py:249-255).
        if not hosts and self._had_hosts:
            raise PollFailed("the script printed no host")
        self._had_hosts = bool(hosts)
        return hosts


class Polled:
    """A HostDiscovery that answers with what the last poll found, and so at once.

    The driver asks it while it holds the lock that every reset needs (driver.py:191-206); the
    script itself runs before, without that lock.
    """

    def __init__(self, discovery: Any) -> None:
        command = getattr(discovery, "_discovery_script", None)
        self._script = Script(command, discovery._default_slots) if command else None
        self._discovery = discovery
        self._found: Dict[str, int] = {}

    def poll(self, stop: Any) -> None:
        if self._script is not None:
            self._found = self._script.poll(stop)
        else:
            self._found = dict(self._discovery.find_available_hosts_and_slots())

    def find_available_hosts_and_slots(self) -> Dict[str, int]:
        return dict(self._found)


def run(command: str, stop: Any, timeout: float = TIMEOUT) -> str:
    """The standard output of ``/bin/sh -c command``. Nothing of it is left running. Raises PollFailed."""
    try:
        process = subprocess.Popen(
            ["/bin/sh", "-c", command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise PollFailed("cannot run %s: %s" % (command, error)) from error
    deadline = time.monotonic() + timeout
    with process:
        try:
            output, errors = _read(process, stop, deadline)
            _wait_for_end(process, stop, deadline)
        except PollFailed as error:
            raise PollFailed("%s: %s" % (command, error)) from error
        finally:
            # Its id is not free before it is waited for, so nobody else is hit.
            signal_group(process.pid, signal.SIGKILL)
        code = process.wait()
    if code != 0:
        text = "Failed to execute discovery script: %s. Exit code: %d" % (command, code)
        raise PollFailed((text + ". " + errors.strip()[:500]).rstrip(". "))
    return output


def _read(process: subprocess.Popen[bytes], stop: Any, deadline: float) -> Tuple[str, str]:
    assert process.stdout is not None and process.stderr is not None
    taken: Dict[IO[bytes], bytearray] = {process.stdout: bytearray(), process.stderr: bytearray()}
    with selectors.DefaultSelector() as selector:
        for pipe in taken:
            selector.register(pipe, selectors.EVENT_READ)
        while selector.get_map():
            _go_on(stop, deadline)
            for key, _ in selector.select(_TICK):
                pipe = key.fileobj  # type: ignore[assignment]
                data = os.read(key.fd, 1 << 16)
                taken[pipe] += data
                if not data:
                    selector.unregister(pipe)
                if len(taken[pipe]) > OUTPUT_LIMIT:
                    raise PollFailed("printed more than %d bytes" % OUTPUT_LIMIT)
    output, errors = (taken[pipe].decode("utf-8", "replace") for pipe in taken)
    return output, errors


def _wait_for_end(process: subprocess.Popen[bytes], stop: Any, deadline: float) -> None:
    """A script may close its output long before it ends."""
    ended = os.WEXITED | os.WNOWAIT | os.WNOHANG
    while os.waitid(os.P_PID, process.pid, ended) is None:
        _go_on(stop, deadline)
        time.sleep(_END_TICK)


def _go_on(stop: Any, deadline: float) -> None:
    if stop.is_set():
        raise PollFailed("stopped")
    if time.monotonic() >= deadline:
        raise PollFailed("took longer than %.0f seconds and was ended" % TIMEOUT)
