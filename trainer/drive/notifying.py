"""Tells rank 0 that the hosts changed, until the workers have acted on it.

Stock tells once and forgets (driver.py:208-238, 0.28.1): before rank 0 has registered, while it resets
(State.on_reset throws its queue away, common/elastic.py:51-53) or in the same second as another change
(equal timestamps are dropped, common/elastic.py:84) the change is lost.
"""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, Hashable, Optional

from ..events import DriverNotified, Event

FIRST_PATIENCE = 2.0
"""Seconds until a delivered message that no reset followed is sent again; doubles up to the last."""
LAST_PATIENCE = 30.0
RETRY = 1.0
"""Seconds until a message that could not be delivered is tried again."""


class Notifier:
    def __init__(self, tell: Callable[[Event], None], update: Any) -> None:
        """``update``: what the message says has happened (a HostUpdateResult)."""
        self._tell = tell
        self._update = update
        self._lock = threading.Lock()
        self._change: Hashable = None
        self._due = 0.0
        self._patience = FIRST_PATIENCE
        self._failure: Optional[str] = None
        self._busy_with: Any = None
        self._last_timestamp = 0.0

    def consider(self, change: Hashable, client: Any, now: float) -> None:
        """Called at every poll. ``change``: what the workers do not know yet, None for nothing.

        Equal changes are one change. ``client`` is rank 0's, None before it has registered.
        """
        with self._lock:
            if change != self._change:
                self._change, self._due, self._patience, self._failure = (
                    change,
                    0.0,
                    FIRST_PATIENCE,
                    None,
                )
            if change is None or now < self._due:
                return
            if client is None:
                self._failed("rank 0 has not registered yet", now)
                self._due = 0.0
                return
            if self._busy_with is client:
                return
            self._busy_with = client
        # No lock of the driver's while connecting: to a dead host that takes minutes.
        threading.Thread(
            target=self._send, args=(client, change), name="notify", daemon=True
        ).start()

    def _send(self, client: Any, change: Hashable) -> None:
        try:
            client.notify_hosts_updated(self._timestamp(), self._update)
        except Exception as error:  # noqa: BLE001 (any failure of the wire: it is told and tried again)
            with self._lock:
                if change == self._change:
                    self._failed("rank 0 could not be told: %s" % error, time.monotonic())
        else:
            with self._lock:
                if change == self._change:
                    self._delivered(time.monotonic())
        finally:
            with self._lock:
                if self._busy_with is client:
                    self._busy_with = None

    def _timestamp(self) -> float:
        """Seconds, never equal to an earlier one, also when the clock is set back."""
        with self._lock:
            self._last_timestamp = max(time.time(), self._last_timestamp + 0.001)
            return self._last_timestamp

    def _failed(self, reason: str, now: float) -> None:
        self._due = now + RETRY
        if reason != self._failure:
            self._failure = reason
            self._tell(DriverNotified(delivered=False, reason=reason))

    def _delivered(self, now: float) -> None:
        again = self._patience > FIRST_PATIENCE
        self._due = now + self._patience
        self._patience = min(LAST_PATIENCE, 2 * self._patience)
        self._failure = None
        reason = "told again: no reset has followed yet" if again else ""
        self._tell(DriverNotified(delivered=True, reason=reason))
