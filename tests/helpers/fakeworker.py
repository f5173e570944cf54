"""A worker of an elastic job without TensorFlow: registers, asks for its rank, loops, resets.

usage: fakeworker.py FOLDER. It plays what `hvd.elastic.run` does with the driver (common/elastic.py:150-175, worker.py).
What Horovod's collectives carry between workers goes through FOLDER here: `resets` counts the interrupts (rank 0
raises it when told of a change; a test raises it where a peer's death would). `stop` ends all with success.
"""

import os
import pathlib
import queue
import sys
import time
import urllib.request

from horovod.runner.elastic.worker import WorkerNotificationManager

FOLDER = pathlib.Path(sys.argv[1])
HOST, SLOT = os.environ["HOROVOD_HOSTNAME"], os.environ["HOROVOD_LOCAL_RANK"]
URL = "http://%s:%s/rank_and_size/%s:%s" % (
    os.environ["HOROVOD_GLOO_RENDEZVOUS_ADDR"], os.environ["HOROVOD_GLOO_RENDEZVOUS_PORT"], HOST, SLOT,
)  # fmt: skip


class State:
    """Takes messages as State.on_hosts_updated does."""

    def __init__(self) -> None:
        self.messages: "queue.Queue[float]" = queue.Queue()
        self.last = 0.0

    def on_hosts_updated(self, timestamp: float, update: int) -> None:
        say("told %r %d" % (timestamp, update))
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


def join() -> int:
    """Blocks until all have asked; the driver then answers with rank and size."""
    answer = urllib.request.urlopen(URL, timeout=120).read().decode()
    rank, size = (int(word) for word in answer.split(",")[:2])
    if rank < 0:
        sys.stderr.write("  what():  %s[%s] has been removed from elastic job\n" % (HOST, SLOT))
        os._exit(134)
    say("rank %d size %d" % (rank, size))
    return rank


def main() -> None:
    say("maypole-worker %s[%s].%s pid %d" % (HOST, SLOT, "%xz" % os.getpid(), os.getpid()))
    if (FOLDER / ("broken-" + HOST)).exists():
        sys.exit(3)
    while (FOLDER / "slow").exists():
        time.sleep(0.02)
    manager, state = WorkerNotificationManager(), State()
    seen, rank = resets(), join()
    manager.init()
    manager.register_listener(state)
    while not (FOLDER / "stop").exists():
        time.sleep(0.02)
        if rank == 0 and state.interrupted():
            with (FOLDER / "resets").open("ab") as file:
                file.write(b".")
        if resets() > seen:
            seen = resets()
            rank = join()
            state.messages = queue.Queue()


main()
