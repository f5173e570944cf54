"""What one process without a driver tells, and what its exports hold."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.elastic_job import REPOSITORY, Alone

from trainer.events import (
    Batch,
    EpochEnd,
    TrainBegin,
    WorkerExported,
    WorkerFinished,
    WorkerJoined,
)

pytestmark = [pytest.mark.slow, pytest.mark.horovod, pytest.mark.timeout(300)]

MANY_FITS = """
import maypole
import numpy as np
import tensorflow as tf

x = np.random.rand(100, 3).astype("float32")
y = x.sum(1)

def model(optimizer, **options):
    made = tf.keras.Sequential([tf.keras.layers.Input((3,)), tf.keras.layers.Dense(1)])
    made.compile(optimizer, "mse", metrics=["mae"], **options)
    return made

schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.5)
model(tf.keras.optimizers.SGD(schedule)).fit(x, y, epochs=2, verbose=0, validation_split=0.1)

several = model(tf.keras.optimizers.Adam(0.5), steps_per_execution=3)
several.fit(x, y, batch_size=10, epochs=1, verbose=0)

dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(10)
by_callback = tf.keras.callbacks.LearningRateScheduler(lambda epoch: 0.25 / (epoch + 1))
several.fit(dataset, initial_epoch=4, epochs=6, verbose=0, callbacks=[by_callback])

class Compiled(tf.keras.Model):
    '''Changes its learning rate inside the compiled step, where no Python sees it.'''
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1)
    def call(self, inputs):
        return self.dense(inputs["a"]) + self.dense(inputs["b"])
    def train_step(self, data):
        logs = super().train_step(data)
        self.optimizer.learning_rate.assign(self.optimizer.learning_rate * 0.5)
        return logs

compiled = Compiled()
compiled.compile(tf.keras.optimizers.SGD(1.0), "mse")
compiled.fit({"a": x, "b": x}, y, verbose=0)

maypole.log(step=70, loss=tf.constant(0.5), lr=0.3, epoch=1.5)
maypole.log(loss=1, mae=tf.Variable(2.0), one=tf.ones((1, 1)), logits=tf.zeros((2, 3)),
            words=tf.constant("a"))
"""


@pytest.fixture
def alone(tmp_path: Path) -> Iterator[Alone]:
    made = Alone(tmp_path / "run")
    yield made
    made.close()
    print(made.text()[-4000:])


def script(folder: Path, text: str) -> str:
    path = folder / "train.py"
    path.write_text(text)
    return str(path)


def verify(folder: Path) -> tuple[int, dict[str, Any]]:
    result = subprocess.run(
        [sys.executable, "-m", "trainer", "verify", str(folder)],
        cwd=REPOSITORY,
        stdout=subprocess.PIPE,
        timeout=120,
        check=False,
    )
    return result.returncode, json.loads(result.stdout.splitlines()[-1])


def fits(alone: Alone) -> list[list[Batch]]:
    """The batches of each fit, and last of maypole.log."""
    found: list[list[Batch]] = []
    for _, event in alone.collector.events:
        if isinstance(event, TrainBegin):
            found.append([])
        elif isinstance(event, Batch):
            found[-1].append(event)
    logged = [found[-1].pop(), found[-1].pop()]
    return [*found, logged[::-1]]


def test_that_every_kind_of_fit_is_followed(alone: Alone, tmp_path: Path) -> None:
    alone.start(script(tmp_path, MANY_FITS))
    assert alone.wait() == 0, alone.text()
    events = alone.collector.events
    assert isinstance(events[0][1], WorkerJoined) and events[0][1].keras.startswith("2.")
    scheduled, several, dataset, compiled, logged = fits(alone)

    assert [b.step for b in scheduled] == [1, 2, 3, 4, 5, 6]
    assert [b.samples for b in scheduled] == [32, 64, 90, 122, 154, 180]
    assert [b.epoch for b in scheduled] == pytest.approx([1 / 3, 2 / 3, 1, 4 / 3, 5 / 3, 2])
    rates = [0.1 * 0.5 ** (step / 10) for step in range(6)]
    assert [b.lr for b in scheduled] == pytest.approx(rates, rel=1e-5)
    assert all(set(b.metrics) == {"loss", "mae"} for b in scheduled)
    ends = alone.collector.of(EpochEnd)
    assert {"val_loss", "val_mae", "loss", "mae"} == set(ends[0].metrics)

    assert [b.step for b in several] == [3, 6, 9, 10]
    assert [b.samples - 180 for b in several] == [30, 60, 90, 100]
    assert [b.epoch for b in several] == pytest.approx([2.3, 2.6, 2.9, 3.0])

    assert dataset[0].step == 13 and dataset[-1].step == 30
    assert dataset[-1].epoch == pytest.approx(6.0)
    assert all(b.lr == pytest.approx(0.05) for b in dataset if b.epoch <= 5)
    assert dataset[-1].lr == pytest.approx(0.25 / 6, rel=1e-5)
    assert ends[-2].epoch == 6

    halved = [b.lr for b in compiled if b.lr is not None]
    assert halved[0] == 0.5
    assert all(later <= before for before, later in pairwise(halved))

    assert [(b.step, b.lr, b.metrics, b.size) for b in logged] == [
        (70, 0.3, {"loss": 0.5}, 1),
        (71, None, {"loss": 1.0, "mae": 2.0, "one": 1.0}, 1),
    ]
    (finished,) = alone.collector.of(WorkerFinished)
    assert (finished.outcome, finished.rank) == ("completed", 0)


def test_that_a_model_of_ones_own_with_two_inputs_is_exported_and_verified(
    alone: Alone, tmp_path: Path
) -> None:
    alone.start(script(tmp_path, MANY_FITS))
    assert alone.wait() == 0
    (exported,) = alone.collector.of(WorkerExported)
    folder = Path(exported.path)
    assert exported.error == "" and folder == alone.home / "export" / "final"
    status, answer = verify(folder)
    assert (status, answer["ok"], answer["error"]) == (0, True, "")
    assert answer["max_difference"] <= 1e-6 and answer["size_bytes"] > 1000
    assert answer["signature"] == (
        "a: float32 (?, 3), b: float32 (?, 3) -> output_0: float32 (?, 1)"
    )
    facts = json.loads((folder / "maypole.json").read_text())
    assert facts["verification"] == {"rows": 32, "real": True}
    assert [path.name for path in folder.parent.iterdir()] == ["final"]

    with np.load(folder / "verification.npz") as file:
        arrays = dict(file)
    arrays["output:output_0"] = arrays["output:output_0"] + 1.0
    np.savez_compressed(folder / "verification.npz", **arrays)
    status, answer = verify(folder)
    assert status == 1 and not answer["ok"]
    assert answer["max_difference"] == pytest.approx(1.0)
    assert "predicts something else" in answer["error"]
    (folder / "saved_model.pb").write_bytes(b"not a model")
    assert "cannot be loaded" in verify(folder)[1]["error"]
    assert "holds no SavedModel" in verify(tmp_path)[1]["error"]


UNEXPORTABLE = """
import numpy as np
import tensorflow as tf

