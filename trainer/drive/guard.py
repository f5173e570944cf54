"""Ends the workers when the driver is killed with SIGKILL.

A shell in a session of its own knows the process groups and reads a pipe that only the driver holds open.
Stock has one Python interpreter a worker for this (safe_shell_exec.py:166-172).
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
from typing import List, Optional, Set

_SCRIPT = """
trap '' HUP INT TERM
groups=' '
while read -r sign group; do
    case $sign in
    +) groups="$groups$group " ;;
    -) groups="${groups%% $group *} ${groups#* $group }" ;;
    esac
done
each() { for group in $groups; do kill -s "$1" -- "-$group" 2>/dev/null && left=yes; done; }
each TERM
for second in 1 2 3 4 5; do
    left=no
    each 0
    [ $left = yes ] || exit 0
    sleep 1
done
each KILL
"""


_PATIENCE = 8.0
"""Seconds: more than the script needs for its last groups."""


class Guard:
    """Threads may call add and remove at any time. Without a guard (no memory) workers still run."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._groups: Set[int] = set()
        self._shell: Optional[subprocess.Popen[bytes]] = None

    def add(self, group: int) -> None:
        with self._lock:
            self._groups.add(group)
            self._say(["+ %d" % group])

    def remove(self, group: int) -> None:
        with self._lock:
            self._groups.discard(group)
            self._say(["- %d" % group])

    def close(self) -> None:
        """Ends the guard; groups that it still knows are ended by it."""
        with self._lock:
            shell, self._shell = self._shell, None
        if shell is not None:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                shell.communicate(timeout=_PATIENCE)

    def _say(self, lines: List[str]) -> None:
        try:
            if self._shell is None or self._shell.poll() is not None:
                self._shell = _start()
                lines = ["+ %d" % group for group in sorted(self._groups)]
            stdin = self._shell.stdin
            assert stdin is not None
            stdin.write("".join(line + "\n" for line in lines).encode("ascii"))
            stdin.flush()
        except OSError as error:
            self._shell = None
            sys.stderr.write(
                "drive: the guard that ends the workers if this process is killed does not run (%s); "
                "it is started again with the next worker.\n" % error
            )


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["/bin/sh", "-c", _SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
