"""Drops an iterator whose pipeline cannot end before this program goes on. Run by test_work_iterators.py."""

import threading

import tensorflow as tf

working, go_on = threading.Event(), threading.Event()


def wait(number):
    if number > 0:
        working.set()
        go_on.wait()
    return number


def batch(number):
    return tf.py_function(wait, [number], tf.int64)


numbers = tf.data.Dataset.range(100).map(batch, num_parallel_calls=2).prefetch(2)
iterator = iter(numbers)
print("first", int(next(iterator)), flush=True)
working.wait()
# Its destructor joins the threads of the pipeline; they wait for this thread, which must not wait for them.
del iterator
print("dropped", flush=True)
go_on.set()
print("again", int(next(iter(numbers))), flush=True)
