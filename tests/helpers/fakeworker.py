"""A worker of an elastic job without TensorFlow: registers, asks for its rank, loops, resets.

usage: fakeworker.py FOLDER. It plays what `hvd.elastic.run` does with the driver (common/elastic.py:150-175,
runner/elastic/worker.py). What Horovod's collectives carry between workers goes through FOLDER here: `resets`
counts the interrupts (rank 0 raises it when told of a change; a test raises it where a peer's death
would). `stop` ends all with success, `broken-HOST` lets a worker of HOST die before it joins, `mute` keeps
workers from registering, `deaf` lets them lose messages, `stubborn` ignore SIGTERM.
"""

import os
import pathlib
import queue
import signal
import sys
import time
import urllib.request

from horovod.runner.elastic.worker import WorkerNotificationManager

FOLDER = pathlib.Path(sys.argv[1])
HOST, SLOT = os.environ["HOROVOD_HOSTNAME"], os.environ["HOROVOD_LOCAL_RANK"]
ADDRESS = os.environ["HOROVOD_GLOO_RENDEZVOUS_ADDR"]
PORT = os.environ["HOROVOD_GLOO_RENDEZVOUS_PORT"]
URL = f"http://{ADDRESS}:{PORT}/rank_and_size/{HOST}:{SLOT}"


class State:
    """Takes messages as State.on_hosts_updated does."""

    def __init__(self) -> None:
        self.messages: queue.Queue[float] = queue.Queue()
        self.last = 0.0

    def on_hosts_updated(self, timestamp: float, update: int) -> None:
        say(f"told {timestamp!r} {int(update)}")
        if not (FOLDER / "deaf").exists():
            self.messages.put(timestamp)

    def interrupted(self) -> bool:
        before = self.last
        while not self.messages.empty():
            self.last = max(self.last, self.messages.get())
        return self.last > before


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def resets() -> int:
    path = FOLDER / "resets"
    return len(path.read_bytes()) if path.exists() else 0


def join() -> tuple[int, int]:
    """Blocks until all old workers have asked; only resets ask (gloo_context.cc:166)."""
    answer = urllib.request.urlopen(URL, timeout=120).read().decode()
    rank, size = (int(word) for word in answer.split(",")[:2])
    return rank_told(rank, size), size


def rank_told(rank: int, size: int) -> int:
    if rank < 0:
        sys.stderr.write(f"  what():  {HOST}[{SLOT}] has been removed from elastic job\n")
        os._exit(134)
    world = FOLDER / f"world-{size}"
    world.mkdir(exist_ok=True)
    (world / f"{HOST}-{SLOT}").touch()
    say(f"rank {rank} size {size}")
    return rank


def all_here(size: int) -> bool:
    """Collectives need every worker: nobody is interrupted before the newcomer takes part."""
    return len(list((FOLDER / f"world-{size}").iterdir())) >= size


def main() -> None:
    say(f"maypole-worker {HOST}[{SLOT}].{os.getpid():x} pid {os.getpid()}")
    if (FOLDER / ("broken-" + HOST)).exists():
        sys.exit(3)
    if (FOLDER / "stubborn").exists():
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    manager, state = WorkerNotificationManager(), State()
    seen = resets()
    rank, size = int(os.environ["HOROVOD_RANK"]), int(os.environ["HOROVOD_SIZE"])
    rank_told(rank, size)
    while (FOLDER / "mute").exists():
        time.sleep(0.02)
    manager.init()
    manager.register_listener(state)
    while not (FOLDER / "stop").exists():
        time.sleep(0.02)
        if rank == 0 and all_here(size) and state.interrupted():
            with (FOLDER / "resets").open("ab") as file:
                file.write(b".")
        if resets() > seen:
            seen = resets()
            rank, size = join()
            state.messages = queue.Queue()


main()
