from __future__ import annotations

import itertools
import threading
import time

from trainer.drive.notifying import FIRST_PATIENCE, LAST_PATIENCE, RETRY, Notifier
from trainer.events import DriverNotified, Event


class FakeClient:
    """Rank 0's notification service: it may refuse."""

    def __init__(self) -> None:
        self.timestamps: list[float] = []
        self.refuses = False

    def notify_hosts_updated(self, timestamp: float, update: int) -> None:
        assert update == 3
        if self.refuses:
            raise ConnectionRefusedError("nobody listens")
        self.timestamps.append(timestamp)


class Bench:
    def __init__(self) -> None:
        self.told: list[Event] = []
        self.arrived = threading.Condition()
        self.notifier = Notifier(self.tell, 3)
        self.client = FakeClient()

    def tell(self, event: Event) -> None:
        with self.arrived:
            self.told.append(event)
            self.arrived.notify_all()

    def consider(self, change: object, now: float, expected: int) -> list[Event]:
        """Waits until so many events were told in all, and the thread that told the last has ended."""
        self.notifier.consider(change, self.client, now)
        with self.arrived:
            assert self.arrived.wait_for(lambda: len(self.told) >= expected, 5)
        for thread in threading.enumerate():
            if thread.name == "notify":
                thread.join(5)
        return self.told


def test_that_a_change_is_told_once_and_again_only_when_no_reset_follows() -> None:
    bench, start = Bench(), time.monotonic()
    bench.consider("a", start, 1)
    assert bench.consider("a", start + FIRST_PATIENCE / 2, 1) == [DriverNotified(True)]
    bench.consider("a", start + FIRST_PATIENCE + 1, 2)
    assert isinstance(bench.told[1], DriverNotified) and "told again" in bench.told[1].reason
    bench.consider("a", start + LAST_PATIENCE * 10, 3)
    bench.consider(None, start + LAST_PATIENCE * 20, 3)
    assert len(bench.client.timestamps) == 3


def test_that_equal_seconds_never_make_equal_timestamps() -> None:
    bench, now = Bench(), time.monotonic()
    for count, change in enumerate("abcdefgh", 1):
        bench.consider(change, now, count)
    stamps = bench.client.timestamps
    assert all(later > earlier for earlier, later in itertools.pairwise(stamps))


def test_that_a_refused_message_is_tried_again_and_told_once_as_failed() -> None:
    bench, now = Bench(), time.monotonic()
    bench.client.refuses = True
    bench.consider("a", now, 1)
    bench.consider("a", now + 2 * RETRY, 1)
    assert [getattr(event, "delivered", None) for event in bench.told] == [False]
    bench.client.refuses = False
    bench.consider("a", now + 9 * RETRY, 2)
    assert bench.told[-1] == DriverNotified(True)


def test_that_nobody_to_tell_is_told_once() -> None:
    bench, now = Bench(), time.monotonic()
    for _ in range(3):
        bench.notifier.consider("a", None, now)
    assert bench.told == [DriverNotified(False, "rank 0 has not registered yet")]
    bench.consider("a", now, 2)
    assert bench.told[-1] == DriverNotified(True)
