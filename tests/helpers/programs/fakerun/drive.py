"""A driver without Horovod, in the place of trainer/drive/main.py: hosts, ranks, resets, blacklist, signals.

It reads the real discovery script, tells the real events, starts the real `work` command line, and says in
RUN_DIR/world.json who has which rank. Its workers (fakerun/work.py) look there at every step. Files in
RUN_DIR/fake/ steer it: `deaf` (it does not look at the script), `cooldown` (seconds), `stubborn` (ignores
SIGTERM), `lie` (ends with status 0 whatever happened).
"""

# ruff: noqa: TID252  it travels inside trainer

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from ..events import (
    DriverAssigned,
    DriverBlacklisted,
    DriverDiscovered,
    DriverReady,
    DriverStopping,
    DriverWaiting,
    DriverWhitelisted,
    DriverWorkerExited,
    DriverWorkerStarted,
    Event,
    Member,
)
from ..rundir import RunDir, write_atomically
from .eventlog import EventLog

Place = tuple[str, int]


class Driver:
    def __init__(self, run: RunDir, events: EventLog, options: dict[str, int], work: list[str]):
        self.run, self.events, self.work = run, events, work
        self.np, self.min_np, self.max_np = options["-np"], options["--min-np"], options["--max-np"]
        self.workers: dict[Place, Any] = {}
        self.order: list[str] = []
        self.hosts: dict[str, int] = {}
        self.cooling: dict[str, float] = {}
        self.world: list[Place] = []
        self.generation = -1
        self.told: tuple[int, int] | None = None
        self.readers: list[threading.Thread] = []
        self.wanted_dead = False
        self.failed = self.succeeded = False

    def tell(self, event: Event) -> None:
        self.events.tell(event)

    def steered(self, name: str) -> bool:
        return (self.run.root / "fake" / name).exists()

    # ---- hosts and ranks --------------------------------------------------------------------

    def poll(self) -> None:
        if self.steered("deaf"):
            return
        output = subprocess.run([str(self.run.discovery)], stdout=subprocess.PIPE).stdout.decode()
        pairs = [line.rpartition(":") for line in output.split()]
        hosts = {host: int(slots) for host, _, slots in pairs}
        if hosts != self.hosts:
            self.hosts = hosts
            self.tell(DriverDiscovered(hosts))
            self.order = [host for host in self.order if host in hosts]
            self.order += [host for host in hosts if host not in self.order]
        for host, until in list(self.cooling.items()):
            if time.time() >= until:
                del self.cooling[host]
                self.tell(DriverWhitelisted(host))

    def places(self) -> list[Place]:
        usable = [host for host in self.order if host not in self.cooling]
        found = [(host, slot) for host in usable for slot in range(self.hosts[host])]
        return found[: self.max_np] if self.max_np else found

    def turn(self) -> None:
        self.poll()
        self.reap()
        if self.succeeded:
            return
        places = self.places()
        need = self.np if self.generation < 0 else self.min_np
        gone = [place for place in self.world if place not in self.workers]
        if places == self.world and not gone:
            return
        if len(places) < need:
            self.wait(need, len(places))
            return
        if self.told is not None or self.generation < 0:
            self.wait(need, len(places))
        self.assign(places)

    def wait(self, need: int, have: int) -> None:
        if (need, have) == self.told:
            return
        self.told = (need, have)
        self.tell(DriverWaiting(need, have, time.time() + 60))
        if have < need and self.generation >= 0:
            self.write_world([])

    def assign(self, places: list[Place]) -> None:
        self.told = None
        if not {host for host, _ in self.world} & {host for host, _ in places} and self.world:
            raise RuntimeError("No hosts from previous set remaining, unable to broadcast state.")
        self.generation += 1
        self.world = places
        members = [Member(rank, host, slot) for rank, (host, slot) in enumerate(places)]
        self.tell(DriverAssigned(len(places), members))
        self.write_world(places)
        for rank, place in enumerate(places):
            if place not in self.workers:
                self.start(place, rank)

    def write_world(self, places: list[Place]) -> None:
        ranks = {f"{host}[{slot}]": rank for rank, (host, slot) in enumerate(places)}
        value = {"generation": self.generation, "size": len(places), "ranks": ranks}
        write_atomically(self.run.root / "world.json", json.dumps(value))

    # ---- workers ----------------------------------------------------------------------------

    def start(self, place: Place, rank: int) -> None:
        host, slot = place
        self.tell(DriverWorkerStarted(host, slot, rank))
        print(f"start worker process: {host}[{slot}]", flush=True)
        process = subprocess.Popen(
            self.work,
            env=dict(os.environ, HOROVOD_HOSTNAME=host, HOROVOD_LOCAL_RANK=str(slot)),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.workers[place] = process
        for name in ("stdout", "stderr"):
            prefix = f"[{host}[{slot}]#{rank}]<{name}>:"
            thread = threading.Thread(target=copy, args=(getattr(process, name), prefix))
            thread.start()
            self.readers.append(thread)

    def reap(self) -> None:
        for place, process in list(self.workers.items()):
            code = process.poll()
            if code is not None:
                del self.workers[place]
                self.exited(place, code if code >= 0 else 128 - code)

    def exited(self, place: Place, code: int) -> None:
        assigned = place in self.world and (place in self.places() or code == 0)
        self.tell(DriverWorkerExited(*place, exit_code=code, assigned=assigned))
        if not assigned or self.wanted_dead:
            return
        if code == 0:
            self.succeeded = True
        else:
            path = self.run.root / "fake" / "cooldown"
            until = time.time() + float(path.read_text() if path.exists() else "60")
            self.cooling[place[0]] = until
            self.tell(DriverBlacklisted(place[0], until))
            if not self.workers:
                self.failed = True

    def end_workers(self) -> None:
        self.wanted_dead = True
        for process in self.workers.values():
            os.killpg(process.pid, signal.SIGTERM)
        deadline = time.time() + 2
        while self.workers and time.time() < deadline:
            self.reap()
            time.sleep(0.01)

    def loop(self) -> int:
        while not (self.failed or (self.succeeded and not self.workers)):
            if stop.is_set() and not self.steered("stubborn"):
                self.tell(DriverStopping("stopped by SIGTERM"))
                self.end_workers()
                return 143
            self.turn()
            time.sleep(0.02)
        self.tell(DriverStopping("all workers have failed" if self.failed else "a worker is done"))
        for thread in self.readers:
            thread.join()
        return int(self.failed and not self.steered("lie"))


def copy(pipe: Any, prefix: str) -> None:
    for line in pipe:
        sys.stdout.write(prefix + line.decode())
        sys.stdout.flush()


stop = threading.Event()


def main(argv: list[str]) -> int:
    events, rest = argv[1], argv[3:]
    at = rest.index("work") - 2
    args, work = rest[:at], rest[at:]
    options = {"--max-np": 0}
    for name, value in itertools.pairwise(args):
        if name in ("-np", "--min-np", "--max-np"):
            options[name] = int(value)
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    log = EventLog(events)
    log.tell(DriverReady(os.getpid(), "0.28.1", True))
    driver = Driver(RunDir(Path(events).parent), log, options, work)
    try:
        return driver.loop()
    except RuntimeError as error:
        driver.tell(DriverStopping(str(error)))
        driver.end_workers()
        return 1
