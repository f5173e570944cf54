"""Real ends of the worker link for tests and benchmarks, and a proxy that spoils what is between them.

``python -m helpers.linklab serve HOME`` is a supervisor's end as a process, and
``python -m helpers.linklab work HOME WORKER COUNT PAUSE`` a worker's; tests kill them.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from trainer import protocol
from trainer.events import Batch, Event, Record, WorkerLost
from trainer.journal import Journal, read_records
from trainer.link import handshake, spool
from trainer.link.client import LinkClient
from trainer.link.server import LinkServer
from trainer.rundir import RunDir, write_atomically

ROOT = Path(__file__).resolve().parents[2]
WORKER = "demo-1[0].abc"


def wait_until(condition: Callable[[], Any], what: str, seconds: float = 20.0) -> Any:
    """Until ``condition`` is true; what it gave then. Fails with ``what`` after ``seconds``."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < end, f"waited {seconds} s in vain: {what}"
        time.sleep(0.005)


def make_home(root: Path) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    write_atomically(RunDir(root).token, protocol.new_token(), 0o600)
    return root


def token_of(home: Path) -> str:
    return RunDir(home).token.read_text(encoding="ascii")


def point_to(home: Path, port: int, host: str = "127.0.0.1") -> None:
    write_atomically(RunDir(home).link, json.dumps({"host": host, "port": port}))


def batch(step: int, worker: str = WORKER) -> Batch:
    return Batch(
        worker, time.time(), step, step / 100, 2, {"loss": 1 / (step + 1), "accuracy": 0.5}
    )


def send_steps(client: LinkClient, start: int, end: int) -> None:
    for step in range(start, end):
        client.send(lambda step=step: batch(step, client.worker))


def steps(home: Path, worker: str = WORKER) -> list[int]:
    """The steps of the worker's batches in the journal, in the journal's order."""
    return [r.event.step for r in records(home, worker) if isinstance(r.event, Batch)]


def records(home: Path, worker: str = WORKER) -> list[Record]:
    path = RunDir(home).journal
    return [r for r in read_records(path) if r.worker == worker] if path.exists() else []


def lost(home: Path, worker: str = WORKER) -> int:
    return sum(r.event.count for r in records(home, worker) if isinstance(r.event, WorkerLost))


class Supervisor:
    """The supervisor's end in this process: a journal and a server, and what they said."""

    def __init__(self, home: Path, port: int = 0, announce: bool = True) -> None:
        self.home = home
        self.connected: list[str] = []
        self.lost: list[str] = []
        self.refused: list[str] = []
        self.journal = Journal.open(RunDir(home).journal)
        self.server = LinkServer(
            token_of(home),
            self.journal.last_of,
            self.on_event,
            lambda worker, _: self.connected.append(worker),
            self.lost.append,
            self.refused.append,
            "127.0.0.1",
            port,
        )
        self.server.start()
        if announce:
            point_to(home, self.server.port)

    def on_event(self, worker: str, n: int, event: Event) -> None:
        self.journal.append(event, worker, n)

    def close(self) -> None:
        self.server.close(5)
        self.journal.close()

    def __enter__(self) -> Supervisor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextlib.contextmanager
def client_of(home: Path, worker: str = WORKER, **options: Any) -> Iterator[LinkClient]:
    client = LinkClient(home, worker, lambda _: None, **options)
    client.start()
    try:
        yield client
    finally:
        client.close(0)


class Raw:
    """A peer that speaks to a server byte by byte."""

    def __init__(self, port: int) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port), 10)
        self._file = self.sock.makefile("rb")

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def say(self, message: dict[str, Any]) -> None:
        self.send(protocol.encode(message))

    def hear(self) -> dict[str, Any]:
        """The next message; {} at the end."""
        try:
            line = self._file.readline()
        except ConnectionResetError:
            return {}
        return protocol.decode(line) if line else {}

    def prove(self, token: str, worker: str = WORKER) -> int:
        """Goes through the handshake as a worker would; returns ``last``."""
        nonce = protocol.new_nonce()
        challenge = self.hear()
        self.say(handshake.answer(token, worker, nonce, challenge))
        return handshake.check_welcome(token, worker, nonce, challenge["nonce"], self.hear())

    def ended(self) -> bool:
        """Reads until the server closes; False when it does not within the time-out."""
        try:
            while self._file.read(65536):
                pass
        except ConnectionResetError:
            return True
        except TimeoutError:
            return False
        return True

    def close(self) -> None:
        self._file.close()
        self.sock.close()

    def __enter__(self) -> Raw:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def swallow(data: bytes) -> bytes:
    """A proxy's filter: the network takes it and never delivers it."""
    return data[:0]


