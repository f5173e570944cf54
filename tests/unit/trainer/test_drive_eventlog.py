from __future__ import annotations

import json
from pathlib import Path

import pytest

from trainer.drive.eventlog import EventLog
from trainer.drive.main import parse
from trainer.eventcodec import event_from_wire
from trainer.events import DriverPollFailed, DriverReady


def test_that_each_event_is_one_line_at_once(tmp_path: Path) -> None:
    path = tmp_path / "drive.ndjson"
    log = EventLog(str(path))
    events = [DriverReady(7, "0.28.1", True), DriverPollFailed("two\nlines")]
    for count, event in enumerate(events, 1):
        log.tell(event)
        lines = path.read_text().splitlines()
        assert len(lines) == count
        assert event_from_wire(json.loads(lines[-1])["event"]) == event


def test_that_a_file_that_cannot_be_written_is_told_once_and_tried_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "later" / "drive.ndjson"
    log = EventLog(str(path))
    log.tell(DriverPollFailed("lost"))
    log.tell(DriverPollFailed("lost"))
    assert capsys.readouterr().err.count("cannot write") == 1
    path.parent.mkdir()
    log.tell(DriverPollFailed("kept"))
    assert "kept" in path.read_text()


def test_that_no_file_means_no_events() -> None:
    EventLog("").tell(DriverPollFailed("x"))


def test_that_the_command_line_is_split_at_the_dashes() -> None:
    assert parse(["--events", "f", "--", "-np", "1", "--", "x"]) == ("f", ["-np", "1", "--", "x"])
    assert parse(["--", "-np", "1"]) == ("", ["-np", "1"])
    assert parse(["-np", "1"]) is None
    assert parse(["--events", "f", "--"]) is None
