"""The driver's state as lines of JSON, appended to a file that the supervisor follows.

One ``{"time": epoch seconds, "event": {...}}`` a line. A full disk or a missing folder costs events,
never the training: it is said once on standard error, and writing is tried again with every event.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import Optional

from ..eventcodec import event_to_wire
from ..events import Event
from ..protocol import ProtocolError, encode


class EventLog:
    def __init__(self, path: str) -> None:
        self._path = path
        self._lock = threading.Lock()
        self._handle: Optional[int] = None
        self._torn = False
        self._complained = False

    def tell(self, event: Event) -> None:
        """Appends ``event``, in one write and without a buffer. Never raises; any thread may call it."""
        if not self._path:
            return
        with self._lock:
            try:
                line = encode({"time": time.time(), "event": event_to_wire(event)})
                self._append(line)
            except (OSError, ProtocolError) as error:
                self._complain(error)

    def _append(self, line: bytes) -> None:
        if self._handle is None:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC
            self._handle = os.open(self._path, flags, 0o644)
        # A line cut short by a full disk must not swallow the next one.
        whole = b"\n" + line if self._torn else line
        written = os.write(self._handle, whole)
        self._torn = written < len(whole)

    def _complain(self, error: Exception) -> None:
        self._close()
        if not self._complained:
            self._complained = True
            sys.stderr.write(
                "drive: cannot write %s (%s). The training goes on; its driver's state is not "
                "told until the file can be written.\n" % (self._path, error)
            )

    def _close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None
