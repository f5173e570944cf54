"""Bad input on the worker link gets a clear reason, loses nothing and hurts nobody else."""

from __future__ import annotations

import contextlib
import errno
import random
import resource
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.linklab import (
    WORKER,
    Raw,
    Supervisor,
    batch,
    client_of,
    make_home,
    records,
    send_steps,
    steps,
    token_of,
    wait_until,
)

from trainer import protocol
from trainer.eventcodec import event_to_wire
from trainer.events import Problem
from trainer.journal import Journal
from trainer.link import handshake, peer, server
from trainer.protocol import MAX_LINE
from trainer.rundir import RunDir

BAD = "demo-9[0].bad"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return make_home(tmp_path / "run")


@pytest.fixture
def supervisor(home: Path) -> Iterator[Supervisor]:
    """With a good worker that is connected throughout, and gets all its events through at the end."""
    with Supervisor(home) as started, client_of(home) as good:
        send_steps(good, 0, 10)
        assert good.flush(20)
        yield started
        send_steps(good, 10, 20)
        assert good.flush(20)
        assert started.lost.count(WORKER) == 0
        assert steps(home) == list(range(20))


def shortly(value: object) -> str:
    return repr(value)[:30]


def event_line(n: Any, **changes: Any) -> bytes:
    return protocol.encode({"n": n, "event": {**event_to_wire(batch(1, BAD)), **changes}})


def reason(supervisor: Supervisor) -> str:
    return str(wait_until(lambda: supervisor.refused, "the refusal is told")[-1])


def memory_kib() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() // 1024


# ---- before the proof -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "garbage",
    [b"\n", b"hello\n", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\n",
     b"\x00" * 100 + b"\n", b"[]\n", b"{}\n", b"null\n", b"[" * 4000 + b"\n", b'{"type":"answer"}\n',
     b"\xff" * 5000, b"SSH-2.0-x\r\n"],
    ids=shortly,
)  # fmt: skip
def test_that_garbage_from_a_stranger_is_refused_with_a_reason(
    garbage: bytes, supervisor: Supervisor
) -> None:
    with Raw(supervisor.server.port) as raw:
        raw.send(garbage)
        assert raw.ended()
    assert reason(supervisor).startswith("A peer at 127.0.0.1 was refused: ")


def test_that_ten_megabytes_without_a_newline_from_a_stranger_are_not_even_taken(
    supervisor: Supervisor,
) -> None:
    with Raw(supervisor.server.port) as raw:
        with contextlib.suppress(ConnectionError):
            raw.send(b"x" * (10 << 20))
        assert raw.ended()
    assert "longer than 4096 bytes" in reason(supervisor)


def test_that_a_wrong_token_is_refused_and_the_reason_holds_no_secret(
    home: Path, supervisor: Supervisor
) -> None:
    wrong, nonce = protocol.new_token(), protocol.new_nonce()
    with Raw(supervisor.server.port) as raw:
        raw.say(handshake.answer(wrong, BAD, nonce, raw.hear()))
        assert raw.ended()
    text = reason(supervisor)
    assert f"calls itself {BAD} does not know this run's token" in text
    assert wrong not in text
    assert token_of(home) not in text


def test_that_a_proof_overheard_from_another_connection_is_worth_nothing(
    home: Path, supervisor: Supervisor
) -> None:
    token, nonce = token_of(home), protocol.new_nonce()
    with Raw(supervisor.server.port) as first, Raw(supervisor.server.port) as second:
        overheard = handshake.answer(token, BAD, nonce, first.hear())
        second.hear()
        second.say(overheard)
        assert second.ended()
    assert "does not know" in reason(supervisor)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"version": 2}, "version 2"), ({"version": None}, "version"), ({"version": "1"}, "version"),
        ({"type": "welcome"}, "answer did not come"), ({"nonce": ""}, "nonce"),
        ({"nonce": "g" * 32}, "nonce"), ({"nonce": None}, "nonce"), ({"nonce": "a\n" * 16}, "nonce"),
        ({"proof": None}, "token"), ({"proof": 3}, "token"), ({"worker": ""}, "name"),
        ({"worker": None}, "name"), ({"worker": "../../etc[0].a"}, "name"), ({"worker": "a b[0].a"}, "name"),
        ({"worker": "\ud800[0].a"}, "name"), ({"worker": "x" * 3000}, "name"), ({"worker": {"a": 1}}, "name"),
    ],
)  # fmt: skip
def test_that_a_wrong_word_in_the_answer_is_refused(
    change: dict[str, Any], word: str, home: Path, supervisor: Supervisor
) -> None:
    with Raw(supervisor.server.port) as raw:
        answer = handshake.answer(token_of(home), BAD, protocol.new_nonce(), raw.hear())
        raw.say({**answer, **change})
        assert raw.ended()
    assert word in reason(supervisor)


