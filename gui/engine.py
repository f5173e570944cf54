"""All that the window asks of core, behind one typed surface: real, or a named fake in tests."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from core.bundle import Bundle, build
from core.errors import InvalidInput
from core.events import ClientEvent
from core.export import fetch_export
from core.home import Home, local_home
from core.launch import Preview, StartedRun, launch, preview
from core.localmachine import LocalMachine
from core.machine import FetchedFolder
from core.machines import open_machine
from core.profiles import Profile, draft_spec, problems, to_spec
from core.runclient import RunClient
from core.runs import RunSummary, find_run, list_runs
from core.runview import ExportView
from gui.tasks import Cancelled, Progress

Listener = Callable[[ClientEvent], None]


class Client(Protocol):
    """A RunClient. Commands return their id at once; the answer is a CommandReply with it."""

    def start(self) -> None: ...
    def request_stop(self) -> None: ...
    def stop(self, timeout: float) -> bool: ...
    def set_hosts(self, hosts: Mapping[str, int], confirmed: bool = False) -> str: ...
    def stop_run(self, now: bool = False) -> str: ...
    def export(self) -> str: ...


class Engine(Protocol):
    """check, preview and interfaces are quick and pure; the rest blocks and belongs into a task."""

    def check(self, profile: Profile) -> list[InvalidInput]: ...
    def preview(self, profile: Profile) -> Preview: ...
    def interfaces(self) -> list[str]: ...
    def launch(self, profile: Profile) -> StartedRun: ...
    def attach(self, run_dir: str, listener: Listener) -> Client: ...
    def runs(self) -> list[RunSummary]: ...
    def find_run(self, text: str) -> RunSummary: ...
    def fetch(
        self, export: ExportView, destination: Path, progress: Progress, cancelled: Cancelled
    ) -> FetchedFolder: ...


class CoreEngine:
    """Runs on this computer."""

    def __init__(self, home: Home | None = None, bundle: Bundle | None = None) -> None:
        self._machine = LocalMachine()
        self.home = home or local_home()
        self._bundle = bundle or build()

    def check(self, profile: Profile) -> list[InvalidInput]:
        found = problems(profile, self.home, self._bundle)
        try:
            open_machine(profile.machine)
        except InvalidInput as error:
            found.append(error)
        return found

    def preview(self, profile: Profile) -> Preview:
        return preview(draft_spec(profile, self.home), self.home, self._bundle)

    def interfaces(self) -> list[str]:
        try:
            return [name for _, name in socket.if_nameindex()]
        except OSError:  # a system that cannot list them: the field takes any text
            return []

    def launch(self, profile: Profile) -> StartedRun:
        spec = to_spec(profile, self.home, self._bundle)
        return launch(self._machine, spec, self.home, self._bundle)

    def attach(self, run_dir: str, listener: Listener) -> Client:
        bundle = self._bundle.put(self._machine, self.home)
        return RunClient(self._machine, sys.executable, bundle, run_dir, listener)

    def runs(self) -> list[RunSummary]:
        return list_runs(self._machine, self.home)

    def find_run(self, text: str) -> RunSummary:
        return find_run(self._machine, self.home, text)

    def fetch(
        self, export: ExportView, destination: Path, progress: Progress, cancelled: Cancelled
    ) -> FetchedFolder:
        return fetch_export(self._machine, export, destination, progress, cancelled)
