"""``maypole.pyz drive [--events FILE] -- <horovodrun's arguments and command>``.

Runs Horovod's own horovodrun entry in the main thread of this process. Ends with its exit status, or with
128 + n after signal n.
"""

from __future__ import annotations

import os
import sys
import time
from typing import List, NoReturn, Optional, Tuple

from ..events import DriverReady
from .context import Drive
from .eventlog import EventLog
from .forwarding import safe_streams
from .signals import StopOnSignal

CORRECTED_VERSION = "0.28.1"
USAGE = "usage: maypole.pyz drive [--events FILE] -- HOROVODRUN-ARGUMENTS COMMAND ...\n"


def main(argv: List[str]) -> int:
    parsed = parse(argv)
    if parsed is None:
        sys.stderr.write(USAGE)
        return 2
    events, args = parsed
    with safe_streams():
        return _drive(Drive(EventLog(events)), args)


def parse(argv: List[str]) -> Optional[Tuple[str, List[str]]]:
    """The events file ("" for none) and horovodrun's arguments; None when they make no sense."""
    events, rest = "", list(argv)
    if rest[:1] == ["--events"] and len(rest) > 1:
        events, rest = rest[1], rest[2:]
    if rest[:1] != ["--"] or len(rest) < 2:
        return None
    return events, rest[1:]


def _drive(drive: Drive, args: List[str]) -> int:
    try:
        import horovod
        from horovod.runner import launch
    except ImportError as error:
        reason = "This Python (%s) cannot import Horovod: %s" % (sys.executable, error)
        return _failed(
            drive, reason + "\nRun `maypole.pyz provision` with it, or choose another Python."
        )
    version = str(getattr(horovod, "__version__", "unknown"))
    stop = StopOnSignal(drive)
    if version == CORRECTED_VERSION:
        from . import corrections

        corrections.apply(drive)
        stop.install()
    else:
        sys.stderr.write(
            "drive: Horovod %s is not %s: it runs as it is, without Maypole's corrections and without "
            "its driver's state. The state is read from its log.\n" % (version, CORRECTED_VERSION)
        )
    drive.tell(DriverReady(os.getpid(), version, corrected=version == CORRECTED_VERSION))
    sys.argv = ["horovodrun", *args]
    try:
        code = _run(drive, launch)
    finally:
        if stop.wanted:
            _wait_for_the_end()
        drive.processes.finish()
    return code


def _run(drive: Drive, launch: object) -> int:
    from horovod.runner.common.util.timeout import TimeoutException

    try:
        launch.run_commandline()  # type: ignore[attr-defined]
    except (RuntimeError, ValueError, TimeoutException) as error:
        # Told in one sentence; where in Horovod it came from helps nobody.
        return _failed(drive, str(error))
    drive.tell_stopping("horovodrun has ended")
    return 0


def _failed(drive: Drive, reason: str) -> int:
    drive.tell_stopping(reason.strip())
    sys.stderr.write("horovodrun: %s\n" % reason.strip())
    return 1


def _wait_for_the_end() -> NoReturn:
    """A signal came: the thread that stops everything leaves the process (signals.py)."""
    while True:
        time.sleep(60)
