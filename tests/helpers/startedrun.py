"""Runs of the real `start`, supervisor and `attach` in real processes, and what is asked of them in tests.

What drives and works in them is up to the bundle: see fakerun.py and realrun.py.
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
from typing import Any, Self

from trainer import processes
from trainer.eventcodec import record_from_wire
from trainer.events import Batch, Event, Record, RunOver
from trainer.launchspec import LaunchSpec, to_json
from trainer.protocol import decode, encode
from trainer.rundir import RunDir, read_json

from .linklab import wait_until


class Attached:
    """An `attach` process: what it said, and a way to command."""

    def __init__(
        self, run: StartedRun, after: int = 0, after_log: int = 0, hello: bool = True
    ) -> None:
        self.horizon = run.horizon
        self.process = subprocess.Popen(
            [sys.executable, str(run.bundle), "attach", str(run.files.root)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.lines: list[dict[str, Any]] = []
        self._replies = 0
        self._thread = threading.Thread(target=self._read, name="attached")
        if hello:
            self.send({"type": "hello", "version": 1, "after": after, "after_log": after_log})
            self._thread.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(decode(line))

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(encode(message))
        self.process.stdin.flush()

    def command(self, name: str, **args: Any) -> dict[str, Any]:
        """The reply."""
        self._replies += 1
        id = str(self._replies)
        self.send({"type": "command", "id": id, "name": name, "args": args})

        def reply() -> Any:
            return next((m for m in list(self.lines) if m.get("id") == id), None)

        return dict(wait_until(reply, f"no reply to {name}", self.horizon))

    def of(self, type: str) -> list[dict[str, Any]]:
        return [line for line in list(self.lines) if line.get("type") == type]

    def records(self) -> list[Record]:
        return [record_from_wire(line) for line in list(self.lines) if "seq" in line]

    def logs(self) -> list[int]:
        return [line["log"] for line in list(self.lines) if "log" in line]

    def close(self) -> None:
        assert self.process.stdin is not None and self.process.stdout is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.wait(self.horizon)
        if self._thread.is_alive():
            self._thread.join(self.horizon)
        self.process.stdout.close()


class StartedRun:
    """One run: started by :meth:`start`, ended by :meth:`close` whatever has happened."""

    horizon = 40.0
    """Seconds for anything, on a busy machine."""

    def __init__(self, home: Path, made: Path) -> None:
        self.home, self.bundle = home, made
        self.work = home / "work"
        self.work.mkdir()
        (self.work / "train.py").write_text("")
        self.files = RunDir(home / "none")
        self._clients: list[Attached] = []
        self._records: list[Record] = []
        self._taken = 0

    def spec(self, **changes: Any) -> LaunchSpec:
        hosts = changes.pop("hosts", {"demo-1": 1, "demo-2": 1})
        fields: dict[str, Any] = {
            "name": "fake",
            "python": sys.executable,
            "workdir": str(self.work),
            "script": "train.py",
            "hosts": hosts,
            "np": sum(hosts.values()),
            "rehearsal": True,
        }
        return LaunchSpec(**(fields | changes))

    def ask_start(self, text: str) -> tuple[int, dict[str, Any]]:
        done = subprocess.run(
            [sys.executable, str(self.bundle), "start", "--home", str(self.home)],
            input=text.encode(),
            stdout=subprocess.PIPE,
            timeout=self.horizon,
        )
        return done.returncode, json.loads(done.stdout)

    def start(self, **changes: Any) -> Self:
        status, answer = self.ask_start(to_json(self.spec(**changes)))
        assert status == 0, answer
        self.files = RunDir(Path(answer["run_dir"]))
        return self

    def attach(self, after: int = 0, after_log: int = 0) -> Attached:
        self._clients.append(Attached(self, after, after_log))
        return self._clients[-1]

    # ---- what is on disk ----------------------------------------------------------------------

    def records(self) -> list[Record]:
        """Of the journal's whole lines. Only what is new is read: these are polled."""
        if self.files.journal.exists():
            with self.files.journal.open("rb") as journal:
                journal.seek(self._taken)
                for line in journal:
                    if line.endswith(b"\n"):
                        self._taken += len(line)
                        self._records.append(record_from_wire(decode(line)))
        return list(self._records)

    def events(self, kind: type[Any]) -> list[Any]:
        return [record.event for record in self.records() if isinstance(record.event, kind)]

    def steps(self) -> list[int]:
        return [event.step for event in self.events(Batch)]

    def wait(self, condition: Callable[[], Any], what: str = "", seconds: float = 0) -> Any:
        try:
            return wait_until(
                condition, what or "the run did not get there", seconds or self.horizon
            )
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.story()}") from error

    def wait_for(self, kind: type[Any], **fields: Any) -> Event:
        """The first event of ``kind`` with these fields."""

        def found() -> Any:
            for event in self.events(kind):
                if all(getattr(event, name) == value for name, value in fields.items()):
                    return event
            return None

        event: Event = self.wait(found, f"no {kind.__name__} with {fields}")
        return event

    def wait_for_size(self, size: int, batches: int = 3) -> None:
        """The last batches were done at this size."""

        def there() -> bool:
            sizes = [event.size for event in self.events(Batch)]
            return len(sizes) >= batches and sizes[-batches:] == [size] * batches

        self.wait(there, f"no training with {size} workers")

    def wait_for_more_steps(self, more: int) -> None:
        goal = len(self.steps()) + more
        self.wait(lambda: len(self.steps()) >= goal, f"no {more} more steps")

    def wait_over(self) -> RunOver:
        over = self.wait_for(RunOver)
        assert isinstance(over, RunOver)
        self.wait(lambda: processes.started(self.supervisor) < 0, "the supervisor stays")
        return over

    def story(self) -> str:
        log = self.files.root / "supervisor.log"
        events = [record.event for record in self.records() if not isinstance(record.event, Batch)]
        tail = "\n".join(map(str, events[-30:]))
        return tail + "\n" + (log.read_text() if log.exists() else "")

    # ---- processes ------------------------------------------------------------------------------

    @property
    def supervisor(self) -> int:
        return int((read_json(self.files.status) or {}).get("pid", -1))

    def kill_supervisor(self) -> None:
        pid = self.supervisor
        os.kill(pid, signal.SIGKILL)
        self.wait(lambda: processes.started(pid) < 0)

    def members(self) -> list[processes.Process]:
        """Every process of the run, found by what names its folder."""
        root = str(self.files.root)
        return [
            p for p in processes.everyone() if any(root in w for w in processes.arguments(p.pid))
        ]

    def wait_gone(self) -> None:
        """A client that has just read the end may outlive the supervisor by a moment."""
        self.wait(lambda: not self.members(), "processes of the run stay")

    @contextlib.contextmanager
    def link_port_taken(self) -> Iterator[int]:
        """The port of the worker link is somebody else's. Gives it.

        A worker that looks for its supervisor may hold it for a moment, at its own end.
        """
        way = read_json(self.files.link) or {}
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)

            def take() -> bool:
                try:
                    listener.bind((way["host"], way["port"]))
                    listener.listen()
                except OSError:
                    return False
                return True

            self.wait(take, "the port cannot be had")
            yield way["port"]

    def close(self) -> None:
        for client in self._clients:
            client.close()
        if self.files.root.exists():
            for process in self.members():
                processes.signal_all([process], signal.SIGTERM)
            end = time.monotonic() + 5
            while self.members() and time.monotonic() < end:
                time.sleep(0.05)
            processes.signal_all(self.members(), signal.SIGKILL)
            wait_until(lambda: not self.members(), "processes of the run stay", 10)
