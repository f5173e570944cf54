"""Makes TensorFlow convert functions, shows what it says of them, and is killed."""

from __future__ import annotations

import os
import signal

import tensorflow as tf


@tf.function
def total(count: tf.Tensor) -> tf.Tensor:
    found = 0
    for each in tf.range(count):
        if each % 2 == 0:
            found += each
    return found


@tf.function
def wrong(count: tf.Tensor) -> tf.Tensor:
    for _ in tf.range(count):
        raise RuntimeError("raised while it is converted")
    return count


print("total", int(total(tf.constant(5))))
try:
    wrong(tf.constant(1))
except RuntimeError as error:
    print("error", " ".join(str(error).split()))
print("code", "ag__.for_stmt" in tf.autograph.to_code(total.python_function), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
