"""Horovod's own ElasticDriver with two workers, of which it drops one. Prints what became of them.

Run as a program: the driver starts threads and reads signals, which belongs in no test process.
The worker (`removal_worker.py`) says "up" when it has trained a step and then initialises again.
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

from horovod.runner.elastic.discovery import HostDiscovery
from horovod.runner.elastic.driver import ElasticDriver
from horovod.runner.elastic.rendezvous import create_rendezvous_handler
from horovod.runner.gloo_run import create_slot_env_vars
from horovod.runner.http.http_server import RendezvousServer

WORKER = Path(__file__).with_name("removal_worker.py")


class Hosts(HostDiscovery):  # type: ignore[misc]
    """The hosts of the job, of which `dropped` leaves."""

    def __init__(self) -> None:
        self.present = {"keeper": 1, "dropped": 1}

    def find_available_hosts_and_slots(self) -> dict[str, int]:
        return dict(self.present)


class Workers:
    def __init__(self, port: int) -> None:
        self._port = port
        self._up = threading.Barrier(3)
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
            [sys.executable, str(WORKER)],
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


def main() -> None:
    rendezvous, hosts = RendezvousServer(), Hosts()
    driver = ElasticDriver(rendezvous, hosts, min_num_proc=1, max_num_proc=2)
    workers = Workers(rendezvous.start(create_rendezvous_handler(driver)))
    driver.wait_for_available_slots(2)
    driver.start(2, workers.run)
    workers.wait_until_up()
    del hosts.present["dropped"]
    while "dropped" in driver._host_manager.current_hosts.host_assignment_order:
        time.sleep(0.05)  # until the driver's own discovery thread has seen it
    workers.go.set()
    results = driver.get_results().worker_results
    print("result " + json.dumps({
        "exits": workers.exits,
        "output": workers.output,
        "recorded": {name: result[0] for name, result in results.items()},
    }))  # fmt: skip


if __name__ == "__main__":
    main()
