"""A worker without TensorFlow, in the place of trainer/work/main.py: steps, commits, resets, exports, stops.

It speaks the real worker link and follows RUN_DIR/world.json. Every step is a commit. Files in RUN_DIR/fake/
steer it: `crash-HOST` (the worker there ends with status 1, once), `done` (the script is completed), `child`
(each worker starts a child that ignores SIGTERM), `error` (the script raises), `paused` (no more steps).
"""

# ruff: noqa: TID252  it travels inside trainer

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from ..events import (
    Batch,
    TrainBegin,
    WorkerExported,
    WorkerFinished,
    WorkerJoined,
    WorkerPhase,
    WorkerRanked,
)
from ..link.client import LinkClient
from ..rundir import RunDir, read_json
from .identity import BANNER, new_worker_id

PACE = 0.01


class Worker:
    def __init__(self, home: Path) -> None:
        self.home = home
        self.name = new_worker_id(os.environ)
        self.place = self.name.rpartition(".")[0]
        self.link = LinkClient(home, self.name, self.commands)
        self.exports: list[dict[str, Any]] = []
        self.stop = False
        self.generation, self.rank, self.size, self.resets = -1, -1, 0, -1

    def commands(self, message: dict[str, Any]) -> None:
        if message.get("type") == "stop":
            self.stop = True
        elif message.get("type") == "export":
            self.exports.append(message)

    def tell(self, event: Any) -> None:
        self.link.send(lambda: event)

    def fake(self, name: str) -> Path:
        return self.home / "fake" / name

    def phase(self, name: str) -> None:
        if self.rank == 0:
            self.tell(WorkerPhase(self.name, name, time.time(), self.step()))

    # ---- the state that Horovod would broadcast lies in files ----------------------------------

    def step(self) -> int:
        path = self.home / "step"
        return int(path.read_text() or "0") if path.exists() else 0

    def take_step(self) -> None:
        step = self.step() + 1
        temporary = self.home / "step.new"
        temporary.write_text(str(step))
        temporary.replace(self.home / "step")
        metrics = {"loss": 1.0 / step}
        self.tell(Batch(self.name, time.time(), step, step / 100.0, self.size, metrics, 0.1))

    # ---- the loop -------------------------------------------------------------------------------

    def follow_world(self) -> bool:
        """False while there is no world that this worker is a member of and everybody has joined."""
        world = read_json(self.home / "world.json") or {}
        if not world.get("ranks"):
            return False
        if world["generation"] != self.generation:
            self.change_world(world)
        return self.all_here()

    def change_world(self, world: dict[str, Any]) -> None:
        if self.resets >= 0:
            self.phase("interrupted")
            self.phase("shutdown")
        if self.place not in world["ranks"]:
            self.leave(79)
        self.generation = world["generation"]
        self.rank, self.size = world["ranks"][self.place], world["size"]
        self.resets += 1
        self.tell(WorkerRanked(self.name, self.resets, self.rank, self.size, time.time()))
        print(f"rank {self.rank} of {self.size}", flush=True)
        folder = self.home / "here" / str(self.generation)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / self.place).touch()
        self.joined = False

    def all_here(self) -> bool:
        if self.joined:
            return True
        if len(list((self.home / "here" / str(self.generation)).iterdir())) < self.size:
            return False
        self.joined = True
        if self.resets > 0:
            self.phase("initialised")
            self.phase("synced")
        if self.rank == 0:
            self.tell(TrainBegin(self.name, time.time(), self.step(), 10, 100, ["loss"]))
        return True

    def commit(self) -> None:
        while self.exports and self.rank == 0:
            message = self.exports.pop(0)
            self.export(message["request"])
        if self.stop:
            self.fake("stop").touch()
        if self.fake("stop").exists():
            if self.rank == 0:
                self.export("final")
            self.finish("stopped", "")
        if self.fake("crash-" + self.place.partition("[")[0]).exists():
            self.fake("crash-" + self.place.partition("[")[0]).unlink()
            sys.stderr.write("ValueError: the loss is a pineapple\n")
            self.leave(1)
        if self.fake("error").exists():
            sys.stderr.write("KeyError: 'pineapple'\n")
            self.finish("error", "KeyError: 'pineapple'", 1)
        if self.fake("done").exists():
            if self.rank == 0:
                self.export("final")
            self.finish("completed", "")

    def export(self, request: str) -> None:
        folder = RunDir(self.home).export / request
        folder.mkdir(exist_ok=True)
        (folder / "saved_model.pb").write_text(str(self.step()))
        self.tell(WorkerExported(self.name, request, str(folder), self.step()))

    def finish(self, outcome: str, text: str, status: int = 0) -> None:
        self.tell(WorkerFinished(self.name, outcome, self.rank, text))
        self.leave(status)

    def leave(self, status: int) -> None:
        self.link.close(5.0)
        sys.stderr.flush()
        os._exit(status)

    def run(self) -> None:
        print(BANNER % (self.name, os.getpid()), flush=True)
        self.link.start()
        self.tell(WorkerJoined(self.name, os.getpid(), "3", "", "", "0.28.1"))
        if self.fake("child").exists():
            subprocess.Popen(["/bin/sh", "-c", "trap '' TERM; while :; do sleep 0.2; done"])
        threading.Thread(target=self.watch_parent, daemon=True).start()
        while True:
            if self.follow_world():
                if self.rank == 0 and not self.fake("paused").exists():
                    self.take_step()
                    print(f"step {self.step()}", flush=True)
                self.commit()
            time.sleep(PACE)

    def watch_parent(self) -> None:
        parent = os.getppid()
        while os.getppid() == parent or self.fake("orphans-stay").exists():
            time.sleep(0.05)
        self.leave(78)


def main(argv: list[str]) -> int:
    json.dumps(argv)
    Worker(Path(argv[argv.index("--home") + 1])).run()
    return 0
