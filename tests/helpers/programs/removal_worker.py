"""A worker that trains a step, waits for a word, and joins again, as hvd.elastic does on a reset."""

from __future__ import annotations

import atexit
import sys

import horovod.tensorflow as hvd
import tensorflow as tf

from trainer import corrections

hvd.init()
print("size", hvd.size(), hvd.allreduce(tf.constant(1.0), op=hvd.Sum).numpy(), flush=True)
atexit.register(lambda: print("atexit ran", corrections.was_removed(), flush=True))
print("up", flush=True)
sys.stdin.readline()
hvd.shutdown()
try:
    hvd.init()
except SystemExit:
    try:
        hvd.init()  # a removed worker that asked the driver again would be counted as ready
    except SystemExit:
        print("removed for good", flush=True)
        raise
print("size", hvd.size(), hvd.allreduce(tf.constant(1.0), op=hvd.Sum).numpy(), flush=True)
