"""FakeEngine and FakeRunClient: a run that says exactly what a test wants it to say."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.errors import InvalidInput, MaypoleError, RunError
from core.events import (
    CommandReply,
    Event,
    HostsRequested,
    LinkChanged,
    LinkState,
    LogRecord,
    Record,
    RunInfo,
)
from core.home import Home
from core.launch import Preview, StartedRun
from core.machine import FetchedFolder
from core.profiles import Profile, to_spec
from core.runs import RunSummary
from core.runview import ExportView
from gui.engine import CoreEngine, Listener
from trainer.launchspec import LaunchSpec


@dataclass(frozen=True, slots=True)
class Command:
    id: str
    name: str
    args: dict[str, Any]


class FakeRunClient:
    """Takes commands and answers when it is told to; events are said from a thread of its own."""

    def __init__(self, run_dir: str, spec: LaunchSpec, listener: Listener) -> None:
        self.run_dir, self.spec, self.listener = run_dir, spec, listener
        self.commands: list[Command] = []
        self.started = self.stopped = False
        self.full = False
        self._numbers = itertools.count(1)
        self._seq = itertools.count(1)
        self._log = itertools.count(1)
        self.clock: Callable[[], float] = time.time

    # ---- what the window calls ----------------------------------------------------------------

    def start(self) -> None:
        self.started = True

    def request_stop(self) -> None:
        self.stopped = True

    def stop(self, timeout: float) -> bool:
        self.stopped = True
        return True

    def set_hosts(self, hosts: Mapping[str, int], confirmed: bool = False) -> str:
        return self._add("set_hosts", {"hosts": dict(hosts), "confirmed": confirmed})

    def stop_run(self, now: bool = False) -> str:
        return self._add("stop", {"now": now})

    def export(self) -> str:
        return self._add("export", {})

    def _add(self, name: str, args: dict[str, Any]) -> str:
        if self.full:
            raise RunError("Too many commands are waiting. Wait for the link to the run.")
        command = Command(f"c{next(self._numbers)}", name, args)
        self.commands.append(command)
        return command.id

    # ---- what a test says ---------------------------------------------------------------------

    def welcome(self, live: bool = True) -> None:
        self.tell(RunInfo(self.run_dir, Path(self.run_dir).name, self.spec, 0))
        if live:
            self.tell(LinkChanged(LinkState.LIVE))

    def say(self, *events: Event) -> None:
        self.tell(*(Record(next(self._seq), self.clock(), event) for event in events))

    def print(self, *lines: str, host: str = "", slot: int = -1, rank: int = -1) -> None:
        self.tell(
            *(
                LogRecord(next(self._log), self.clock(), host, slot, rank, "stdout", line)
                for line in lines
            )
        )

    def reply(self, command: Command, error: str = "", **value: Any) -> None:
        if not error and command.name == "set_hosts":
            self.say(HostsRequested(command.args["hosts"], command.id, "window"))
        self.tell(CommandReply(command.id, command.name, not error, error, value))

    def tell(self, *events: Any) -> None:
        """As a RunClient does: from another thread."""

        def body() -> None:
            for event in events:
                self.listener(event)

        thread = threading.Thread(target=body, name="fake run client")
        thread.start()
        thread.join()


@dataclass
class FakeEngine:
    """Real checks and previews; launching, attaching and fetching are the test's."""

    home: Home
    listed: list[RunSummary] = field(default_factory=list)
    clients: list[FakeRunClient] = field(default_factory=list)
    launched: list[Profile] = field(default_factory=list)
    fetched: list[tuple[ExportView, Path]] = field(default_factory=list)
    refusal: MaypoleError | None = None
    found_by_machine: InvalidInput | None = None
    gate: threading.Event = field(default_factory=threading.Event)
    specs: dict[str, LaunchSpec] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.gate.set()
        self._core = CoreEngine(self.home)
        self._numbers = itertools.count(1)

    @property
    def client(self) -> FakeRunClient:
        """The newest."""
        return self.clients[-1]

    def check(self, profile: Profile) -> list[InvalidInput]:
        return self._core.check(profile)

    def preview(self, profile: Profile) -> Preview:
        return self._core.preview(profile)

    def interfaces(self) -> list[str]:
        return ["lo", "eth0"]

    def launch(self, profile: Profile) -> StartedRun:
        self.gate.wait(10)
        if self.found_by_machine is not None:
            raise self.found_by_machine
        if self.refusal is not None:
            raise self.refusal
        self.launched.append(profile)
        run_id = f"run-{next(self._numbers)}"
        run_dir = f"{self.home.runs}/{run_id}"
        self.specs[run_dir] = to_spec(profile, self.home, self._core._bundle)
        return StartedRun(run_id, run_dir)

    def attach(self, run_dir: str, listener: Listener) -> FakeRunClient:
        self.gate.wait(10)
        if self.refusal is not None:
            raise self.refusal
        spec = self.specs.get(run_dir) or next(
            run.spec for run in self.listed if run.run_dir == run_dir
        )
        client = FakeRunClient(run_dir, spec, listener)
        self.clients.append(client)
        return client

    def runs(self) -> list[RunSummary]:
        return list(self.listed)

    def find_run(self, text: str) -> RunSummary:
        for run in self.listed:
            if text in (run.run_id, run.run_dir, "last"):
                return run
        raise RunError(f"There is no run {text}. See the list of runs.")

    def fetch(
        self,
        export: ExportView,
        destination: Path,
        progress: Callable[[int, int], None],
        cancelled: Callable[[], bool],
    ) -> FetchedFolder:
        progress(1, 2)
        self.gate.wait(10)
        if self.refusal is not None:
            raise self.refusal
        self.fetched.append((export, destination))
        return FetchedFolder(destination, 3, 1_234_567)
