"""Leave when the driver is gone. Without it nobody would ever stop this process (HOROVOD_ELASTIC only).

The chain above a worker is python <- sh <- (ssh shim <- sh <-) a middleman of horovodrun, or
python <- sh <- the sshd session on a remote host. A shell in between survives the death of what
started it, so every link is watched up to the first process that is not a shell.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Callable, List, NamedTuple, Tuple

INTERVAL = 1.0
"""Seconds between looks."""
ORPHANED = 78
"""Exit status of a worker that left because its driver was gone."""
_SHELLS = ("sh", "dash", "bash", "ash", "busybox", "ksh", "zsh", "env", "ssh")


class Link(NamedTuple):
    child: int
    parent: int


def parent_and_name(pid: int) -> Tuple[int, str]:
    """(0, "") for a process that is gone, and where there is no /proc. Linux: proc(5), stat."""
    try:
        text = Path("/proc/%d/stat" % pid).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0, ""
    name, _, rest = text.partition("(")[2].rpartition(")")
    return int(rest.split()[1]), name


def chain() -> List[Link]:
    """The links from this process up to the first ancestor that is not a shell."""
    links = [Link(os.getpid(), os.getppid())]
    while links[-1].parent > 1:
        above, name = parent_and_name(links[-1].parent)
        if name not in _SHELLS or above <= 0:
            break
        links.append(Link(links[-1].parent, above))
    return links


def is_broken(links: List[Link]) -> bool:
    if os.getppid() != links[0].parent:
        return True
    return any(parent_and_name(link.child)[0] != link.parent for link in links[1:])


def start(leave: Callable[[], None], interval: float = INTERVAL) -> threading.Thread:
    """Calls ``leave`` in a daemon thread of its own once the chain is broken."""
    links = chain()
    stop = threading.Event()

    def watch() -> None:
        while not is_broken(links):
            stop.wait(interval)
        leave()

    thread = threading.Thread(target=watch, name="maypole-parent-watch", daemon=True)
    thread.start()
    return thread