def test_that_events_before_the_proof_are_refused(home: Path, supervisor: Supervisor) -> None:
    with Raw(supervisor.server.port) as raw:
        raw.send(event_line(1))
        assert raw.ended()
    assert records(home, BAD) == []
    assert "refused" in reason(supervisor)


def test_that_a_silent_stranger_has_five_seconds_and_no_more(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert peer.PROVE_SECONDS == 5.0
    monkeypatch.setattr(peer, "PROVE_SECONDS", 0.2)
    with Raw(supervisor.server.port) as silent, Raw(supervisor.server.port) as slow:
        slow.send(b'{"type":')
        begin = time.monotonic()
        assert silent.ended()
        assert slow.ended()
        assert time.monotonic() - begin < 3
    assert "did not prove in time" in reason(supervisor)


def test_that_strangers_are_limited_in_number_and_a_worker_still_gets_in(
    home: Path, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MAX_UNPROVED", 20)
    strangers = [Raw(supervisor.server.port) for _ in range(100)]
    with Raw(supervisor.server.port) as worker:
        assert worker.prove(token_of(home), BAD) == 0
    assert strangers[0].ended()
    assert "too many peers" in reason(supervisor)
    for stranger in strangers:
        stranger.close()


def test_that_a_flood_of_refusals_is_told_only_now_and_then(supervisor: Supervisor) -> None:
    for _ in range(200):
        with Raw(supervisor.server.port) as raw:
            raw.send(b"garbage\n")
            assert raw.ended()
    assert len(supervisor.refused) == 1


def test_that_strangers_who_come_and_go_leave_nothing_behind(supervisor: Supervisor) -> None:
    reset = struct.pack("ii", 1, 0)
    for index in range(100):
        sock = socket.create_connection(("127.0.0.1", supervisor.server.port))
        if index % 2:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)  # ends with RST
        sock.close()
    wait_until(lambda: not supervisor.server._unproved, "all are forgotten")
    assert supervisor.refused == []


def test_that_a_process_without_free_file_descriptors_recovers(
    home: Path, supervisor: Supervisor
) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    probe = socket.socket()
    waiting = socket.socket()
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (waiting.fileno() + 1, hard))
        with contextlib.ExitStack() as fillers:
            while True:
                try:
                    fillers.enter_context(open("/dev/null", "rb"))  # noqa: PTH123
                except OSError:
                    break
            waiting.connect(("127.0.0.1", supervisor.server.port))
            assert "cannot connect for the moment" in reason(supervisor)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        probe.close()
    waiting.settimeout(10)
    assert b"challenge" in waiting.recv(1000)
    waiting.close()


