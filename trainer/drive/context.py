"""What the corrections share in one drive process."""

from __future__ import annotations

import threading
from typing import Any

from ..events import DriverStopping, Event
from .eventlog import EventLog
from .forwarding import sink_of
from .processes import Processes


class Drive:
    def __init__(self, events: EventLog) -> None:
        self._events = events
        self.processes = Processes(sink_of)
        self.stop_wanted = threading.Event()
        """Set by a signal; stock's own event for the same purpose (gloo_run.py:230)."""
        self.polling = threading.Lock()
        """Held while the discovery script runs; who keeps it lets no further one start."""
        self.driver: Any = None
        """The ElasticDriver once there is one."""
        self._lock = threading.Lock()
        self._stopping = False

    def is_set(self) -> bool:
        """Like an Event's: whether what is being waited for is wanted no more."""
        driver = self.driver
        return self.stop_wanted.is_set() or (driver is not None and driver.finished())

    def tell(self, event: Event) -> None:
        self._events.tell(event)

    def tell_stopping(self, reason: str) -> None:
        """Only the first reason counts: what follows is its consequence."""
        with self._lock:
            if self._stopping:
                return
            self._stopping = True
        self.tell(DriverStopping(reason))
