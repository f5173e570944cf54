"""Both ends of the worker link over real sockets, and all that may happen between them."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers import linklab
from helpers.linklab import (
    WORKER,
    Process,
    Proxy,
    Raw,
    Supervisor,
    batch,
    client_of,
    lost,
    make_home,
    point_to,
    records,
    send_steps,
    steps,
    take_in,
    token_of,
    wait_until,
)

from trainer import protocol
from trainer.events import Batch, Nudged, Problem, WorkerLost
from trainer.link import client as clients
from trainer.link import connection, spool
from trainer.link.client import LinkClient
from trainer.link.server import LinkServer
from trainer.protocol import ProtocolError
from trainer.rundir import RunDir


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return make_home(tmp_path / "run")


@pytest.fixture
def supervisor(home: Path) -> Iterator[Supervisor]:
    with Supervisor(home) as started:
        yield started


def spool_file(home: Path, worker: str = WORKER) -> Path:
    return spool.path_of(home, worker)


def spooled(home: Path) -> list[int]:
    path = spool_file(home)
    return [n for _, n, _ in spool.read(path)] if path.exists() else []


def numbers(home: Path) -> list[int]:
    return [record.n for record in records(home)]


# ---- the plain way --------------------------------------------------------------------------------


def test_that_what_is_sent_is_journaled_in_order_under_rising_numbers(
    home: Path, supervisor: Supervisor
) -> None:
    with client_of(home) as client:
        send_steps(client, 0, 500)
        assert client.flush(20)
        assert steps(home) == list(range(500))
        assert numbers(home) == list(range(1, 501))
        assert client.connected
        assert client.trouble == ""
        assert supervisor.connected == [WORKER]
        assert not spool_file(home).exists()
    wait_until(lambda: supervisor.lost == [WORKER], "the end of the worker is told")
    assert supervisor.refused == []


def test_that_an_event_is_on_its_way_within_twenty_milliseconds(
    home: Path, supervisor: Supervisor
) -> None:
    arrived = threading.Event()
    supervisor.journal.subscribe(lambda _: arrived.set())
    delays = []
    with client_of(home) as client:
        wait_until(lambda: client.connected, "the worker connects")
        for step in range(30):
            arrived.clear()
            begin = time.perf_counter()
            send_steps(client, step, step + 1)
            assert arrived.wait(10)
            delays.append(time.perf_counter() - begin)
    assert sorted(delays)[15] < 0.02, delays


def test_that_an_event_after_a_long_pause_wakes_the_link(
    home: Path, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "ACTIVE", 0.0)
    with client_of(home) as client:
        for step in range(20):
            wait_until(lambda: client._asleep, "the link sleeps")
            send_steps(client, step, step + 1)
            wait_until(lambda step=step: len(steps(home)) == step + 1, "the event arrives", 5)


def test_that_commands_reach_the_worker_they_are_for(home: Path, supervisor: Supervisor) -> None:
    got: list[dict[str, Any]] = []
    client = LinkClient(home, WORKER, got.append)
    client.start()
    with client_of(home, "demo-2[0].x"):
        wait_until(lambda: supervisor.server.workers() == {WORKER, "demo-2[0].x"}, "both connect")
        assert supervisor.server.send(WORKER, {"type": "export", "request": "r1"})
        assert supervisor.server.send(WORKER, {"type": "stop"})
        assert not supervisor.server.send("demo-3[0].x", {"type": "stop"})
        wait_until(lambda: len(got) == 2, "the commands arrive")
    assert got == [{"type": "export", "request": "r1"}, {"type": "stop"}]
    client.close(5)


def test_that_a_command_that_fails_is_told_and_the_link_goes_on(
    home: Path, supervisor: Supervisor
) -> None:
    def fail(message: dict[str, Any]) -> None:
        raise RuntimeError("no such export")

    client = LinkClient(home, WORKER, fail)
    client.start()
    wait_until(lambda: supervisor.server.send(WORKER, {"type": "export"}), "the worker connects")
    wait_until(lambda: records(home), "the failure is told")
    send_steps(client, 0, 1)
    client.close(10)
    told = records(home)[0].event
    assert isinstance(told, Problem)
    assert "no such export" in told.text
    assert steps(home) == [0]


def test_that_an_event_that_cannot_be_made_is_dropped_counted_and_told_once(
    home: Path, supervisor: Supervisor
) -> None:
    def broken() -> Batch:
        raise ValueError("the tensor is gone")

    with client_of(home) as client:
        for step in range(5):
            client.send(broken)
            send_steps(client, step, step + 1)
        client.send(lambda: Batch(WORKER, 0, 0, 0, 0, {"loss": object()}))  # type: ignore[dict-item]
        client.send(lambda: Batch(WORKER, 0, 0, 0, 0, {"x" * (1 << 20): 1.0}))
        assert client.flush(20)
        assert client.dropped == 7
    assert steps(home) == [0, 1, 2, 3, 4]
    problems = [r.event for r in records(home) if isinstance(r.event, Problem)]
    assert len(problems) == 1
    assert "the tensor is gone" in problems[0].text


def test_that_a_queue_that_overflows_is_counted_and_told(
    home: Path, supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "QUEUE", 100)
    client = LinkClient(home, WORKER, lambda _: None)
    send_steps(client, 0, 150)  # nobody takes them yet
    client.start()
    assert client.flush(20)
    client.close(5)
    assert steps(home) == list(range(100))
    assert lost(home) == client.dropped == 50


def test_that_hundreds_of_workers_share_one_thread(home: Path, supervisor: Supervisor) -> None:
    before = threading.active_count()
    token = token_of(home)
    peers = [Raw(supervisor.server.port) for _ in range(200)]
    names = [f"demo-{index}[0].a" for index in range(200)]
    for name, peer in zip(names, peers, strict=True):
        assert peer.prove(token, name) == 0
    for n in range(1, 4):
        for name, peer in zip(names, peers, strict=True):
            peer.say({"n": n, "event": {"type": "worker_lost", "worker": name, "count": 1}})
    for peer in peers:
        while peer.hear()["n"] < 3:
            pass
    assert threading.active_count() == before
    assert all([r.n for r in records(home, name)] == [1, 2, 3] for name in names)
    for peer in peers:
        peer.close()
    wait_until(lambda: len(supervisor.lost) == 200, "all have left")


# ---- the supervisor comes and goes ----------------------------------------------------------------


def test_that_a_worker_may_come_before_its_supervisor(home: Path) -> None:
    with client_of(home) as client:
        send_steps(client, 0, 50)
        wait_until(lambda: len(spooled(home)) == 50, "what has nobody to go to is on disk")
        assert not client.flush(0.05)
        assert "no supervisor" in client.trouble
        with Supervisor(home):
            assert client.flush(20)
            assert steps(home) == list(range(50))
        assert not spool_file(home).exists()


def test_that_a_killed_supervisor_that_comes_back_on_another_port_gets_every_event_once(
    home: Path,
) -> None:
    ports = set()
    with client_of(home) as client:
        for round_ in range(4):
            with Process("serve", home) as server:
                ports.add(server.line())
                start = len(steps(home))
                send_steps(client, round_ * 300, round_ * 300 + 150)
                wait_until(lambda start=start: len(steps(home)) > start + 20, "events arrive")
                send_steps(client, round_ * 300 + 150, round_ * 300 + 300)
                server.kill()
        with Process("serve", home) as server:
            server.line()
            assert client.flush(30)
    assert len(ports) == 4
    assert steps(home) == list(range(1200))
    assert numbers(home) == list(range(1, 1201))


def test_that_a_supervisor_may_take_the_same_port_again_at_once(home: Path) -> None:
    first = Supervisor(home)
    port = first.server.port
    with client_of(home) as client:
        send_steps(client, 0, 10)
        assert client.flush(20)
        first.close()
        with Supervisor(home, port):
            send_steps(client, 10, 20)
            assert client.flush(20)
    assert steps(home) == list(range(20))


def test_that_a_taken_port_is_an_error_with_its_number(home: Path, supervisor: Supervisor) -> None:
    with pytest.raises(OSError, match="in use") as caught:
        Supervisor(home, supervisor.server.port, announce=False)
    assert caught.value.errno == errno.EADDRINUSE
    gc.collect()


def test_that_a_token_that_came_later_is_read_at_the_next_attempt(home: Path) -> None:
    real = token_of(home)
    with Supervisor(home) as supervisor, client_of(home) as client:
        wait_until(lambda: client.connected, "the worker connects")
        RunDir(home).token.write_text(protocol.new_token())
        supervisor.server.close(5)
        send_steps(client, 0, 3)
        supervisor.journal.close()
        RunDir(home).token.write_text(real)
        with Supervisor(home):
            assert client.flush(20)
    assert steps(home) == [0, 1, 2]


def test_that_a_journal_that_lost_its_end_is_filled_again_and_what_is_gone_is_told(
    home: Path,
) -> None:
    path = RunDir(home).journal
    with Supervisor(home) as supervisor, client_of(home) as client:
        send_steps(client, 0, 10)
        assert client.flush(20)
        supervisor.close()
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:7]))  # a power failure: 8 to 10 were acknowledged
        send_steps(client, 10, 20)
        with Supervisor(home):
            assert client.flush(20)
    assert steps(home) == [*range(7), *range(10, 20)]
    assert lost(home) == 3
    assert numbers(home) == [*range(1, 8), *range(10, 21)]


def test_that_a_journal_that_is_full_makes_the_worker_keep_its_events(home: Path) -> None:
    full = threading.Event()
    full.set()

    class Full(Supervisor):
        def on_event(self, worker: str, n: int, event: Any) -> None:
            if full.is_set():
                raise OSError(28, "No space left on device")
            super().on_event(worker, n, event)

    with Full(home) as supervisor, client_of(home) as client:
        send_steps(client, 0, 20)
        wait_until(lambda: supervisor.refused, "the trouble is told")
        assert "No space left" in supervisor.refused[0]
        wait_until(lambda: len(spooled(home)) == 20, "the worker keeps them")
        full.clear()
        assert client.flush(20)
    assert steps(home) == list(range(20))


def test_that_an_event_the_journal_can_never_write_does_not_hold_up_the_others(home: Path) -> None:
    class Picky(Supervisor):
        def on_event(self, worker: str, n: int, event: Any) -> None:
            if isinstance(event, Batch) and event.step == 3:
                raise ProtocolError("a message is nested too deeply")
            super().on_event(worker, n, event)

    with Picky(home), client_of(home) as client:
        send_steps(client, 0, 6)
        assert client.flush(20)
    assert steps(home) == [0, 1, 2, 4, 5]
    assert numbers(home) == [1, 2, 3, 4, 5, 6]
    assert isinstance(records(home)[3].event, Problem)


def test_that_a_mistake_in_the_supervisor_costs_one_connection_and_not_the_thread(
    home: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    wrong = threading.Event()
    wrong.set()

    class Wrong(Supervisor):
        def on_event(self, worker: str, n: int, event: Any) -> None:
            if wrong.is_set():
                wrong.clear()
                raise KeyError("a mistake")
            super().on_event(worker, n, event)

    with Wrong(home) as supervisor, client_of(home) as client:
        send_steps(client, 0, 5)
        assert client.flush(20)
        assert any("cannot be handled" in text for text in supervisor.refused)
    assert steps(home) == list(range(5))
    assert "a mistake" in capfd.readouterr().err


# ---- the worker goes ------------------------------------------------------------------------------


def test_that_a_worker_that_ends_alone_leaves_its_events_in_the_spool(home: Path) -> None:
    with client_of(home) as client:
        send_steps(client, 0, 30)
    assert spooled(home) == list(range(1, 31))
    assert take_in(home) == 30
    assert steps(home) == list(range(30))


def test_that_a_worker_killed_while_it_is_connected_loses_at_most_its_last_moment(
    home: Path,
) -> None:
    with Supervisor(home), Process("work", home, WORKER, 400, 0.001) as worker:
        assert worker.line() == "half"
        assert worker.line() == "sent"
        worker.kill()
        wait_until(
            lambda: not steps(home) or len(steps(home)) >= 300, "the kernel delivers the rest"
        )
        time.sleep(0.1)
    take_in(home)
    got = steps(home)
    assert got == list(range(len(got)))
    assert len(got) > 350


def test_that_a_worker_killed_after_its_supervisor_is_taken_in_from_the_spool_each_event_once(
    home: Path,
) -> None:
    with Process("serve", home) as server, Process("work", home, WORKER, 600, 0.001) as worker:
        server.line()
        assert worker.line() == "half"
        server.kill()
        assert worker.line() == "sent"
        wait_until(lambda: 600 in spooled(home), "the last event is on disk")
        worker.kill()
    before = len(steps(home))
    assert 0 < before < 600
    assert take_in(home) > 0
    assert steps(home) == list(range(600))
    assert numbers(home) == list(range(1, 601))


def test_that_a_spool_taken_in_while_the_journal_holds_a_part_repeats_nothing(home: Path) -> None:
    with Supervisor(home) as supervisor, Proxy(supervisor.server.port) as proxy:
        point_to(home, proxy.port)
        with client_of(home) as client:
            wait_until(lambda: client.connected, "the worker connects")
            proxy.down = linklab.swallow  # acknowledgements are swallowed
            send_steps(client, 0, 100)
            wait_until(lambda: len(steps(home)) == 100, "the supervisor has them")
            wait_until(lambda: len(spooled(home)) == 100, "the worker does not know it")
        assert spooled(home)[-1] == 100
    assert take_in(home) == 0
    assert steps(home) == list(range(100))


def test_that_a_spool_taken_in_while_its_worker_is_connected_repeats_nothing(home: Path) -> None:
    with Supervisor(home) as supervisor, Raw(supervisor.server.port) as raw:
        raw.prove(token_of(home))
        line = protocol.encode({"n": 1, "event": {"type": "nudged", "reason": ""}})
        supervisor.journal.append(Nudged("taken in"), WORKER, 1)
        raw.send(line)
        assert raw.hear() == {"type": "ack", "n": 1}
    assert numbers(home) == [1]


def test_that_a_script_that_ends_without_a_word_ends_at_once_and_leaves_what_it_said(
    home: Path,
) -> None:
    program = """
