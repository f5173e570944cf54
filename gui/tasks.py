"""Blocking calls of core, each in a named thread of its own; their results come back over the bridge."""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Slot

from core.errors import MaypoleError
from gui.eventbridge import EventBridge, Parcel

log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]
Cancelled = Callable[[], bool]
Work = Callable[[Progress, Cancelled], Any]


@dataclass(frozen=True, slots=True)
class TaskProgress:
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class TaskEnded:
    """Either ``value``, or ``error`` which may be shown."""

    value: Any = None
    error: MaypoleError | None = None


@dataclass(slots=True)
class _Task:
    thread: threading.Thread
    cancelled: threading.Event
    on_value: Callable[[Any], None]
    on_error: Callable[[MaypoleError], None]
    on_progress: Callable[[int, int], None] | None


class Tasks(QObject):
    """Callbacks run in the window's thread, and not at all after cancel() or stop()."""

    def __init__(self, bridge: EventBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._numbers = itertools.count(1)
        self._tasks: dict[str, _Task] = {}
        self._ending: list[threading.Thread] = []
        bridge.received.connect(self._receive)

    def run(
        self,
        name: str,
        work: Work,
        on_value: Callable[[Any], None],
        on_error: Callable[[MaypoleError], None],
        on_progress: Callable[[int, int], None] | None = None,
    ) -> str:
        """Starts ``work`` and returns the task's id."""
        id = f"task-{next(self._numbers)}"
        cancelled = threading.Event()
        thread = threading.Thread(
            target=self._body, args=(id, work, cancelled), name=f"maypole {name}", daemon=True
        )
        self._tasks[id] = _Task(thread, cancelled, on_value, on_error, on_progress)
        thread.start()
        return id

    def cancel(self, id: str) -> None:
        task = self._tasks.pop(id, None)
        if task is not None:
            task.cancelled.set()
            self._ending = [thread for thread in self._ending if thread.is_alive()]
            self._ending.append(task.thread)

    def stop(self, timeout: float) -> bool:
        """Asks all to end; whether they did within ``timeout`` seconds."""
        for id in list(self._tasks):
            self.cancel(id)
        deadline = time.monotonic() + timeout
        for thread in self._ending:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._ending)

    def _body(self, id: str, work: Work, cancelled: threading.Event) -> None:
        def progress(done: int, total: int) -> None:
            self._bridge.post(id, TaskProgress(done, total))

        try:
            ended = TaskEnded(value=work(progress, cancelled.is_set))
        except MaypoleError as error:
            ended = TaskEnded(error=error)
        except Exception as error:  # a thread's outermost loop: told, and it ends
            log.exception("a task of the window failed")
            ended = TaskEnded(error=MaypoleError(f"Maypole itself failed: {error!r}. Try again."))
        self._bridge.post(id, ended)

    @Slot(object)
    def _receive(self, parcel: Parcel) -> None:
        for event in parcel.events:
            task = self._tasks.get(parcel.source)
            if task is None:
                return
            match event:
                case TaskProgress(done, total):
                    if task.on_progress is not None:
                        task.on_progress(done, total)
                case TaskEnded(value, error):
                    self._end(parcel.source)
                    if error is not None:
                        task.on_error(error)
                    else:
                        task.on_value(value)
                case _:
                    raise AssertionError(event)

    def _end(self, id: str) -> None:
        thread = self._tasks.pop(id).thread
        self._ending = [thread for thread in self._ending if thread.is_alive()]
        self._ending.append(thread)
