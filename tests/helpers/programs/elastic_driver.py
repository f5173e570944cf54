"""Horovod's own ElasticDriver and a change of hosts. Prints what became of the workers.

Run as a program: the driver starts threads and reads signals, which belongs in no test process.
    elastic_driver.py removal            two hosts, of which one is dropped
    elastic_driver.py newcomer           one host; a second is added, whose worker dies at once
    elastic_driver.py newcomer early     the same with drive's corrections of that
A worker says "up" when it is in the job, waits for a word and then initialises again.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from horovod.runner import gloo_run
from horovod.runner.elastic.discovery import HostDiscovery
from horovod.runner.gloo_run import create_slot_env_vars
from horovod.runner.http.http_server import RendezvousServer

from trainer.drive import corrections
from trainer.drive.context import Drive
from trainer.drive.eventlog import EventLog

HERE = Path(__file__).parent


class Hosts(HostDiscovery):  # type: ignore[misc]
    """The hosts of the job; `present` may be changed."""

    def __init__(self, *names: str) -> None:
        self.present = dict.fromkeys(names, 1)

    def find_available_hosts_and_slots(self) -> dict[str, int]:
        return dict(self.present)


class Workers:
    """Starts what the driver asks for; `commands` are by host name."""

    def __init__(self, port: int, commands: dict[str, list[str]], parties: int) -> None:
        self._port = port
        self._commands = commands
        self._up = threading.Barrier(parties + 1)
        self.go = threading.Event()
        self.exits: dict[str, int] = {}
        self.output: dict[str, list[str]] = {}

    def wait_until_up(self) -> None:
        self._up.wait(120)

    def run(self, slot: Any, _events: list[threading.Event]) -> tuple[int, float]:
        environ = {
            **os.environ,
            **create_slot_env_vars(slot),
            "HOROVOD_GLOO_RENDEZVOUS_ADDR": "127.0.0.1",
            "HOROVOD_GLOO_RENDEZVOUS_PORT": str(self._port),
            "HOROVOD_ELASTIC": "1",
        }
        process = subprocess.Popen(
            self._commands[slot.hostname],
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert process.stdin is not None and process.stdout is not None
        lines = self.output.setdefault(slot.hostname, [])
        for line in process.stdout:
            lines.append(line.rstrip())
            if line == "up\n":
                self._up.wait(120)
                self.go.wait(120)
                process.stdin.write("go\n")
                process.stdin.flush()
        self.exits[slot.hostname] = process.wait()
        return self.exits[slot.hostname], time.time()


def change(hosts: Hosts, commands: dict[str, list[str]], after: list[str], early: bool) -> None:
    """Run a job on `hosts`; once it is up make its hosts `after`, and report how it ended."""
    before = len(hosts.present)
    rendezvous = RendezvousServer()
    if early:
        corrections.use_own_elastic_driver(Drive(EventLog("")))
        corrections.end_a_rendezvous_that_cannot_be_completed()
    driver = gloo_run.ElasticDriver(rendezvous, hosts, min_num_proc=1, max_num_proc=2)
    port = rendezvous.start(gloo_run.create_rendezvous_handler(driver))
    workers = Workers(port, commands, before)
    driver.wait_for_available_slots(before)
    driver.start(before, workers.run)
    workers.wait_until_up()
    hosts.present = dict.fromkeys(after, 1)
    while driver._host_manager.current_hosts.host_assignment_order != after:
        time.sleep(0.05)  # until the driver's own discovery thread has seen it
    workers.go.set()
    results = driver.get_results().worker_results
    print("result " + json.dumps({
        "exits": workers.exits,
        "output": workers.output,
        "recorded": {name: result[0] for name, result in results.items()},
    }))  # fmt: skip


def main(scene: str, early: bool) -> None:
    if scene == "removal":
        worker = [sys.executable, str(HERE / "removal_worker.py")]
        change(Hosts("keeper", "dropped"), {"keeper": worker, "dropped": worker}, ["keeper"], early)
    else:
        worker = [sys.executable, str(HERE / "patient_worker.py")]
        commands = {"keeper": worker, "newcomer": ["false"]}
        change(Hosts("keeper"), commands, ["keeper", "newcomer"], early)


if __name__ == "__main__":
    main(sys.argv[1], "early" in sys.argv[2:])
