"""The border between threads: order, bursts, back-pressure, closing."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, QThread, Slot
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from core.errors import MaypoleError
from gui import eventbridge
from gui.eventbridge import EventBridge, Parcel
from gui.tasks import Cancelled, Progress, Tasks


class Receiver(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.parcels: list[Parcel] = []
        self.threads: set[QThread] = set()

    @Slot(object)
    def take(self, parcel: Parcel) -> None:
        self.parcels.append(parcel)
        self.threads.add(QThread.currentThread())

    @property
    def events(self) -> list[object]:
        return [event for parcel in self.parcels for event in parcel.events]


@pytest.fixture
def bridge(qapp: QApplication) -> Iterator[EventBridge]:
    made = EventBridge()
    yield made
    made.close()


@pytest.fixture
def receiver(bridge: EventBridge) -> Receiver:
    made = Receiver()
    bridge.received.connect(made.take)
    return made


def in_thread(work: object, *args: object) -> threading.Thread:
    thread = threading.Thread(target=work, args=args, name="poster")  # type: ignore[arg-type]
    thread.start()
    return thread


def test_that_events_arrive_in_order_and_in_the_windows_thread(
    bridge: EventBridge, receiver: Receiver, qtbot: QtBot
) -> None:
    post = bridge.listener("a")
    thread = in_thread(lambda: [post(n) for n in range(5000)])
    qtbot.waitUntil(lambda: len(receiver.events) == 5000, timeout=10_000)
    thread.join()
    assert receiver.events == list(range(5000))
    assert receiver.threads == {QThread.currentThread()}


def test_that_a_burst_comes_in_few_parcels(
    bridge: EventBridge, receiver: Receiver, qtbot: QtBot
) -> None:
    for n in range(1000):
        bridge.post("a", n)
    qtbot.waitUntil(lambda: len(receiver.events) == 1000, timeout=10_000)
    assert len(receiver.parcels) <= 4


def test_that_sources_are_kept_apart_without_losing_the_order(
    bridge: EventBridge, receiver: Receiver, qtbot: QtBot
) -> None:
    for n in range(6):
        bridge.post("ab"[n // 2 % 2], n)
    qtbot.waitUntil(lambda: len(receiver.events) == 6, timeout=10_000)
    assert [(p.source, p.events) for p in receiver.parcels] == [
        ("a", (0, 1)),
        ("b", (2, 3)),
        ("a", (4, 5)),
    ]


def test_that_a_poster_waits_while_the_window_cannot_keep_up(
    bridge: EventBridge, receiver: Receiver, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(eventbridge, "_LIMIT", 100)
    posted: list[int] = []

    def post_all() -> None:
        for n in range(1000):
            bridge.post("a", n)
            posted.append(n)

    thread = in_thread(post_all)
    deadline = time.monotonic() + 5
    while len(posted) < 100 and time.monotonic() < deadline:
        thread.join(0.01)
    thread.join(0.1)
    assert len(posted) == 100
    qtbot.waitUntil(lambda: len(receiver.events) == 1000, timeout=10_000)
    thread.join()


@pytest.mark.parametrize("end", ["close", "discard"])
def test_that_a_waiting_poster_is_let_go(
    bridge: EventBridge, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(eventbridge, "_LIMIT", 1)
    bridge.post("a", 0)
    thread = in_thread(bridge.post, "a", 1)
    thread.join(0.05)
    assert thread.is_alive()
    bridge.close() if end == "close" else bridge.discard("a")
    thread.join(5)
    assert not thread.is_alive()


# ---- tasks --------------------------------------------------------------------------------------


@pytest.fixture
def tasks(bridge: EventBridge) -> Iterator[Tasks]:
    made = Tasks(bridge)
    yield made
    assert made.stop(5)


def test_that_a_task_tells_progress_and_its_value(tasks: Tasks, qtbot: QtBot) -> None:
    told: list[object] = []

    def work(progress: Progress, _cancelled: Cancelled) -> str:
        progress(1, 2)
        return threading.current_thread().name

    tasks.run(
        "count", work, told.append, told.append, lambda done, total: told.append((done, total))
    )
    qtbot.waitUntil(lambda: len(told) == 2, timeout=10_000)
    assert told == [(1, 2), "maypole count"]


@pytest.mark.parametrize("error", [MaypoleError("Do this."), ValueError("odd")])
def test_that_a_failing_task_tells_an_error_that_may_be_shown(
    tasks: Tasks, qtbot: QtBot, error: Exception
) -> None:
    told: list[MaypoleError] = []

    def work(_progress: Progress, _cancelled: Cancelled) -> None:
        raise error

    tasks.run("fail", work, lambda _: pytest.fail("it has no value"), told.append)
    qtbot.waitUntil(lambda: bool(told), timeout=10_000)
    assert told[0].text == ("Do this." if isinstance(error, MaypoleError) else told[0].text)
    assert told[0].text


def test_that_a_cancelled_tasks_late_answer_is_dropped(
    tasks: Tasks, bridge: EventBridge, receiver: Receiver, qtbot: QtBot
) -> None:
    told: list[object] = []
    go = threading.Event()

    def work(_progress: Progress, cancelled: Cancelled) -> bool:
        go.wait(5)
        return cancelled()

    id = tasks.run("late", work, told.append, told.append)
    tasks.cancel(id)
    go.set()
    qtbot.waitUntil(lambda: any(p.source == id for p in receiver.parcels), timeout=10_000)
    assert told == []
