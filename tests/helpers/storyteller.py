"""A made-up training told event by event: fills a window for screenshots and tests."""

from __future__ import annotations

import math
import random

from helpers.fakeengine import FakeRunClient

from core.events import (
    Batch,
    EpochEnd,
    HostsRequested,
    HostState,
    HostStateChanged,
    Member,
    Problem,
    Resize,
    RunState,
    RunStateChanged,
    Topology,
    TrainBegin,
)
from core.hosts import Host
from core.profiles import Profile

STEPS_PER_EPOCH = 100


def board_profile() -> Profile:
    hosts = [
        Host(f"gpu{n}", 2 if n in (5, 6, 8, 10) else 1, in_job=n in (1, 2)) for n in range(1, 11)
    ]
    return Profile(
        name="resnet-night",
        script="maypole:digits",
        np=2,
        min_np=2,
        max_np=4,
        network_interface="eth0",
        env={"OMP_NUM_THREADS": "1"},
        hosts=tuple(hosts),
    )


class Story:
    def __init__(self, client: FakeRunClient, start: float) -> None:
        self.client = client
        self.now = start
        self.generation = 0
        self.step = 0
        self._random = random.Random(7)
        client.clock = lambda: self.now

    def begin(self, hosts: dict[str, int]) -> None:
        say = self.client.say
        say(HostsRequested(hosts), RunStateChanged(RunState.STARTING))
        for host in hosts:
            say(HostStateChanged(host, HostState.OFFERED))
        self.topology(list(hosts))
        say(TrainBegin("w", self.now, 0, 12, STEPS_PER_EPOCH, ["loss", "accuracy"]))
        say(RunStateChanged(RunState.TRAINING))

    def topology(self, hosts: list[str]) -> None:
        members = [Member(rank, host, 0) for rank, host in enumerate(hosts)]
        self.client.say(Topology(self.generation, len(hosts), members))
        for rank, host in enumerate(hosts):
            self.client.say(HostStateChanged(host, HostState.TRAINING, ranks=[rank]))
        self.size = len(hosts)

    def train(self, steps: int, seconds: float = 0.6) -> None:
        events: list[Batch | EpochEnd] = []
        for _ in range(steps):
            self.step += 1
            self.now += seconds
            events.append(self._batch())
            if self.step % STEPS_PER_EPOCH == 0:
                epoch = self.step // STEPS_PER_EPOCH
                metrics = {"val_loss": 1.1 * self._loss(), "val_accuracy": 0.97 * self._accuracy()}
                events.append(EpochEnd("w", self.now, self.step, epoch, self.size, metrics))
        self.client.say(*events)

    def _loss(self) -> float:
        return 2.3 * math.exp(-self.step / 350) + 0.12

    def _accuracy(self) -> float:
        return 0.98 - 0.88 * math.exp(-self.step / 300)

    def _batch(self) -> Batch:
        noise = self._random.gauss(0, 0.04)
        metrics = {
            "loss": self._loss() * (1 + noise),
            "accuracy": min(1, self._accuracy() + noise / 4),
        }
        return Batch(
            "w", self.now, self.step, self.step / STEPS_PER_EPOCH, self.size, metrics,
            0.001 * self.size, self.step * 32 * self.size, 0.2,
        )  # fmt: skip

    def resize(self, hosts: list[str], joined: list[str], left: list[str]) -> None:
        start = self.now
        self.client.say(
            HostsRequested(dict.fromkeys(hosts, 1), "", "window"),
            RunStateChanged(RunState.RESIZING),
        )
        self.generation += 1
        self.now += 3.4
        old = self.size
        self.topology(hosts)
        self.client.say(
            Resize(
                self.generation, "hosts", old, len(hosts), joined, left, self.step,
                start, start + 0.9, start + 1.4, start + 2.2, start + 2.9, start + 3.4,
            ),
            RunStateChanged(RunState.TRAINING),
        )  # fmt: skip
        for host in left:
            self.client.say(HostStateChanged(host, HostState.AVAILABLE))

    def trouble(self) -> None:
        self.client.say(
            HostStateChanged("gpu7", HostState.REFUSED, "Python 3.11 there has no horovod"),
            HostStateChanged("gpu8", HostState.UNREACHABLE, "ssh: port 2222 did not answer in 5 s"),
            Problem(
                "no_horovod", "error", "gpu7 cannot train: its Python has no Horovod.",
                "Install Horovod there with: maypole provision --host gpu7, then drag it in again.",
                "gpu7",
            ),
            Problem(
                "slow_input", "warning",
                "gpu3 waits for its input 24 % of every step, so all workers wait with it.",
                "Cache the data set on gpu3, or give its input pipeline more threads.", "gpu3",
            ),
        )  # fmt: skip

    def chatter(self) -> None:
        client = self.client
        client.print("[1]<stderr>: launching 2 workers", "Reset workers: 2")
        for epoch in range(1, 7):
            for rank, host in enumerate(["gpu1", "gpu2", "gpu3"]):
                client.print(
                    f"Epoch {epoch}/12  100/100 - loss: {2.3 / epoch:.4f} - accuracy: {1 - 0.8 / epoch:.4f}",
                    host=host, slot=0, rank=rank,
                )  # fmt: skip
        client.print(
            "2026-10-02 21:14:02.113: W tensorflow/core/data.cc:12] input pipeline is slow",
            host="gpu3",
            slot=0,
            rank=2,
        )
        client.print(
            "ERROR: cannot open /data/cache: read-only file system", host="gpu3", slot=0, rank=2
        )


def tell_long_run(client: FakeRunClient, start: float) -> Story:
    """Three resizes, some trouble, a newcomer on its way."""
    story = Story(client, start)
    story.begin({"gpu1": 1, "gpu2": 1})
    story.train(380)
    story.resize(["gpu1", "gpu2", "gpu3"], ["gpu3"], [])
    story.train(200)
    story.resize(["gpu2", "gpu3"], [], ["gpu1"])
    story.train(120)
    story.resize(["gpu2", "gpu3", "gpu1"], ["gpu1"], [])
    story.train(150)
    story.trouble()
    story.chatter()
    client.say(
        HostsRequested({"gpu1": 1, "gpu2": 1, "gpu3": 1, "gpu4": 1, "gpu10": 2}, "", "window"),
        HostStateChanged("gpu4", HostState.ADMITTING, "4 of 6: TensorFlow and Horovod match"),
        HostStateChanged("gpu10", HostState.STANDBY, "over --max-np 4"),
        HostStateChanged(
            "gpu9", HostState.BLACKLISTED, "its worker failed twice", until=story.now + 95
        ),
    )
    return story
