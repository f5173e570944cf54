import os
import sys

import horovod.tensorflow.keras as hvd
import numpy as np
import tensorflow as tf
from tensorflow import keras

epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 10
samples = int(os.environ.get("SAMPLES", "2000"))
lr = 1.0

hvd.init()

for gpu in tf.config.experimental.list_physical_devices("GPU"):
    tf.config.experimental.set_memory_growth(gpu, True)
    tf.config.experimental.set_visible_devices(gpu, "GPU")

rng = np.random.RandomState(0)
images = rng.rand(samples, 8, 8, 1).astype("float32")
labels = (images.mean(axis=(1, 2, 3)) * 20).astype("int64") % 10

dataset = tf.data.Dataset.from_tensor_slices((images, labels)).repeat().shuffle(1000).batch(16)

model = keras.Sequential(
    [
        keras.layers.Conv2D(8, 3, activation="relu", input_shape=(8, 8, 1)),
        keras.layers.MaxPooling2D(),
        keras.layers.Flatten(),
        keras.layers.Dropout(0.25),
        keras.layers.Dense(10, activation="softmax"),
    ]
)

opt = keras.optimizers.Adadelta(lr * hvd.size())
opt = hvd.DistributedOptimizer(opt)

model.compile(
    loss=keras.losses.sparse_categorical_crossentropy,
    optimizer=opt,
    metrics=["accuracy"],
)


def on_state_reset():
    tf.keras.backend.set_value(model.optimizer.lr, lr * hvd.size())


state = hvd.elastic.KerasState(model, batch=100, epoch=0)
state.register_reset_callbacks([on_state_reset])

callbacks = [
    hvd.elastic.CommitStateCallback(state),
    hvd.elastic.UpdateBatchStateCallback(state),
    hvd.elastic.UpdateEpochStateCallback(state),
]

if hvd.rank() == 0:
    callbacks.append(keras.callbacks.ModelCheckpoint("./checkpoint-{epoch}.h5"))


@hvd.elastic.run
def train(state):
    model.fit(
        dataset,
        steps_per_epoch=500 // hvd.size(),
        callbacks=callbacks,
        epochs=epochs - state.epoch,
        verbose=1 if hvd.rank() == 0 else 0,
    )


train(state)
