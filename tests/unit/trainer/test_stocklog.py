from __future__ import annotations

from trainer.events import (
    DriverAssigned,
    DriverBlacklisted,
    DriverPollFailed,
    DriverStopping,
    DriverWaiting,
    DriverWorkerExited,
    DriverWorkerReady,
    DriverWorkerStarted,
    Event,
)
from trainer.stocklog import StockLog


def told(text: str) -> list[Event]:
    log = StockLog()
    return [event for line in text.splitlines() for event in log.feed(line)]


START = """\
INFO:root:wait for available slots: 2
INFO:root:reset workers: 2
INFO:root:start worker process: localhost[0]
INFO:root:start worker process: 127.0.0.1[0]
"""
STARTED: list[Event] = [
    DriverWaiting(2),
    DriverAssigned(2, []),
    DriverWorkerStarted("localhost", 0, 0),
    DriverWorkerStarted("127.0.0.1", 0, 1),
]


def test_that_a_start_and_a_growth_are_told() -> None:
    grown = """\
INFO:root:_get_rank_and_size: localhost 0
INFO:root:record state: localhost[0] = READY
INFO:root:all 2 workers recorded
INFO:root:wait for available slots: 1
INFO:root:reset workers: 3
INFO:root:start worker process: demo-3[0]
INFO:root:rank and size: 0 3
"""
    assert told(START + grown) == [
        *STARTED,
        DriverWorkerReady("localhost", 0),
        DriverWaiting(1),
        DriverAssigned(3, []),
        DriverWorkerStarted("demo-3", 0, -1),
    ]


def test_that_a_crash_has_its_exit_code_and_a_blacklisting() -> None:
    crash = """\
Process 1 exit with status code 137.
INFO:root:record state: 127.0.0.1[0] = FAILURE
INFO:root:record state: localhost[0] = READY
INFO:root:blacklist failing host: 127.0.0.1
"""
    assert told(START + crash)[4:] == [
        DriverWorkerExited("127.0.0.1", 0, 137),
        DriverWorkerReady("localhost", 0),
        DriverBlacklisted("127.0.0.1"),
    ]


def test_that_a_removed_worker_is_told_as_not_assigned() -> None:
    removal = """\
[0]<stderr>:terminate called after throwing an instance of 'std::runtime_error'
[0]<stderr>:  what():  localhost[0] has been removed from elastic job
[0]<stderr>:Aborted
Process 0 exit with status code 134.
"""
    assert told(START + removal)[4:] == [DriverWorkerExited("localhost", 0, 134, assigned=False)]


def test_that_failed_polls_are_told_when_they_change() -> None:
    failing = "WARNING:root:Failed to execute discovery script: ./d.sh. Exit code: 7\n"
    text = "Failed to execute discovery script: ./d.sh. Exit code: 7"
    assert told(failing * 3 + text + "\n") == [DriverPollFailed(text)]


def test_that_the_end_is_told_with_its_reason() -> None:
    assert told("INFO:root:success count == 2 -> stop running") == [
        DriverStopping("success count == 2")
    ]
    assert told("ERROR:root:failed to activate new hosts -> stop running") == [
        DriverStopping("failed to activate new hosts")
    ]


def test_that_a_workers_words_are_not_the_drivers() -> None:
    assert (
        told("[0]<stdout>:reset workers: 9\n[demo-1[0]#0]<stderr>:INFO:root:reset workers: 9") == []
    )
    assert told("x" * 10_000_000) == []
