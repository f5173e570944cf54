"""Stopping a run: first at a commit, then by signal, then by force. Driven by the supervisor's loop."""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, Optional

from .driver import Driver
from .model import Model

COMMIT_LIMIT = 60.0
"""Seconds for the next commit, the final export and the workers' own ends."""
EXIT_LIMIT = 20.0
"""Seconds for the workers' own ends, once one has said that it stopped."""
TERM_LIMIT = 10.0
"""Seconds for horovodrun after SIGTERM. While it waits for hosts it would otherwise stay (HOROVOD C.7)."""


class Stopping:
    def __init__(
        self, model: Model, driver: Driver, send: Callable[[str, Dict[str, Any]], bool]
    ) -> None:
        self._model, self._driver, self._send = model, driver, send
        self._asked = ""
        self._said = False
        self._graceful_until: Optional[float] = None
        self._kill_at: Optional[float] = None

    def request(self, now: bool) -> None:
        self._model.stopping = True
        if now or not self._model.world.trains or self._model.waits:
            self._terminate()
        elif self._graceful_until is None and self._kill_at is None:
            self._graceful_until = time.monotonic() + COMMIT_LIMIT

    def tick(self) -> None:
        at = time.monotonic()
        if self._kill_at is not None:
            if at >= self._kill_at:
                self._driver.kill()
                self._kill_at = at + TERM_LIMIT
            return
        if self._graceful_until is None:
            return
        zero = self._model.world.rank_zero()
        if zero and zero != self._asked and self._send(zero, {"type": "stop"}):
            self._asked = zero
        if self._model.stopped and not self._said:
            self._said = True
            self._graceful_until = max(self._graceful_until, at + EXIT_LIMIT)
        if at >= self._graceful_until:
            self._terminate()

    def _terminate(self) -> None:
        if self._kill_at is None:
            self._driver.terminate()
            self._kill_at = time.monotonic() + TERM_LIMIT
