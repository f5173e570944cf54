"""SIGTERM and SIGINT end the job at once, whatever the driver waits for, and leave nothing.

Stock has no handler until np slots are there, and while it waits below min-np its handler only sets an
event that nobody looks at (gloo_run.py:230-239, 0.28.1).
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import Any

from .context import Drive
from .processes import GRACE

_LAST_WORDS = 1.0
"""Seconds for worker threads to tell how their workers ended."""


class StopOnSignal:
    """A thread of its own waits for the signals, stops everything and leaves the process.

    A Python handler would not do: it runs in the main thread, which waits in Thread.join for workers
    (elastic/driver.py:65), and when the kernel gives the signal to another thread nothing wakes it (seen in
    one of some thirty stops). The wake-up descriptor is written by whichever thread takes the signal.
    """

    def __init__(self, drive: Drive) -> None:
        self._drive = drive
        self._reader, self._writer = os.pipe()
        self.wanted = False

    def install(self) -> None:
        """In the main thread only."""
        os.set_blocking(self._writer, False)
        signal.set_wakeup_fd(self._writer, warn_on_full_buffer=False)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _nothing)
        threading.Thread(target=self._wait, name="stop", daemon=True).start()

    def _wait(self) -> None:
        number = os.read(self._reader, 1)[0]
        self.wanted = True
        threading.Thread(target=self._hurry, name="hurry", daemon=True).start()
        self._stop(number)

    def _hurry(self) -> None:
        """A second signal: no grace."""
        os.read(self._reader, 1)
        self._drive.processes.kill()

    def _stop(self, number: int) -> None:
        drive = self._drive
        drive.tell_stopping("stopped by %s" % signal.Signals(number).name)
        drive.processes.close()
        drive.stop_wanted.set()
        if drive.driver is not None:
            drive.driver.abandon()
        drive.processes.wait_until_none(2 * GRACE)
        if drive.driver is not None:
            drive.driver.wait_for_exits_told(_LAST_WORDS)
        drive.polling.acquire(timeout=_LAST_WORDS)
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(128 + number)


def _nothing(_number: int, _frame: Any) -> None:
    """Needed: without a Python handler the descriptor is not written."""