# ---- after the proof ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("garbage", "word"),
    [
        (b"garbage\n", "not a line of JSON"), (b"[]\n", "one JSON object"),
        (b"\xff\xfe\n", "not a line of JSON"), (b"{}\n", "without a number"),
        (event_line("1"), "without a number"), (event_line(0), "without a number"),
        (event_line(-5), "without a number"), (event_line(True), "without a number"),
        (event_line(1.0), "without a number"), (event_line(10**18), "without a number"),
        (event_line(7), "skipped from event 0 to 7"), (event_line(10**17), "skipped"),
        (protocol.encode({"n": 5, "event": {"type": "worker_lost", "worker": BAD, "count": 2}}), "skipped"),
        (b"[" * 500000 + b"\n", "not a line of JSON"),
    ],
    ids=shortly,
)  # fmt: skip
def test_that_garbage_from_a_worker_cuts_it_off_with_a_reason(
    garbage: bytes, word: str, home: Path, supervisor: Supervisor
) -> None:
    with Raw(supervisor.server.port) as raw:
        raw.prove(token_of(home), BAD)
        raw.send(garbage)
        assert raw.ended()
    text = reason(supervisor)
    assert text.startswith(f"{BAD} at 127.0.0.1 was cut off: ")
    assert word in text
    assert records(home, BAD) == []
    assert supervisor.lost == [BAD]


def test_that_ten_megabytes_without_a_newline_from_a_worker_are_cut_off_at_one(
    home: Path, supervisor: Supervisor
) -> None:
    with Raw(supervisor.server.port) as raw:
        raw.prove(token_of(home), BAD)
        before = memory_kib()
        with contextlib.suppress(ConnectionError):
            for _ in range(10):
                raw.send(b"x" * (1 << 20))
        assert raw.ended()
        assert memory_kib() - before < 16 * 1024
    assert f"longer than {MAX_LINE} bytes" in reason(supervisor)


def test_that_events_before_the_garbage_are_kept(home: Path, supervisor: Supervisor) -> None:
    with Raw(supervisor.server.port) as raw:
        raw.prove(token_of(home), BAD)
        raw.send(event_line(1) + event_line(2) + b"garbage\n" + event_line(3))
        assert raw.ended()
    assert [record.n for record in records(home, BAD)] == [1, 2]
    with Raw(supervisor.server.port) as raw:
        assert raw.prove(token_of(home), BAD) == 2


def test_that_a_replayed_number_is_acknowledged_and_not_recorded_again(
    home: Path, supervisor: Supervisor
) -> None:
    with Raw(supervisor.server.port) as raw:
        raw.prove(token_of(home), BAD)
        raw.send(event_line(1) + event_line(2))
        raw.send(event_line(1) + event_line(2) + event_line(2) + event_line(3))
        wait_until(lambda: raw.hear() == {"type": "ack", "n": 3}, "the last is acknowledged")
    assert [record.n for record in records(home, BAD)] == [1, 2, 3]
    assert supervisor.refused == []


@pytest.mark.parametrize(
    "event",
    [{"type": "batch"}, {"type": "batch", "step": "x"}, {}, None, [], "x", {"type": 3},
     {"type": "topology", "members": [{}]}, {"type": "new", "deep": [[[[[]]]]]},
     {"type": "batch", "wall": 10**4000}],
    ids=shortly,
)  # fmt: skip
def test_that_an_event_nobody_can_read_is_told_and_those_behind_it_pass(
    event: Any, home: Path, supervisor: Supervisor
) -> None:
    with Raw(supervisor.server.port) as raw:
        raw.prove(token_of(home), BAD)
        raw.send(protocol.encode({"n": 1, "event": event}) + event_line(2))
        wait_until(lambda: raw.hear() == {"type": "ack", "n": 2}, "both are acknowledged")
    found = records(home, BAD)
    assert [record.n for record in found] == [1, 2]
    assert isinstance(found[0].event, Problem) == ("deep" not in (event or {}))


def test_that_a_nesting_too_deep_for_the_journal_is_told_and_not_repeated_for_ever(
    home: Path, supervisor: Supervisor
) -> None:
    deep = b'{"n":1,"event":{"type":"new","deep":' + b"[" * 900 + b"]" * 900 + b"}}\n"
    with Raw(supervisor.server.port) as raw:
        raw.prove(token_of(home), BAD)
        raw.send(deep + event_line(2))
        wait_until(lambda: raw.hear() == {"type": "ack", "n": 2}, "both are acknowledged")
    assert [record.n for record in records(home, BAD)] == [1, 2]