class Stubborn(tf.keras.layers.Layer):
    def call(self, inputs, training=None):
        if not training:
            raise ValueError("this layer only trains")
        return inputs

made = tf.keras.Sequential([tf.keras.layers.Dense(1), Stubborn()])
made.compile("sgd", "mse")
x = np.random.rand(64, 3).astype("float32")
made.fit(x, x.sum(1), epochs=1, verbose=0)
print("trained to the end")
"""


def test_that_a_model_that_cannot_be_exported_does_not_fail_the_training(
    alone: Alone, tmp_path: Path
) -> None:
    alone.start(script(tmp_path, UNEXPORTABLE))
    assert alone.wait() == 0
    (exported,) = alone.collector.of(WorkerExported)
    assert "cannot be written as a SavedModel" in exported.error
    assert "this layer only trains" in exported.error
    assert "trained to the end" in alone.text()
    assert alone.collector.of(WorkerFinished)[0].outcome == "completed"
    assert list((alone.home / "export").iterdir()) == []


PLAIN = """
import numpy as np
import tensorflow as tf

made = tf.keras.Sequential([tf.keras.layers.Input((3,)), tf.keras.layers.Dense(1)])
made.compile("sgd", "mse")
x = np.random.rand(64, 3).astype("float32")
def batches():
    while True:
        yield x, x.sum(1)
made.fit(batches(), steps_per_epoch=50, epochs=100000, verbose=0)
"""


def test_that_a_plain_training_exports_and_stops_after_a_batch(
    alone: Alone, tmp_path: Path
) -> None:
    alone.start(script(tmp_path, PLAIN))
    alone.collector.wait(lambda: len(alone.collector.of(Batch)) > 20, "20 batches")
    (worker,) = alone.collector.server.workers()
    alone.collector.server.send(worker, {"type": "export", "request": "now", "path": ""})
    (first,) = alone.collector.wait(lambda: alone.collector.of(WorkerExported), "the export")
    alone.collector.server.send(worker, {"type": "stop"})
    assert alone.wait() == 0
    assert alone.collector.of(WorkerFinished)[0].outcome == "stopped"
    assert [e.request for e in alone.collector.of(WorkerExported)] == ["now", "final"]
    assert alone.collector.of(Batch)[0].samples == 64
    assert verify(Path(first.path))[1]["max_difference"] <= 1e-6
