"""RunClient against a real process that speaks the attach dialogue and misbehaves as told."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers import fakeattach
from helpers.fakeattach import make_run
from helpers.linklab import wait_until

from core.errors import RunError
from core.events import (
    ClientEvent,
    CommandReply,
    LinkChanged,
    LinkState,
    LogRecord,
    Nudged,
    Record,
    RunInfo,
)
from core.localmachine import LocalMachine
from core.runclient import Pace, RunClient

FAST = Pace(first=0.02, longest=0.1, settled=5.0, patience=10.0)
FIVE = [Nudged(str(number)) for number in range(1, 6)]

Start = Callable[..., tuple[RunClient, list[ClientEvent]]]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    clients = []

    def start(
        lines: list[Any], plan: list[dict[str, Any]], pace: Pace = FAST
    ) -> tuple[RunClient, list[ClientEvent]]:
        heard: list[ClientEvent] = []
        make_run(tmp_path / "run", lines, plan)
        client = RunClient(
            LocalMachine(),
            sys.executable,
            fakeattach.__file__,
            str(tmp_path / "run"),
            heard.append,
            pace,
        )
        client.start()
        clients.append(client)
        return client, heard

    yield start
    for client in clients:
        assert client.stop(10)


def seqs(heard: list[ClientEvent]) -> list[int]:
    return [event.seq for event in heard if isinstance(event, Record)]


def links(heard: list[ClientEvent]) -> list[LinkState]:
    return [event.state for event in heard if isinstance(event, LinkChanged)]


def lost(heard: list[ClientEvent]) -> list[str]:
    return [
        event.text
        for event in heard
        if isinstance(event, LinkChanged) and event.state is LinkState.LOST
    ]


def replies(heard: list[ClientEvent]) -> list[CommandReply]:
    return [event for event in heard if isinstance(event, CommandReply)]


def wait_for(heard: list[ClientEvent], state: LinkState) -> None:
    wait_until(lambda: state in links(heard), f"the link never was {state}")


def test_that_a_run_is_told_whole_and_then_live(start: Start) -> None:
    output = LogRecord(1, 1.0, "demo-1", 0, 0, "stdout", "hello")
    _, heard = start([*FIVE[:2], output, *FIVE[2:]], [{"then": "live"}])
    wait_for(heard, LinkState.LIVE)
    assert seqs(heard) == [1, 2, 3, 4, 5]
    assert [event for event in heard if isinstance(event, LogRecord)] == [output]
    (info,) = [event for event in heard if isinstance(event, RunInfo)]
    assert (info.run_id, info.last, info.spec) == ("run", 6, fakeattach.SPEC)
    assert links(heard) == [LinkState.ATTACHING, LinkState.LIVE]


def test_that_a_lost_link_is_taken_up_where_it_broke(start: Start, tmp_path: Path) -> None:
    plan = [{"send": 2, "then": "die"}, {"send": 0, "then": "die"}, {"then": "live"}]
    _, heard = start(FIVE, plan)
    wait_for(heard, LinkState.LIVE)
    assert seqs(heard) == [1, 2, 3, 4, 5]
    assert [hello["after"] for hello in fakeattach.attachments(tmp_path / "run")] == [0, 2, 2]
    assert "the supervisor was killed" in lost(heard)[0]
    assert "trying again" in lost(heard)[0]


def test_that_a_record_sent_twice_is_told_once(start: Start) -> None:
    output = LogRecord(1, 1.0, "demo-1", 0, 0, "stdout", "hello")
    _, heard = start([*FIVE, output], [{"dup": True, "then": "live"}])
    wait_for(heard, LinkState.LIVE)
    assert seqs(heard) == [1, 2, 3, 4, 5]
    assert heard.count(output) == 1


def test_that_a_record_left_out_is_asked_for_again(start: Start, tmp_path: Path) -> None:
    _, heard = start(FIVE, [{"skip": 3, "then": "live"}, {"then": "live"}])
    wait_for(heard, LinkState.LIVE)
    assert seqs(heard) == [1, 2, 3, 4, 5]
    assert "events 3 to 3 did not arrive" in lost(heard)[0]


def test_that_a_record_that_no_journal_has_does_not_stop_the_rest(start: Start) -> None:
    _, heard = start(FIVE, [{"skip": 3, "then": "live"}])
    wait_for(heard, LinkState.LIVE)
    assert seqs(heard) == [1, 2, 4, 5]


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("not json\n", "not a line of JSON"),
        ('{"seq": "one", "time": 1, "event": {}}\n', "not of type int"),
        ("[1, 2]\n", "one JSON object"),
        ("\xff\xfe\n", "not a line of JSON"),
        ("x" * (2 << 20) + "\n", "more than 1048576 bytes"),
        ('{"type": "welcome", "version": 9}\n', "version 9"),
        ('{"type": "error", "text": "no such run"}\n', "no such run"),
    ],
)
def test_that_a_malformed_line_ends_the_attachment_and_not_the_client(
    start: Start, raw: str, said: str
) -> None:
    _, heard = start(FIVE, [{"send": 2, "raw": raw}, {"then": "live"}])
    wait_for(heard, LinkState.LIVE)
    assert seqs(heard) == [1, 2, 3, 4, 5]
    assert said in lost(heard)[0]


def test_that_a_torn_line_at_the_end_is_read_again_whole(start: Start) -> None:
    _, heard = start(FIVE, [{"send": 2, "raw": '{"seq": 3, "ti'}, {"then": "live"}])
    wait_for(heard, LinkState.LIVE)
    assert seqs(heard) == [1, 2, 3, 4, 5]


def test_that_messages_of_a_newer_version_are_passed_over(start: Start) -> None:
    _, heard = start(FIVE, [{"send": 0, "raw": '{"type": "weather"}\n'}, {"then": "live"}])
    wait_for(heard, LinkState.LIVE)
    assert seqs(heard) == [1, 2, 3, 4, 5]


def test_that_back_off_grows_while_nothing_new_comes_and_then_begins_again(start: Start) -> None:
    nothing: dict[str, Any] = {"send": 0, "then": "die"}
    plan = [nothing, nothing, nothing, {"send": 1, "then": "die"}, {"then": "live"}]
    _, heard = start(FIVE, plan, Pace(first=0.1, longest=0.3))
    wait_for(heard, LinkState.LIVE)
    waits = [text.rpartition("again in ")[2] for text in lost(heard)]
    assert waits == ["0.1 s.", "0.2 s.", "0.3 s.", "0.1 s."]


def test_that_a_run_that_is_over_is_attached_to_once(start: Start, tmp_path: Path) -> None:
    client, heard = start(FIVE, [{"then": "ended"}])
    wait_for(heard, LinkState.ENDED)
    assert client.stop(10)
    assert links(heard) == [LinkState.ATTACHING, LinkState.ENDED]
    assert len(fakeattach.attachments(tmp_path / "run")) == 1


def test_that_a_command_to_a_run_that_is_over_attaches_again(start: Start) -> None:
    client, heard = start(FIVE, [{"then": "ended"}, {"then": "ended", "reply": "ok"}])
    wait_for(heard, LinkState.ENDED)
    id = client.export()
    wait_until(lambda: replies(heard), "no reply")
    assert replies(heard) == [CommandReply(id, "export", True, "", {"request": "r1"})]
    assert seqs(heard) == [1, 2, 3, 4, 5]


def test_that_every_command_reaches_the_run_and_its_reply_its_sender(
    start: Start, tmp_path: Path
) -> None:
    client, heard = start(FIVE, [{"then": "live", "reply": "ok"}])
    ids = [
        client.set_hosts({"demo-1": 1, "demo-3": 2}),
        client.set_hosts({"demo-1": 1}, confirmed=True),
        client.stop_run(now=True),
        client.export(),
    ]
    wait_until(lambda: len(replies(heard)) == 4, "four replies")
    assert [(reply.id, reply.ok) for reply in replies(heard)] == [(id, True) for id in ids]
    sent = fakeattach.commands(tmp_path / "run")
    assert [(message["name"], message["args"]) for message in sent] == [
        ("set_hosts", {"hosts": {"demo-1": 1, "demo-3": 2}}),
        ("set_hosts", {"hosts": {"demo-1": 1}, "confirmed": True}),
        ("stop", {"now": True}),
        ("export", {}),
    ]


def test_that_a_refused_command_says_why(start: Start) -> None:
    client, heard = start([], [{"then": "live", "reply": "no"}])
    client.set_hosts({"demo-1": 1})
    wait_until(lambda: replies(heard), "no reply")
    assert (replies(heard)[0].ok, replies(heard)[0].error) == (False, "min-np is 1. Say --yes.")


def test_that_a_reply_nobody_waits_for_is_dropped(start: Start) -> None:
    pace = Pace(first=0.02, longest=0.1, patience=0.3)
    client, heard = start([], [{"then": "live", "reply": "late"}], pace)
    id = client.export()
    wait_until(lambda: replies(heard), "no reply")
    assert [(reply.id, reply.ok) for reply in replies(heard)] == [(id, False)]
    assert "did not answer in time" in replies(heard)[0].error


def test_that_a_command_given_without_a_link_waits_for_the_next_one(start: Start) -> None:
    client, heard = start([], [{"then": "die"}, {"then": "die"}, {"then": "live", "reply": "ok"}])
    id = client.export()
    wait_until(lambda: replies(heard), "no reply")
    assert (replies(heard)[0].id, replies(heard)[0].ok) == (id, True) or "link was lost" in (
        replies(heard)[0].error
    )


def test_that_a_command_whose_link_dies_says_that_its_fate_is_unknown(start: Start) -> None:
    client, heard = start([], [{"then": "live", "reply": "die"}])
    wait_for(heard, LinkState.LIVE)
    client.export()
    wait_until(lambda: replies(heard), "no reply")
    assert not replies(heard)[0].ok
    assert "link was lost" in replies(heard)[0].error


def test_that_a_command_without_any_link_is_given_up_in_time(start: Start) -> None:
    pace = Pace(first=0.02, longest=0.05, patience=0.3)
    client, heard = start([], [{"raw": "garbage\n"}], pace)
    id = client.export()
    wait_until(lambda: any(reply.id == id for reply in replies(heard)), "no reply")
    assert not replies(heard)[0].ok


def test_that_commands_without_an_answer_are_bounded(start: Start) -> None:
    client, _ = start([], [{"then": "live", "reply": "never"}])
    for _ in range(64):
        client.export()
    with pytest.raises(RunError, match="64 commands are waiting"):
        client.export()


def test_that_stop_ends_a_client_that_waits_for_the_next_line(start: Start) -> None:
    client, heard = start(FIVE, [{"then": "live"}])
    wait_for(heard, LinkState.LIVE)
    before = {thread.name for thread in threading.enumerate()}
    assert {"read run", "command run"} <= before
    assert client.stop(10)
    assert not {"read run", "command run"} & {thread.name for thread in threading.enumerate()}
    assert links(heard) == [LinkState.ATTACHING, LinkState.LIVE]


def test_that_a_program_that_is_not_there_is_a_lost_link(tmp_path: Path) -> None:
    heard: list[ClientEvent] = []
    client = RunClient(
        LocalMachine(), str(tmp_path / "python"), "x.pyz", str(tmp_path), heard.append, FAST
    )
    client.start()
    wait_until(lambda: lost(heard), "no word about it")
    assert "There is no program" in lost(heard)[0]
    assert client.stop(10)


def test_that_an_error_in_the_listener_is_told_and_ends_the_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    heard: list[ClientEvent] = []

    def listener(event: ClientEvent) -> None:
        heard.append(event)
        if isinstance(event, Record):
            raise ZeroDivisionError("a fault of the window")

    make_run(tmp_path / "run", FIVE, [{"then": "live"}])
    client = RunClient(
        LocalMachine(), sys.executable, fakeattach.__file__, str(tmp_path / "run"), listener, FAST
    )
    client.start()
    wait_until(lambda: lost(heard), "no word about it")
    assert "Maypole itself failed: ZeroDivisionError" in lost(heard)[0]
    assert client.stop(10)
    assert seqs(heard) == [1]