def test_that_an_event_just_under_the_limit_is_recorded_or_told_and_acknowledged(
    home: Path, supervisor: Supervisor
) -> None:
    room = MAX_LINE - len(protocol.encode({"n": 1, "event": {"type": "nudged", "reason": ""}}))
    with Raw(supervisor.server.port) as raw:
        raw.prove(token_of(home), BAD)
        raw.say({"n": 1, "event": {"type": "nudged", "reason": "x" * room}})
        raw.say({"n": 2, "event": {"type": "nudged", "reason": "x" * (room - 2000)}})
        wait_until(lambda: raw.hear() == {"type": "ack", "n": 2}, "both are acknowledged")
    found = records(home, BAD)
    assert isinstance(found[0].event, Problem)
    assert [record.n for record in found] == [1, 2]


def test_that_a_worker_that_never_reads_is_cut_off_and_costs_little_memory(
    home: Path, supervisor: Supervisor
) -> None:
    with Raw(supervisor.server.port) as raw:
        raw.prove(token_of(home), BAD)
        before = memory_kib()
        message = {"type": "export", "request": "x" * 100000}
        end = time.monotonic() + 20
        while supervisor.server.send(BAD, message):
            assert time.monotonic() < end, "it was never cut off"
            time.sleep(0.001)
        assert memory_kib() - before < 32 * 1024
    assert "does not read" in reason(supervisor)


def test_that_a_half_open_peer_is_probed_by_the_system(home: Path, supervisor: Supervisor) -> None:
    with Raw(supervisor.server.port) as raw:
        raw.prove(token_of(home), BAD)
        sock = supervisor.server._workers[BAD].sock
        assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
        idle = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE)
        interval = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPINTVL)
        count = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPCNT)
        assert idle + interval * count <= 30


def test_that_a_worker_which_dribbles_byte_by_byte_is_understood(
    home: Path, supervisor: Supervisor
) -> None:
    with Raw(supervisor.server.port) as raw:
        raw.prove(token_of(home), BAD)
        line = event_line(1)
        for index in range(len(line)):
            raw.send(line[index : index + 1])
        assert raw.hear() == {"type": "ack", "n": 1}


@pytest.mark.parametrize("seed", range(4))
def test_that_random_bytes_never_hurt_the_supervisor(
    seed: int, home: Path, supervisor: Supervisor
) -> None:
    chance = random.Random(seed)
    token = token_of(home)
    for round_ in range(60):
        with Raw(supervisor.server.port) as raw, contextlib.suppress(ConnectionError):
            if round_ % 2:
                raw.prove(token, BAD)
            raw.send(mutated(chance))
            raw.sock.shutdown(socket.SHUT_WR)
            assert raw.ended()
    numbers = [record.n for record in records(home, BAD)]
    assert numbers == sorted(set(numbers))


def mutated(chance: random.Random) -> bytes:
    """Noise, or some good lines with a few bytes changed, cut out or put in."""
    if chance.random() < 0.3:
        return chance.randbytes(chance.randrange(1, 5000))
    data = bytearray(b"".join(event_line(n) for n in range(1, chance.randrange(2, 6))))
    for _ in range(chance.randrange(0, 6)):
        at = chance.randrange(len(data))
        data[at : at + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
    return bytes(data)


# ---- the worker's own side ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "garbage",
    [b"garbage\n", b"\x00" * 10000, b'{"type":"challenge"}\n',
     b'{"type":"challenge","version":9,"nonce":"x"}\n',
     b'{"type":"welcome","last":0,"proof":""}\n', b"[]\n", b"HTTP/1.1 400 Bad Request\r\n\r\n", b""],
    ids=shortly,
)  # fmt: skip
def test_that_garbage_from_what_should_be_the_supervisor_makes_a_worker_wait_and_keep_its_events(
    garbage: bytes, home: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, client_of(home) as client:
        (home / "link.json").write_text(
            f'{{"host": "127.0.0.1", "port": {listener.getsockname()[1]}}}'
        )
        send_steps(client, 0, 10)
        for _ in range(2):
            listener.settimeout(20)
            sock, _ = listener.accept()
            with sock:
                sock.sendall(garbage)
        with Supervisor(home):
            assert client.flush(20)
    assert steps(home) == list(range(10))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"host": 1, "port": 2}', '{"host": "127.0.0.1", "port": 70000}',
             '{"port": "x"}', '{"host": "127.0.0.1", "port": true}', '{"host": "..", "port": 1}',
             '{"host": "\\u0000", "port": 1}']
)  # fmt: skip
def test_that_a_broken_link_file_makes_a_worker_wait_and_keep_its_events(
    text: str, home: Path
) -> None:
    (home / "link.json").write_text(text)
    with client_of(home) as client:
        send_steps(client, 0, 10)
        wait_until(lambda: client.trouble, "the worker knows why")
        with Supervisor(home):
            assert client.flush(20)
    assert steps(home) == list(range(10))


