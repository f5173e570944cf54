"""``status.json``: where the supervisor is and how far the run, for those who look from outside."""

from __future__ import annotations

import json
import os
import sys
import time

from ..events import RunState
from ..rundir import RunDir, write_atomically

RETRY = 2.0
"""Seconds until a write that failed is tried again."""


class Status:
    """Used by the supervisor's loop only. A full disk costs the file's freshness and nothing else."""

    def __init__(self, run: RunDir) -> None:
        self._run = run
        self.socket = ""
        self._noted = ""
        self._retry_at = 0.0

    def note(self, state: RunState, seq: int) -> None:
        """Writes when the state is another one than before."""
        if state.value == self._noted or time.monotonic() < self._retry_at:
            return
        fields = {
            "state": state.value,
            "pid": os.getpid(),
            "socket": self.socket,
            "seq": seq,
            "updated": time.time(),
        }
        try:
            write_atomically(self._run.status, json.dumps(fields) + "\n")
        except OSError as error:
            self._retry_at = time.monotonic() + RETRY
            sys.stderr.write("%s cannot be written: %s\n" % (self._run.status, error))
        else:
            self._noted = state.value
