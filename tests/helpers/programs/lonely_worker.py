"""A worker whose peer never comes; then the same process alone, as a job of one."""

from __future__ import annotations

import os

import horovod.tensorflow as hvd
import tensorflow as tf
from horovod.runner.http.http_server import RendezvousServer


def say_who(size: int) -> None:
    for name in ("SIZE", "CROSS_SIZE"):
        os.environ["HOROVOD_" + name] = str(size)
    for name in ("RANK", "LOCAL_RANK", "CROSS_RANK"):
        os.environ["HOROVOD_" + name] = "0"
    os.environ["HOROVOD_LOCAL_SIZE"] = "1"


say_who(2)
server = RendezvousServer()
os.environ["HOROVOD_GLOO_RENDEZVOUS_ADDR"] = "127.0.0.1"
os.environ["HOROVOD_GLOO_RENDEZVOUS_PORT"] = str(server.start())
server.init([])
os.environ["HOROVOD_GLOO_TIMEOUT_SECONDS"] = "1"
for _ in range(2):
    try:
        hvd.init()
    except ValueError as exc:
        print("refused:", exc, flush=True)
    hvd.shutdown()

server.init([])
say_who(1)
hvd.init()
print("alone", hvd.size(), hvd.allreduce(tf.constant(2.0), op=hvd.Sum).numpy(), flush=True)
hvd.shutdown()
server.stop()
