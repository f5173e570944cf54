"""What the parts of a running worker share. There is one Session a process; none without ``work``."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path
from typing import Any, Callable, Dict, Optional, Protocol

from ..events import Event, WorkerPhase, WorkerRanked
from .ledger import Ledger
from .wishes import Wishes
from .world import World

Make = Callable[[], Event]


class Link(Protocol):
    """trainer.link.client.LinkClient, as far as it is used here."""

    def send(self, make: Make) -> None: ...

    def flush(self, timeout: float) -> bool: ...

    def close(self, timeout: float) -> None: ...


class NoLink:
    """For a script that runs without a run directory: nobody listens."""

    def send(self, make: Make) -> None:
        pass

    def flush(self, timeout: float) -> bool:  # noqa: ARG002  there is nothing to wait for
        return True

    def close(self, timeout: float) -> None:
        pass


class Session:
    def __init__(self, worker: str, home: Optional[Path] = None, run: str = "") -> None:
        self.worker = worker
        self.pid = os.getpid()
        self.home = home
        self.run = run
        self.link: Link = NoLink()
        self.wishes = Wishes()
        self.world = World()
        self.ledger = Ledger()
        self.state: Any = None
        """The horovod State inside hvd.elastic.run."""
        self.model: Any = None
        """The Keras model that was fitted last."""
        self.data: Any = None
        """fit_data.FitData of that fit: where real inputs can be had."""
        self.metrics: Dict[str, Any] = {}
        """The last batch's or epoch's logs, as Keras gave them."""
        self.logged_at = 0.0
        """time.perf_counter() of the last maypole.log."""
        self.fitting = False
        self.resetting = False
        self._complained: Dict[str, bool] = {}

    def tell(self, event: Event) -> None:
        self.link.send(lambda: event)

    def complain(self, what: str, error: BaseException) -> None:
        """Something of Maypole failed and the training goes on without it: say so once."""
        if self._complained.setdefault(what, False):
            return
        self._complained[what] = True
        _write("maypole: %s: %s: %s\n" % (what, type(error).__name__, error), sys.stderr)

    def say(self, text: str) -> None:
        """Into the worker's log."""
        _write("maypole: %s\n" % text, sys.stdout)

    # ---- Horovod's resets -------------------------------------------------------------------

    def initialised(self, rank: int, size: int) -> None:
        if self.world.initialised(rank, size):
            self.tell(WorkerRanked(self.worker, self.world.resets, rank, size, time.time()))
            if self.resetting:
                self.phase("initialised")

    def phase(self, name: str, step: Optional[int] = None) -> None:
        """Rank 0's clock through a reset; who rank 0 is changes at "initialised"."""
        if self.world.rank == 0:
            at = self.ledger.step if step is None else step
            self.tell(WorkerPhase(self.worker, name, time.time(), at))


def _write(text: str, stream: Any) -> None:
    """A script may have closed the stream, or put something of its own there."""
    with contextlib.suppress(Exception):
        stream.write(text)
        stream.flush()


_current: Optional[Session] = None


def current() -> Optional[Session]:
    return _current


def set_current(session: Optional[Session]) -> None:
    global _current
    _current = session
