"""A real elastic job of fake workers on this machine, driven by `drive` or by plain horovodrun."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from trainer.eventcodec import event_from_wire
from trainer.events import Event
from trainer.rundir import discovery_text, write_atomically
from trainer.sshshim import rehearsal_ssh

REPOSITORY = Path(__file__).parents[2]
FAKE_WORKER = Path(__file__).with_name("fakeworker.py")
E = TypeVar("E")


class DriveJob:
    """`folder` gets the discovery script, the log, the events and the workers' own folder."""

    def __init__(self, folder: Path, hosts: Mapping[str, int]) -> None:
        self.folder = folder
        self.script = folder / "discover_hosts.sh"
        self.events_file = folder / "drive.ndjson"
        self.log_file = folder / "horovodrun.log"
        self.stage = folder / "stage"
        self.stage.mkdir()
        (folder / "bin").mkdir()
        write_atomically(folder / "bin" / "ssh", rehearsal_ssh(), 0o755)
        self.set_hosts(hosts)
        self.process: subprocess.Popen[bytes] | None = None

    def set_hosts(self, hosts: Mapping[str, int]) -> None:
        self.set_script(discovery_text(dict(hosts)))

    def set_script(self, text: str) -> None:
        write_atomically(self.script, text, 0o755)

    def horovodrun_args(self, np: int, *more: str) -> list[str]:
        args = ["-np", str(np), "--network-interface", "lo", "--log-level", "INFO"]
        args += ["--host-discovery-script", shlex.quote(str(self.script)), *more]
        return [*args, sys.executable, str(FAKE_WORKER), str(self.stage)]

    def start(
        self,
        np: int,
        *more: str,
        launcher: Iterable[str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        if launcher is None:
            launcher = [
                sys.executable,
                "-m",
                "trainer",
                "drive",
                "--events",
                str(self.events_file),
                "--",
            ]
        with self.log_file.open("ab") as log:
            self.process = subprocess.Popen(
                [*launcher, *self.horovodrun_args(np, *more)],
                cwd=self.folder,
                env=self._environment(env or {}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _environment(self, more: Mapping[str, str]) -> dict[str, str]:
        path = f"{self.folder / 'bin'}:{Path(sys.executable).parent}:/usr/bin:/bin"
        base = {
            "PATH": path,
            "HOME": str(self.folder),
            "PYTHONPATH": str(REPOSITORY),
            "PYTHONUNBUFFERED": "1",
            "PYTHONFAULTHANDLER": "1",
        }
        return {**base, **more}

    # ---- what it told ----------------------------------------------------------------------

    def events(self) -> list[Event]:
        if not self.events_file.exists():
            return []
        lines = self.events_file.read_text().splitlines()
        return [event_from_wire(json.loads(line)["event"]) for line in lines]

    def log(self) -> str:
        return self.log_file.read_text(errors="replace")

    def wait_event(self, kind: type[E], after: int = 0, timeout: float = 30, **fields: Any) -> E:
        """The first event of that kind and those fields among the events from number `after` on."""

        def found() -> E | None:
            for event in self.events()[after:]:
                if isinstance(event, kind) and all(
                    getattr(event, k) == v for k, v in fields.items()
                ):
                    return event
            return None

        return self.wait(found, f"{kind.__name__} {fields}", timeout)

    def wait_log(self, text: str, count: int = 1, timeout: float = 30) -> None:
        self.wait(lambda: self.log().count(text) >= count or None, f"{count} x {text!r}", timeout)

    def wait(self, found: Callable[[], E | None], what: str, timeout: float = 30) -> E:
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            value = found()
            if value is not None:
                return value
            time.sleep(0.02)
        told = "\n".join(str(event) for event in self.events())
        raise AssertionError(
            f"no {what} within {timeout} s\n--- events\n{told}\n--- log\n{self.log()}"
        )

    # ---- workers ---------------------------------------------------------------------------

    def reset(self) -> None:
        """What a peer's death or rank 0's interrupt does to the living workers."""
        with (self.stage / "resets").open("ab") as file:
            file.write(b".")

    def finish(self) -> None:
        (self.stage / "stop").touch()

    def worker_pid(self, host: str) -> int:
        lines = [line for line in self.log().splitlines() if f"maypole-worker {host}[" in line]
        return int(lines[-1].rsplit(" ", 1)[1])

    def left_behind(self) -> list[str]:
        """Command lines of processes that belong to this job (zombies have none)."""
        found = []
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError):
                if entry.name.isdigit() and int(entry.name) != os.getpid():
                    command = (entry / "cmdline").read_bytes().decode(errors="replace")
                    if str(self.folder) in command:
                        found.append(f"{entry.name}: {command!r}")
        return found

    # ---- the end ---------------------------------------------------------------------------

    def signal(self, number: int) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def wait_end(self, timeout: float = 30) -> int:
        assert self.process is not None
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still runs after {timeout} s\n{self.log()}") from None

    def close(self) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(15)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(5)


def make_bundle(path: Path) -> Path:
    """A zip application like the one that travels: the package is called maypole in it."""
    import shutil
    import zipapp

    source = path.with_suffix(".src")
    shutil.copytree(
        REPOSITORY / "trainer", source / "maypole", ignore=shutil.ignore_patterns("__pycache__")
    )
    (source / "__main__.py").write_text(
        "import sys\nfrom maypole.__main__ import main\n"
        'if __name__ == "__main__":\n    sys.exit(main(sys.argv[1:]))\n'
    )
    zipapp.create_archive(source, path)
    return path
