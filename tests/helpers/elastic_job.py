"""A real elastic job on this machine: horovodrun (or drive), workers, and a collector of what they tell.

The hosts are names that do not resolve, so Horovod reaches them by ``ssh``, and the ``ssh`` that is first
on its PATH runs the command here.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from trainer import protocol, rundir
from trainer.events import Batch, Event, parse_worker_id
from trainer.link.server import LinkServer

REPOSITORY = Path(__file__).resolve().parents[2]
SSH = """#!/bin/sh
case "$*" in *" bad-"*) echo "ssh: connect to host: Connection refused" >&2; exit 255;; esac
for last in "$@"; do :; done
exec sh -c "$last"
"""
"""Hosts called bad-something cannot be reached."""
PATIENCE = 150.0
"""Seconds for anything that waits for TensorFlow to be imported on a busy machine."""


def worker_environment() -> dict[str, str]:
    """Small and built, as the supervisor's."""
    return {
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"]),
        "HOME": os.environ.get("HOME", "/"),
        "PYTHONPATH": str(REPOSITORY),
        "CUDA_VISIBLE_DEVICES": "-1",
        "TF_CPP_MIN_LOG_LEVEL": "2",
        "OMP_NUM_THREADS": "1",
    }


class Collector:
    """A supervisor's end of the worker link: keeps every event, in the order in which it came."""

    def __init__(self, home: Path) -> None:
        token = protocol.new_token()
        rundir.write_atomically(home / "token", token, mode=0o600)
        self.events: list[tuple[str, Event]] = []
        self.refused: list[str] = []
        self._numbers: dict[str, int] = {}
        self._changed = threading.Condition()
        self.server = LinkServer(
            token,
            self._last_of,
            self._on_event,
            lambda *_: None,
            lambda *_: None,
            self.refused.append,
            "127.0.0.1",
        )
        self.server.start()
        way = {"host": "127.0.0.1", "port": self.server.port}
        rundir.write_atomically(home / "link.json", json.dumps(way))

    def _last_of(self, worker: str) -> int:
        return self._numbers.get(worker, 0)

    def _on_event(self, worker: str, n: int, event: Event) -> None:
        with self._changed:
            self._numbers[worker] = n
            self.events.append((worker, event))
            self._changed.notify_all()

    def of(self, kind: type[Any], host: str = "") -> list[Any]:
        with self._changed:
            return [
                event
                for worker, event in self.events
                if isinstance(event, kind) and host in ("", parse_worker_id(worker)[0])
            ]

    def wait(self, ready: Callable[[], Any], what: str, timeout: float = PATIENCE) -> Any:
        end = time.monotonic() + timeout
        with self._changed:
            while True:
                value = ready()
                if value:
                    return value
                left = end - time.monotonic()
                idle = not self._changed.wait(max(0.0, min(left, 1.0)))
                if left <= 0 or (idle and self.given_up()):
                    raise AssertionError(f"waited in vain for {what}")

    def given_up(self) -> bool:
        return False


class ElasticJob:
    """``stock``: plain horovodrun instead of drive."""

    def __init__(
        self,
        home: Path,
        script: str,
        *args: str,
        stock: bool = False,
        max_np: int = 0,
        env: dict[str, str] | None = None,
    ) -> None:
        self.home = home
        self.log = home / "horovodrun.log"
        (home / "bin").mkdir(parents=True)
        (home / "work").mkdir()
        ssh = home / "bin" / "ssh"
        ssh.write_text(SSH)
        ssh.chmod(0o755)
        self.collector = Collector(home)
        self.collector.given_up = lambda: (
            self.process is not None and self.process.poll() is not None
        )
        self.process: subprocess.Popen[bytes] | None = None
        self._command = [*self._driver(stock, max_np), sys.executable, "-m", "trainer", "work"]
        self._command += ["--home", str(home), "--", script, *args]
        self._env = {**worker_environment(), **(env or {})}
        self._env["PATH"] = os.pathsep.join([str(home / "bin"), self._env["PATH"]])

    def _driver(self, stock: bool, max_np: int) -> list[str]:
        options = ["-np", "1", "--min-np", "1", "--network-interface", "lo", "--log-level", "INFO"]
        options += ["--host-discovery-script", str(self.home / "discover_hosts.sh")]
        options += ["--elastic-timeout", "120", "--gloo-timeout-seconds", "120"]
        options += ["--blacklist-cooldown-range", "10", "120"]
        if max_np:
            options += ["--max-np", str(max_np)]
        if stock:
            return [str(Path(sys.executable).with_name("horovodrun")), *options]
        return [sys.executable, "-m", "trainer", "drive", "--", *options]

    def start(self, *hosts: str) -> None:
        self.set_hosts(*hosts)
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                self._command,
                cwd=self.home / "work",
                env=self._env,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def set_hosts(self, *hosts: str) -> None:
        text = rundir.discovery_text(dict.fromkeys(hosts, 1))
        rundir.write_atomically(self.home / "discover_hosts.sh", text, mode=0o755)

    def wait_for_size(self, size: int, batches: int = 1) -> None:
        """Until so many batches were made in a row with this world size."""

        def ready() -> bool:
            last = self.collector.of(Batch)[-batches:]
            return len(last) == batches and all(batch.size == size for batch in last)

        self.collector.wait(ready, f"{batches} batches with {size} workers")

    def wait(self, timeout: float = PATIENCE) -> int:
        assert self.process is not None
        return self.process.wait(timeout)

    def close(self) -> None:
        """Ends driver and workers, by their pids: workers have sessions of their own."""
        for pid in self._pids():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        if self.process is not None:
            self.process.wait(30)
        self.collector.server.close(5)

    def _pids(self) -> list[int]:
        """The driver and every process whose command line names this job's folder."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit() or int(entry.name) == os.getpid():
                continue
            try:
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            if str(self.home).encode() + b"\0" in command or (
                self.process is not None and int(entry.name) == self.process.pid
            ):
                found.append(int(entry.name))
        return found

    def text(self) -> str:
        return self.log.read_text(errors="replace")


class Alone:
    """One script under ``work``, without Horovod's driver, and what it told."""

    def __init__(self, home: Path) -> None:
        home.mkdir(parents=True)
        self.home = home
        self.collector = Collector(home)
        self.process: subprocess.Popen[bytes] | None = None
        self.collector.given_up = lambda: (
            self.process is not None and self.process.poll() is not None
        )

    def start(self, script: str, *args: str, env: dict[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "trainer", "work", "--home", str(self.home), "--"]
        with (self.home / "output").open("wb") as output:
            self.process = subprocess.Popen(
                [*command, script, *args],
                cwd=self.home,
                env={**worker_environment(), **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def wait(self, timeout: float = PATIENCE) -> int:
        assert self.process is not None
        return self.process.wait(timeout)

    def text(self) -> str:
        return (self.home / "output").read_text(errors="replace")

    def close(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait(30)
        self.collector.server.close(5)