class Proxy:
    """Between worker and supervisor. ``up`` and ``down`` change the bytes of one direction.

    A filter gets the bytes and returns those to pass on; None cuts the connection at once.
    """

    def __init__(self, target: int) -> None:
        self.target = target
        self.up: Callable[[bytes], bytes | None] = lambda data: data
        self.down: Callable[[bytes], bytes | None] = lambda data: data
        self.frozen = threading.Event()
        """Set: nothing is read from either side any more (the network swallows everything)."""
        self.connections = 0
        self._sockets: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._closing = False
        self._start(self._accept)

    def _start(self, work: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=work, args=args, name="linklab-proxy", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._closing:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.target), 5)
            except OSError:
                near.close()
                continue
            self.connections += 1
            self._sockets |= {near, far}
            self._start(self._pump, near, far, "up")
            self._start(self._pump, far, near, "down")

    def _pump(self, source: socket.socket, sink: socket.socket, way: str) -> None:
        source.settimeout(0.02)
        while not self._closing:
            if self.frozen.is_set():
                time.sleep(0.02)
                continue
            try:
                data = source.recv(65536)
                passed = getattr(self, way)(data) if data else None
                if passed is None:
                    break
                sink.sendall(passed)
            except TimeoutError:
                continue
            except OSError:
                break
        for sock in (source, sink):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        """Ends every connection now."""
        for sock in list(self._sockets):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._closing = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(5)
        for sock in self._sockets:
            sock.close()

    def __enter__(self) -> Proxy:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextlib.contextmanager
def unanswered_port() -> Iterator[int]:
    """A port whose SYNs are swallowed: its queue of connections is full and never emptied."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(0)
    port = int(listener.getsockname()[1])
    fillers = []
    try:
        for _ in range(8):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(("127.0.0.1", port))
            fillers.append(filler)
        yield port
    finally:
        for sock in [*fillers, listener]:
            sock.close()


@contextlib.contextmanager
def silent_port() -> Iterator[int]:
    """A port where somebody listens, takes every connection and never says or reads a word."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    try:
        yield int(listener.getsockname()[1])
    finally:
        listener.close()


class Process:
    """One end of the link as a process of its own, for kill -9."""

    def __init__(self, *words: object) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "helpers.linklab", *map(str, words)],
            stdout=subprocess.PIPE,
            stdin=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"},
        )

    def line(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().decode().strip()

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self.wait()

    def wait(self) -> int:
        code = self._process.wait(60)
        for pipe in (self._process.stdout, self._process.stdin):
            if pipe is not None:
                with contextlib.suppress(BrokenPipeError):
                    pipe.close()
        return code

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self.wait()


def serve(home: Path) -> None:
    with Supervisor(home) as supervisor:
        print(supervisor.server.port, flush=True)
        sys.stdin.read()


def work(home: Path, worker: str, count: int, pause: float) -> None:
    client = LinkClient(home, worker, lambda _: None)
    client.start()
    for step in range(count):
        client.send(lambda step=step: batch(step, worker))
        if step == count // 2:
            print("half", flush=True)
        time.sleep(pause)
    print("sent", flush=True)
    sys.stdin.read()
    client.close(20)


def take_in(home: Path, worker: str = WORKER) -> int:
    """What a supervisor does with the spool of a worker that has ended."""
    path = spool.path_of(home, worker)
    if not path.exists():
        return 0
    journal = Journal.open(RunDir(home).journal)
    taken = 0
    for name, n, event in spool.pending(path, journal.last_of(worker)):
        journal.append(event, name, n)
        taken += 1
    journal.close()
    path.unlink()
    return taken


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(Path(sys.argv[2]))
    else:
        work(Path(sys.argv[2]), sys.argv[3], int(sys.argv[4]), float(sys.argv[5]))
