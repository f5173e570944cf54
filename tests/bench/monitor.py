"""What the monitor costs a training step, in the training thread.

A real fit of the digits model; what the monitor's batch hooks take is added up step by step. The link is a
real one, to a real server; for ``dead`` it is to an address that swallows packets. ``beside`` has Keras'
TensorBoard (update_freq="batch") in the same fit, timed in the same way. The clock itself costs some
microseconds between two steps; a callback that does nothing shows how much, and that is taken off.
"""

from __future__ import annotations

import functools
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
STEPS, EPOCHS = 300, 4
SKIPPED = 50
"""Steps at the beginning that are not counted: TensorFlow traces, TensorBoard opens its files."""
HOLE = "192.0.2.1"
"""TEST-NET-1 (RFC 5737): packets to it are answered by nobody."""


def monitor_overhead_us() -> dict[str, Any]:
    found = measured("alive")
    return {"name": "monitor_overhead_us", "value": found["ours"], "unit": "us", "n": found["n"]}


def monitor_overhead_dead_us() -> dict[str, Any]:
    found = measured("dead")
    return {
        "name": "monitor_overhead_dead_us",
        "value": found["ours"],
        "unit": "us",
        "n": found["n"],
    }


def monitor_vs_tensorboard_ratio() -> dict[str, Any]:
    found = measured("beside")
    return {
        "name": "monitor_vs_tensorboard_ratio",
        "value": found["ours"] / found["theirs"],
        "unit": "ratio",
        "n": found["n"],
        "peer": "keras TensorBoard(update_freq='batch')",
        "peer_value": found["theirs"],
        "ratio": found["ours"] / found["theirs"],
    }


BENCHES = {
    "monitor_overhead_us": monitor_overhead_us,
    "monitor_overhead_dead_us": monitor_overhead_dead_us,
    "monitor_vs_tensorboard_ratio": monitor_vs_tensorboard_ratio,
}


@functools.cache
def measured(link: str) -> dict[str, Any]:
    """In a process of its own: TensorFlow is not for the process that lists benchmarks."""
    result = subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), link],
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", "PYTHONPATH": os.pathsep.join(_paths())},
        stdout=subprocess.PIPE,
        check=True,
        timeout=600,
    )
    found: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return found


def _paths() -> list[str]:
    return [str(ROOT), str(ROOT / "tests")]


# ---- in the process that trains -----------------------------------------------------------------


def timed(callback: Any) -> list[float]:
    """Seconds that the batch hooks of ``callback`` take from now on, one entry a step."""
    spent: list[float] = []
    clock = time.perf_counter
    begin, end = callback.on_train_batch_begin, callback.on_train_batch_end

    def on_train_batch_begin(batch: int, logs: Any = None) -> None:
        began = clock()
        begin(batch, logs)
        spent.append(clock() - began)

    def on_train_batch_end(batch: int, logs: Any = None) -> None:
        began = clock()
        end(batch, logs)
        spent[-1] += clock() - began

    callback.on_train_batch_begin = on_train_batch_begin
    callback.on_train_batch_end = on_train_batch_end
    return spent


@contextmanager
def linked(kind: str, home: Path) -> Iterator[Any]:
    from helpers import linklab

    from trainer.link.client import LinkClient
    from trainer.link.server import LinkServer

    home = linklab.make_home(home)
    server = LinkServer(
        linklab.token_of(home), lambda _: 0, *[lambda *_: None] * 4, host="127.0.0.1"
    )
    server.start()
    if kind == "dead":
        linklab.point_to(home, 9, HOLE)
    else:
        linklab.point_to(home, server.port)
    client = LinkClient(home, linklab.WORKER, lambda _: None)
    client.start()
    try:
        yield client
    finally:
        client.close(2)
        server.close(2)


def train(kind: str, folder: Path) -> dict[str, Any]:
    from trainer.work import fit_hook, legacy_keras
    from trainer.work.import_hooks import ImportHooks
    from trainer.work.session import Session

    legacy_keras.choose(os.environ)
    session = Session("demo-1[0].abc")
    hooks = ImportHooks(session.complain)
    fit_hook.install(session, hooks)
    hooks.install()
    made, plain = [], fit_hook.arranged

    def arranged(given: list[Any], *ours: Any) -> list[Any]:
        made.extend(timed(callback) for callback in ours)
        return plain(given, *ours)

    fit_hook.arranged = arranged
    with linked(kind, folder / "run") as client:
        session.link = client
        clock, theirs = fit(folder / "board" if kind == "beside" else None)
    ours = [sum(parts) - len(parts) * _median(clock) for parts in zip(*made, strict=True)]
    found = {"ours": _median(ours) * 1e6, "n": len(ours) - SKIPPED}
    return {**found, "theirs": (_median(theirs) - _median(clock)) * 1e6} if theirs else found


def fit(board: Path | None) -> tuple[list[float], list[float]]:
    """Trains; gives what the clock took, and TensorBoard's hooks when it had a folder."""
    import tensorflow as tf

    from trainer.data.digits import load
    from trainer.workloads import digits

    (images, labels), _ = load()
    model = digits.build_model()
    model.compile(tf.keras.optimizers.Adam(0.001), "sparse_categorical_crossentropy", ["accuracy"])

    class Nothing(tf.keras.callbacks.Callback):  # type: ignore[misc]
        _supports_tf_logs = True

        def on_train_batch_begin(self, *_: Any) -> None:
            pass

        on_train_batch_end = on_train_batch_begin

    callbacks: list[Any] = [Nothing()]
    if board is not None:
        callbacks.append(tf.keras.callbacks.TensorBoard(str(board), update_freq="batch"))
    spent = [timed(callback) for callback in callbacks]
    data = digits.training_images(images, labels, 32, 1)
    model.fit(data, steps_per_epoch=STEPS, epochs=EPOCHS, callbacks=callbacks, verbose=0)
    return spent[0], spent[1] if board is not None else []


def _median(seconds: list[float]) -> float:
    return statistics.median(seconds[SKIPPED:])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        print(json.dumps(train(sys.argv[1], Path(scratch))), flush=True)
