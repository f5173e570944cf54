"""A worker that joins again until it succeeds, as Maypole's worker runner does on a reset."""

from __future__ import annotations

import sys
import time

import horovod.tensorflow as hvd

hvd.init()
print("up", flush=True)
sys.stdin.readline()
start, refused = time.monotonic(), 0
hvd.shutdown()
while True:
    try:
        hvd.init()
        break
    except ValueError:
        refused += 1
        hvd.shutdown()
print("joined", hvd.size(), refused, time.monotonic() - start, flush=True)
