"""Follow a model.fit: every batch and epoch becomes an event, at the least cost for the training thread.

The training thread counts, starts one read of the learning rate and appends a function to the link's
queue; tensors become numbers in the link's thread. Every rank counts, only rank 0 tells, and who that is
is asked at the start of every fit, which is also the first thing after every reset.
"""

# ruff: noqa: ARG002  Keras calls every hook with batch and logs

from __future__ import annotations

import time
from typing import Any, Dict, Mapping, Optional

from ..events import Batch, EpochEnd, TrainBegin
from .commits import serve_alone
from .fit_data import BatchSizes, FitData
from .learning_rate import LearningRate
from .session import Session


class Fit:
    """One call of model.fit, from its train begin to its end."""

    def __init__(self, session: Session, model: Any, data: FitData, initial_epoch: int = 0) -> None:
        self.session = session
        self.model = model
        self.data = data
        self.initial_epoch = initial_epoch
        self.size = 1
        self.telling = False
        self.base = 0
        """Epochs done before the epoch that this fit calls 0."""
        self.epoch = 0
        self.last = -1
        self.steps: Optional[int] = None
        self.epochs = 0
        self.sizes = BatchSizes(-1)
        self.rate = LearningRate(None)
        self._begun: Optional[float] = None

    # ---- called by the training thread ------------------------------------------------------

    def begin(self, params: Mapping[str, Any]) -> None:
        """``params["steps"]`` is read now: UpdateBatchStateCallback changes it, which Keras ignores."""
        rank, self.size = self.session.world.place
        self.telling = rank == 0
        self.steps = params.get("steps")
        self.epochs = int(params.get("epochs") or 0)
        self.base = base_epoch(
            self.initial_epoch,
            getattr(self.session.state, "epoch", None),
            self.session.ledger.epochs,
        )
        self.sizes = self.data.batch_sizes()
        self.rate = LearningRate(self.model.optimizer)
        self.session.model, self.session.data = self.model, self.data
        self._begun = time.time()

    def begin_epoch(self, epoch: int) -> None:
        """The step count is read once, after every callback's train begin: one may restore a backup."""
        self.epoch = epoch
        if self._begun is None:
            return
        began, self._begun = self._begun, None
        self.session.ledger.step = steps_done(self.model.optimizer, self.session.ledger.step)
        if self.telling:
            names = [str(name) for name in getattr(self.model, "metrics_names", ())]
            if "compile_metrics" in names:
                names = []  # Keras 3 does not know their names before the first batch
            self.session.tell(
                TrainBegin(
                    self.session.worker,
                    began,
                    self.session.ledger.step,
                    self.base + self.epochs,
                    self.steps or 0,
                    names,
                )
            )

    def batch_done(self, first: int, last: int, seconds: float, logs: Any) -> None:
        """``first`` and ``last`` differ with steps_per_execution: several steps, told as one point."""
        session = self.session
        ledger = session.ledger
        if (
            self.steps and last >= self.steps
        ):  # Keras 3 counts past the end of a short last execution
            last = self.steps - 1
        self.last = last
        ledger.add(last - first + 1, self.sizes.samples(first, last) * self.size)
        session.metrics = logs
        if self.telling:
            wall, step, samples, epoch = time.time(), ledger.step, ledger.samples, self.epoch
            rate, own = self.rate.capture(), dict(logs)  # other callbacks may change logs
            session.link.send(
                lambda: batch_event(self, wall, step, epoch, last, samples, seconds, rate, own)
            )

    def epoch_done(self, epoch: int, logs: Any) -> None:
        ledger = self.session.ledger
        ledger.epochs = self.base + epoch + 1
        self.session.metrics = logs
        if not self.steps:
            self.steps = self.last + 1
        if self.telling:
            wall, step, epochs, samples = time.time(), ledger.step, ledger.epochs, ledger.samples
            own = dict(logs or {})
            self.session.link.send(lambda: epoch_event(self, wall, step, epochs, samples, own))


def base_epoch(initial: int, of_state: Any, done: int) -> int:
    """Epochs to add to Keras' own count.

    ``fit(epochs=N - state.epoch)`` counts from 0 after a reset, ``fit(initial_epoch=state.epoch, epochs=N)``
    goes on. Without a state several fits follow one another.
    """
    if initial:
        return 0
    return of_state if isinstance(of_state, int) else done


def steps_done(optimizer: Any, default: int) -> int:
    iterations = getattr(optimizer, "iterations", None)
    if iterations is None:
        return default
    return int(iterations.numpy() if hasattr(iterations, "numpy") else iterations)


# ---- called by the link's thread ----------------------------------------------------------------


def batch_event(
    fit: Fit, wall: float, step: int, epoch: int, last: int, samples: int, seconds: float, rate: Any,
    logs: Dict[str, Any],
) -> Batch:  # fmt: skip
    done = (last + 1) / fit.steps if fit.steps else 0.0
    return Batch(
        fit.session.worker,
        wall,
        step,
        fit.base + epoch + min(done, 1.0),
        fit.size,
        numbers(logs),
        fit.rate.value(rate, step),
        samples,
        seconds,
    )


def epoch_event(
    fit: Fit, wall: float, step: int, epoch: int, samples: int, logs: Dict[str, Any]
) -> EpochEnd:
    return EpochEnd(fit.session.worker, wall, step, epoch, fit.size, numbers(logs), samples)


def numbers(logs: Mapping[str, Any]) -> Dict[str, float]:
    """What is one number. A metric may also be a matrix; nobody can draw that as a curve."""
    found: Dict[str, float] = {}
    for name, value in logs.items():
        try:
            found[str(name)] = float(value)
        except (TypeError, ValueError, OverflowError):
            continue
    return found


# ---- the callbacks ------------------------------------------------------------------------------


class Hooks:
    """Beside keras' Callback, which is not known before the script imports Keras (see fit_hook.py)."""

    _supports_tf_logs = True  # Keras 2 would convert every tensor in the training thread otherwise
    params: Dict[str, Any]

    def __init__(self, fit: Fit) -> None:
        super().__init__()
        self.fit = fit

    def complain(self, error: BaseException) -> None:
        self.fit.telling = False
        self.fit.session.complain("the monitor stopped, the training goes on", error)


class BatchHooks(Hooks):
    """Stands first, so that it has seen a batch when a commit of the same batch raises."""

    def __init__(self, fit: Fit) -> None:
        super().__init__(fit)
        self._first = 0
        self._begun = 0.0

    def on_train_begin(self, logs: Any = None) -> None:
        try:
            self.fit.begin(self.params)
        except Exception as error:  # noqa: BLE001  the monitor never fails a training
            self.complain(error)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        try:
            self.fit.begin_epoch(epoch)
        except Exception as error:  # noqa: BLE001
            self.complain(error)

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Between two batches every callback has seen the last one: a lone process exports and stops here,
        commits or not. What is wanted after the last batch is done when the script is."""
        session = self.fit.session
        if session.wishes.any and session.world.size == 1:
            serve_alone(session)
        self._first = batch
        self._begun = time.perf_counter()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        try:
            self.fit.batch_done(self._first, batch, time.perf_counter() - self._begun, logs or {})
        except Exception as error:  # noqa: BLE001
            self.complain(error)


class EpochHooks(Hooks):
    """Stands behind the metrics' average over the ranks and before the elastic callbacks."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        try:
            self.fit.epoch_done(epoch, logs)
        except Exception as error:  # noqa: BLE001
            self.complain(error)