def test_that_a_supervisor_which_acknowledges_what_was_never_sent_is_left(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, client_of(home) as client:
        listener.settimeout(20)
        (home / "link.json").write_text(
            f'{{"host": "127.0.0.1", "port": {listener.getsockname()[1]}}}'
        )
        send_steps(client, 0, 5)
        sock, _ = listener.accept()
        with sock, sock.makefile("rb") as file:
            nonce, token = protocol.new_nonce(), token_of(home)
            sock.sendall(protocol.encode(handshake.challenge(nonce)))
            worker, peer_nonce = handshake.check_answer(
                token, nonce, protocol.decode(file.readline())
            )
            sock.sendall(protocol.encode(handshake.welcome(token, worker, nonce, peer_nonce, 0)))
            sock.sendall(protocol.encode({"type": "ack", "n": 1000}))
            wait_until(lambda: "not sent" in client.trouble, "the worker leaves")
        with Supervisor(home):
            assert client.flush(20)
    assert steps(home) == list(range(5))


# ---- the supervisor's own start -------------------------------------------------------------------


def test_that_a_taken_port_is_told_as_such_and_hurts_the_other_run_not(
    home: Path, supervisor: Supervisor
) -> None:
    with pytest.raises(OSError, match="in use") as caught:
        Supervisor(home, supervisor.server.port, announce=False)
    assert caught.value.errno == errno.EADDRINUSE


def test_that_an_address_of_another_machine_is_told_as_such(home: Path) -> None:
    nobody: Any = lambda *_: None  # noqa: E731
    other = server.LinkServer(token_of(home), nobody, nobody, nobody, nobody, nobody, "192.0.2.1")
    with pytest.raises(OSError, match="assign") as caught:
        other.start()
    assert caught.value.errno == errno.EADDRNOTAVAIL


def test_that_a_torn_journal_line_costs_nothing_because_its_worker_sends_it_again(
    home: Path,
) -> None:
    path = RunDir(home).journal
    supervisor = Supervisor(home)
    with Raw(supervisor.server.port) as raw:
        raw.prove(token_of(home), BAD)
        raw.send(event_line(1) + event_line(2))
        wait_until(lambda: len(records(home, BAD)) == 2, "both are journaled")
    supervisor.close()
    path.write_bytes(path.read_bytes()[:-7])  # killed in the middle of the last line
    with Supervisor(home) as again, Raw(again.server.port) as raw:
        assert raw.prove(token_of(home), BAD) == 1
        raw.send(event_line(2))
        assert raw.hear() == {"type": "ack", "n": 2}
    assert [record.n for record in records(home, BAD)] == [1, 2]
    assert [record.seq for record in records(home, BAD)] == [1, 2]


def test_that_a_broken_line_in_the_middle_of_the_journal_does_not_stop_the_supervisor(
    home: Path,
) -> None:
    with Supervisor(home), client_of(home) as client:
        send_steps(client, 0, 9)
        assert client.flush(20)
    path = RunDir(home).journal
    lines = path.read_bytes().splitlines(keepends=True)
    lines[4] = b"\x00\xffgarbage\n"
    path.write_bytes(b"".join(lines))
    journal = Journal.open(path)
    assert (journal.skipped, journal.last, journal.last_of(WORKER)) == (1, 9, 9)
    journal.close()
    assert steps(home) == [0, 1, 2, 3, 5, 6, 7, 8]