import sys
from pathlib import Path
from helpers import linklab
from trainer.link.client import LinkClient
client = LinkClient(Path(sys.argv[1]), linklab.WORKER, print)
client.start()
linklab.send_steps(client, 0, 50)
linklab.wait_until(lambda: 50 == client._backlog.last and client._backlog.on_disk, "on disk")
"""
    begin = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", program, str(home)],
        env={**os.environ, "PYTHONPATH": f"{linklab.ROOT}{os.pathsep}{linklab.ROOT / 'tests'}"},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert time.monotonic() - begin < 10
    assert take_in(home) == 50
    assert steps(home) == list(range(50))


# ---- the network spoils it ------------------------------------------------------------------------


def test_that_lost_acknowledgements_cost_a_repeat_on_the_wire_but_not_in_the_journal(
    home: Path,
) -> None:
    with Supervisor(home) as supervisor, Proxy(supervisor.server.port) as proxy:
        point_to(home, proxy.port)
        with client_of(home) as client:
            wait_until(lambda: client.connected, "the worker connects")
            for round_ in range(5):
                proxy.down = linklab.swallow
                send_steps(client, round_ * 40, round_ * 40 + 40)
                wait_until(lambda r=round_: len(steps(home)) == r * 40 + 40, "they arrive")  # type: ignore[misc]
                proxy.down = lambda data: data
                proxy.cut()
                assert client.flush(20)
            assert proxy.connections >= 6
    assert steps(home) == list(range(200))


def test_that_connections_cut_in_the_middle_of_lines_lose_and_repeat_nothing(home: Path) -> None:
    chance = random.Random(5)
    left = {"bytes": 0}

    def cutting(data: bytes) -> bytes | None:
        """Passes a random part and then cuts, so that the supervisor is left with half a line."""
        if left["bytes"] < 0:
            left["bytes"] = chance.randrange(200, 9000)
            return None
        passed = data[: left["bytes"]]
        left["bytes"] -= len(passed)
        if len(passed) < len(data):
            left["bytes"] = -1
        return passed

    with Supervisor(home) as supervisor, Proxy(supervisor.server.port) as proxy:
        point_to(home, proxy.port)
        left["bytes"] = 1000
        proxy.up = cutting
        with client_of(home) as client:
            for step in range(0, 1000, 50):
                send_steps(client, step, step + 50)
                client.flush(0.05)
            wait_until(lambda: proxy.connections > 8, "the connection was cut many times")
            proxy.up = lambda data: data
            proxy.cut()
            assert client.flush(30)
    assert steps(home) == list(range(1000))
    assert numbers(home) == list(range(1, 1001))


def test_that_a_network_that_swallows_everything_stops_nobody_and_loses_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "SILENT", 1.0)
    with Supervisor(home) as supervisor, Proxy(supervisor.server.port) as proxy:
        point_to(home, proxy.port)
        with client_of(home) as client:
            send_steps(client, 0, 10)
            assert client.flush(20)
            proxy.frozen.set()
            slowest = 0.0
            for step in range(10, 3000):
                begin = time.perf_counter()
                send_steps(client, step, step + 1)
                slowest = max(slowest, time.perf_counter() - begin)
            wait_until(lambda: 3000 in spooled(home), "what waits is on disk")
            wait_until(lambda: not client.connected, "the silent connection is given up")
            proxy.frozen.clear()
            proxy.cut()
            assert client.flush(30)
    assert slowest < 0.2
    assert steps(home) == list(range(3000))


@pytest.mark.parametrize("where", [linklab.unanswered_port, linklab.silent_port])
def test_that_a_supervisor_that_never_answers_blocks_nothing(
    where: Any, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "CONNECT_SECONDS", 0.3)
    monkeypatch.setattr(connection, "PROVE_SECONDS", 0.3)
    with where() as port, client_of(home) as client:
        point_to(home, port)
        begin = time.perf_counter()
        send_steps(client, 0, 5000)
        assert time.perf_counter() - begin < 1.0
        wait_until(lambda: "no answer while" in client.trouble, "the attempt is given up")
        wait_until(lambda: 5000 in spooled(home), "what waits is on disk")
        begin = time.perf_counter()
        client.close(0.1)
        assert time.perf_counter() - begin < 2.0
    assert spooled(home) == list(range(1, 5001))
    assert take_in(home) == 5000


def test_that_more_than_the_spool_holds_gives_up_the_oldest_and_tells_how_many(home: Path) -> None:
    with client_of(home, spool_limit=100_000) as client:
        for step in range(0, 3000, 500):
            send_steps(client, step, step + 500)
            wait_until(lambda: not client._queue, "they are taken")
        wait_until(lambda: 3000 in spooled(home), "the newest are on disk")
        assert spool_file(home).stat().st_size <= 100_000
        with Supervisor(home):
            assert client.flush(20)
    got = steps(home)
    assert got == list(range(got[0], 3000))
    assert lost(home) == got[0] > 1000
    assert isinstance(records(home)[0].event, WorkerLost)


def test_that_events_given_up_under_a_silent_connection_are_counted_exactly(home: Path) -> None:
    with Supervisor(home) as supervisor, Proxy(supervisor.server.port) as proxy:
        point_to(home, proxy.port)
        with client_of(home, spool_limit=50_000) as client:
            send_steps(client, 0, 10)
            assert client.flush(20)
            proxy.down = linklab.swallow
            send_steps(client, 10, 60)
            wait_until(lambda: len(steps(home)) == 60, "they arrive, but nobody tells")
            proxy.frozen.set()
            for step in range(60, 3060, 500):
                send_steps(client, step, step + 500)
                wait_until(lambda: not client._queue, "they are taken")
            proxy.frozen.clear()
            proxy.down = lambda data: data
            proxy.cut()
            assert client.flush(20)
    got = steps(home)
    assert got[:60] == list(range(60))
    assert lost(home) + len(got) == 3060
    assert got == sorted(set(got))


def test_that_a_full_disk_of_the_worker_stops_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(file: int, data: bytes, offset: int) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(spool.os, "pwrite", refuse)
    with client_of(home) as client:
        send_steps(client, 0, 500)
        wait_until(lambda: not client._queue, "they are taken")
        with Supervisor(home):
            assert client.flush(20)
    assert steps(home) == list(range(500))


def test_that_an_unwritable_run_directory_stops_nothing(home: Path) -> None:
    (home / "spool").write_text("a file where the folder should be")
    with client_of(home) as client:
        send_steps(client, 0, 100)
        wait_until(lambda: not client._queue, "they are taken")
        with Supervisor(home):
            assert client.flush(20)
    assert steps(home) == list(range(100))


# ---- who may speak --------------------------------------------------------------------------------


class FalseSupervisor:
    """Listens where the supervisor should, without the token, and keeps what it is told."""

    def __init__(self, proof: str) -> None:
        self.heard = bytearray()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._proof = proof
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()
        self.visits = 0

    def _run(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                sock, _ = self._listener.accept()
                with sock, contextlib.suppress(OSError):
                    sock.settimeout(2)
                    challenge = {"type": "challenge", "version": 1, "nonce": protocol.new_nonce()}
                    sock.sendall(protocol.encode(challenge))
                    self.heard += sock.recv(65536)
                    answer = protocol.decode(bytes(self.heard.splitlines()[-1]))
                    proof = answer["proof"] if self._proof == "echo" else self._proof
                    sock.sendall(protocol.encode({"type": "welcome", "proof": proof, "last": 0}))
                    self.visits += 1
                    while data := sock.recv(65536):
                        self.heard += data

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5)


@pytest.mark.parametrize("proof", ["echo", "", "0" * 64])
def test_that_a_worker_tells_nothing_to_one_that_does_not_know_the_token(
    proof: str, home: Path
) -> None:
    false = FalseSupervisor(proof)
    point_to(home, false.port)
    with client_of(home) as client:
        send_steps(client, 0, 10)
        wait_until(lambda: false.visits >= 2, "the worker tried twice")
        wait_until(lambda: "not this run's supervisor" in client.trouble, "it knows why")
        assert b'"event"' not in false.heard
        assert token_of(home).encode() not in false.heard
        with Supervisor(home):
            assert client.flush(20)
    false.close()
    assert steps(home) == list(range(10))


def test_that_a_second_worker_of_the_same_name_is_noticed_and_sends_nothing(home: Path) -> None:
    with Supervisor(home):
        with client_of(home) as first:
            send_steps(first, 0, 5)
            assert first.flush(20)
        with client_of(home) as second:
            send_steps(second, 100, 103)
            wait_until(lambda: "used twice" in second.trouble, "the clash is noticed")
        assert steps(home) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("name", ["", "demo-1", "../x[0].a", "a/b[0].c"])
def test_that_a_worker_needs_a_name(name: str, home: Path) -> None:
    with pytest.raises(ProtocolError):
        LinkClient(home, name, lambda _: None)


def test_that_the_newer_of_two_connections_of_a_worker_wins(
    home: Path, supervisor: Supervisor
) -> None:
    token = token_of(home)
    with Raw(supervisor.server.port) as old, Raw(supervisor.server.port) as new:
        old.prove(token)
        old.say({"n": 1, "event": {"type": "nudged", "reason": "old"}})
        assert old.hear() == {"type": "ack", "n": 1}
        assert new.prove(token) == 1
        assert old.ended()
        new.say({"n": 2, "event": {"type": "nudged", "reason": "new"}})
        assert new.hear() == {"type": "ack", "n": 2}
        assert supervisor.server.workers() == {WORKER}
        assert supervisor.lost == []
    wait_until(lambda: supervisor.lost == [WORKER], "the newer one ends")


def test_that_no_secret_is_in_what_anybody_says_or_shows(
    home: Path, supervisor: Supervisor
) -> None:
    token = token_of(home)
    with client_of(home) as client, Raw(supervisor.server.port) as raw:
        wait_until(lambda: client.connected, "the worker connects")
        raw.hear()
        raw.say({"type": "answer", "version": 1, "nonce": protocol.new_nonce(), "proof": "0" * 64,
                 "worker": "demo-9[0].a"})  # fmt: skip
        assert raw.ended()
        wait_until(lambda: supervisor.refused, "the refusal is told")  # after the line is cut
        texts = [repr(client), client.trouble, *supervisor.refused, repr(supervisor.server)]
        texts.append(repr(clients.find_way(home)))
    assert supervisor.refused
    assert not any(token in text for text in texts)


# ---- processes and threads ------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_that_a_forked_child_neither_sends_nor_disturbs(home: Path, supervisor: Supervisor) -> None:
    with client_of(home) as client:
        send_steps(client, 0, 5)
        assert client.flush(20)
        child = os.fork()
        if child == 0:
            try:
                send_steps(client, 100, 200)
                code = 0 if not client.flush(0.1) and not client.connected else 3
                client.close(0.1)
                os._exit(code)
            except BaseException:  # noqa: BLE001  pytest must not go on in the child
                os._exit(4)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        send_steps(client, 5, 10)
        assert client.flush(20)
    assert steps(home) == list(range(10))


def test_that_the_deadly_default_of_a_broken_pipe_does_not_kill_the_worker(home: Path) -> None:
    old = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        with Supervisor(home) as supervisor, Proxy(supervisor.server.port) as proxy:
            point_to(home, proxy.port)
            with client_of(home) as client:
                for step in range(0, 200, 10):
                    send_steps(client, step, step + 10)
                    client.flush(0.02)
                    proxy.cut()
                assert client.flush(20)
    finally:
        signal.signal(signal.SIGPIPE, old)
    assert steps(home) == list(range(200))


def test_that_a_default_time_out_of_the_script_changes_nothing(home: Path) -> None:
    socket.setdefaulttimeout(0.001)
    try:
        with Supervisor(home), client_of(home) as client:
            send_steps(client, 0, 100)
            assert client.flush(20)
    finally:
        socket.setdefaulttimeout(None)
    assert steps(home) == list(range(100))


def test_that_the_scripts_own_random_numbers_stay_the_same(
    home: Path, supervisor: Supervisor
) -> None:
    random.seed(1)
    expected = [random.random() for _ in range(5)]
    random.seed(1)
    with client_of(home) as client:
        send_steps(client, 0, 10)
        client.flush(20)
    assert [random.random() for _ in range(5)] == expected


def test_that_many_threads_may_send_at_once(home: Path, supervisor: Supervisor) -> None:
    with client_of(home) as client:
        threads = [
            threading.Thread(target=send_steps, args=(client, start, start + 250))
            for start in range(0, 2000, 250)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert client.flush(20)
    assert sorted(steps(home)) == list(range(2000))


def test_that_closing_ends_the_thread_and_later_sends_do_no_harm(
    home: Path, supervisor: Supervisor
) -> None:
    client = LinkClient(home, WORKER, lambda _: None)
    client.start()
    send_steps(client, 0, 5)
    client.close(10)
    client.close(10)
    send_steps(client, 5, 10)
    assert not client.flush(0.1)
    assert not [thread for thread in threading.enumerate() if thread.name == "maypole-link"]
    assert steps(home) == list(range(5))


def test_that_a_client_or_server_that_never_started_can_be_closed(home: Path) -> None:
    LinkClient(home, WORKER, lambda _: None).close(0.1)
    nobody: Any = lambda *_: None  # noqa: E731
    LinkServer(token_of(home), lambda _: 0, nobody, nobody, nobody, nobody, "127.0.0.1").close(1)


def test_that_a_closed_server_leaves_no_thread_and_no_port(home: Path) -> None:
    supervisor = Supervisor(home)
    port = supervisor.server.port
    supervisor.close()
    assert not [t for t in threading.enumerate() if t.name == "maypole-link-server"]
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), 1)
    assert not supervisor.server.send(WORKER, {"type": "stop"})


def test_that_an_idle_link_costs_no_processor_time(home: Path, supervisor: Supervisor) -> None:
    with client_of(home) as client:
        send_steps(client, 0, 5)
        client.flush(20)
        wait_until(lambda: client._asleep, "the link sleeps")
        begin = time.process_time()
        threading.Event().wait(1.0)
        assert time.process_time() - begin < 0.02


def test_that_a_batch_made_late_still_has_the_values_of_its_moment(
    home: Path, supervisor: Supervisor
) -> None:
    with client_of(home) as client:
        moment = batch(7)
        client.send(lambda: moment)
        assert client.flush(20)
    assert records(home)[0].event == moment
