"""``maypole.pyz supervise RUN_DIR [--ready FD]``: be the supervisor of a run, new or adopted."""

from __future__ import annotations

import argparse
import fcntl
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import List, Optional

from ..launchspec import SpecError
from ..rundir import RunDir
from ..travelling import NotBundled
from .network import NoAddress
from .supervisor import Supervisor

TAKEN = 3
"""Exit status: another supervisor has this run."""


def main(argv: List[str]) -> int:
    parser = argparse.ArgumentParser(prog="maypole.pyz supervise", description=__doc__)
    parser.add_argument("run_dir", type=Path, metavar="RUN_DIR")
    parser.add_argument("--ready", type=int, metavar="FD", help="told there: ok, or what is wrong")
    options = parser.parse_args(argv)
    run = RunDir(Path(os.path.realpath(options.run_dir)))
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(
            number, signal.SIG_IGN
        )  # a closed terminal or link is no reason to leave a run
    lock = _lock(run)
    if lock is None:
        _say(options.ready, "taken")
        return TAKEN
    with os.fdopen(lock):
        return _supervise(run, options.ready)


def _lock(run: RunDir) -> Optional[int]:
    """Held until this process ends, however it ends."""
    handle = os.open(str(run.root / "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _supervise(run: RunDir, ready: Optional[int]) -> int:
    supervisor = None
    try:
        supervisor = Supervisor(run)
        _leave_on_sigterm(supervisor)
        supervisor.begin()
    except (OSError, SpecError, NoAddress, NotBundled) as error:
        if supervisor is not None:
            supervisor.close()
        _say(ready, str(error))
        sys.stderr.write("%s\n" % error)
        return 1
    _say(ready, "ok")
    try:
        supervisor.loop()
    except Exception:
        traceback.print_exc()
        raise
    finally:
        supervisor.close()
    return 0


def _leave_on_sigterm(supervisor: Supervisor) -> None:
    """The machine shuts down, or somebody ends us: the training is not ours to end."""

    def leave(*_: object) -> None:
        supervisor.leaving = True

    signal.signal(signal.SIGTERM, leave)


def _say(ready: Optional[int], text: str) -> None:
    if ready is not None:
        with os.fdopen(ready, "w") as pipe:
            pipe.write(text)
