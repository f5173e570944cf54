"""Handwritten digits with Elastic Horovod: a small convolutional net on 1,797 real images.

Written as the Elastic Horovod guide writes it (state, reset callback, three state callbacks, a function
under ``hvd.elastic.run``), and nothing in it knows of Maypole. Run it with::

    maypole.pyz work --home RUN_DIR -- maypole:digits --epochs 12
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any, List, Optional

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import horovod.tensorflow.keras as hvd
import tensorflow as tf

from ..data import digits

EPOCHS, BATCH_SIZE, STEPS_PER_EPOCH, LEARNING_RATE = 24, 32, 60, 0.001


def arguments(argv: Optional[List[str]] = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="digits", description="Train on handwritten digits.")
    parser.add_argument("--epochs", type=int, default=EPOCHS, help="in all, over every reset")
    parser.add_argument(
        "--batch-size", type=int, default=BATCH_SIZE, help="images a worker and step"
    )
    parser.add_argument("--steps-per-epoch", type=int, default=STEPS_PER_EPOCH,
                        help="for one worker; n workers do 1/n of it each")  # fmt: skip
    parser.add_argument("--lr", type=float, default=LEARNING_RATE, help="for one worker")
    parser.add_argument("--pace", type=float, default=0.0, metavar="SECONDS",
                        help="wait so long before every step, so that a person can watch")  # fmt: skip
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args(argv)


def use_own_devices() -> None:
    """One GPU a worker; without a GPU one thread a worker, because workers share the machine."""
    gpus = tf.config.list_physical_devices("GPU")
    if gpus:
        for gpu in gpus:
            tf.config.experimental.set_memory_growth(gpu, True)
        tf.config.set_visible_devices(gpus[hvd.local_rank() % len(gpus)], "GPU")
    else:
        tf.config.threading.set_intra_op_parallelism_threads(1)
        tf.config.threading.set_inter_op_parallelism_threads(1)


def build_model() -> Any:
    """The convolutional net of the Keras guides, with one convolution more because 8 x 8 is small."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Conv2D(32, 3, padding="same", activation="relu", input_shape=(8, 8, 1)),
            layers.Conv2D(32, 3, activation="relu"),
            layers.MaxPooling2D(2),
            layers.Flatten(),
            layers.Dense(64, activation="relu"),
            layers.Dropout(0.3),
            layers.Dense(10, activation="softmax"),
        ]
    )


def training_images(images: Any, labels: Any, batch_size: int, seed: int) -> Any:
    """Endless, each rank in an order of its own: that is how Horovod advises to sample (elastic.rst)."""
    dataset = tf.data.Dataset.from_tensor_slices((images, labels))
    return dataset.shuffle(len(labels), seed=seed).repeat().batch(batch_size)


def paced(dataset: Any, seconds: float) -> Any:
    """Every batch comes that much later. In the pipeline, because Keras warns of a callback that sleeps."""

    @tf.autograph.experimental.do_not_convert  # type: ignore[untyped-decorator]
    def rest(images: Any, labels: Any) -> Any:
        with tf.control_dependencies([tf.py_function(lambda: time.sleep(seconds), [], [])]):
            return tf.identity(images), labels

    return dataset.map(rest) if seconds > 0 else dataset


def main(argv: Optional[List[str]] = None) -> None:
    args = arguments(argv)
    hvd.init()
    use_own_devices()
    tf.keras.utils.set_random_seed(args.seed)
    (images, labels), test = digits.load()
    model = build_model()
    optimizer = hvd.DistributedOptimizer(tf.keras.optimizers.Adam(args.lr * hvd.size()))
    model.compile(loss="sparse_categorical_crossentropy", optimizer=optimizer, metrics=["accuracy"])
    # A newcomer must hold the same variables as the old workers before the first state.sync(), or
    # both sides wait for ever. Fitting one batch would do it too, but that is a collective before
    # hvd.elastic.run, which a newcomer would do alone.
    optimizer.build(model.trainable_variables)

    def on_state_reset() -> None:
        # The learning rate is no part of the state: every worker sets it from the world size.
        tf.keras.backend.set_value(model.optimizer.learning_rate, args.lr * hvd.size())

    state = hvd.elastic.KerasState(model, batch=0, epoch=0)
    state.register_reset_callbacks([on_state_reset])

    @hvd.elastic.run  # type: ignore[untyped-decorator]
    def train(state: Any) -> None:
        # Everything that depends on rank or size is decided here, because it is new after a reset.
        # Commit stands last: it is the one that raises when hosts have changed, and what it saves
        # must already count this batch and this epoch, or a finished epoch would be done again.
        callbacks = [
            hvd.callbacks.MetricAverageCallback(),
            hvd.elastic.UpdateEpochStateCallback(state),
            hvd.elastic.UpdateBatchStateCallback(state),
            hvd.elastic.CommitStateCallback(state),
        ]
        batches = training_images(images, labels, args.batch_size, args.seed + hvd.rank())
        model.fit(
            paced(batches, args.pace),
            steps_per_epoch=max(1, args.steps_per_epoch // hvd.size()),
            epochs=args.epochs - state.epoch,
            validation_data=test,
            validation_batch_size=len(test[1]),
            callbacks=callbacks,
            verbose=2 if hvd.rank() == 0 else 0,
        )

    train(state)
    if hvd.rank() == 0:
        loss, accuracy = model.evaluate(*test, batch_size=len(test[1]), verbose=0)
        print("test accuracy %.4f, loss %.4f" % (accuracy, loss))


if __name__ == "__main__":
    main(sys.argv[1:])
