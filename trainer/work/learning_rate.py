"""The learning rate that a step really used, at the least cost for the training thread.

``capture`` runs in the training thread right after a step and only starts a read of the variable (an
immutable tensor, no conversion). ``value`` turns it into a float in the link's thread; a schedule
without a variable of its own is evaluated there too.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

Capture = Callable[[], Any]
_MAX_WRAPPERS = 5


def unwrapped(optimizer: Any) -> Any:
    """Inside a LossScaleOptimizer. hvd.DistributedOptimizer is a subclass and wraps nothing."""
    for _ in range(_MAX_WRAPPERS):
        inner = getattr(optimizer, "inner_optimizer", None)
        if inner is None:
            break
        optimizer = inner
    return optimizer


class LearningRate:
    def __init__(self, optimizer: Any) -> None:
        optimizer = unwrapped(optimizer)
        self._rate = _rate_of(optimizer)
        self._decay = float(getattr(optimizer, "_initial_decay", 0.0) or 0.0)
        self._is_schedule = callable(self._rate) and not hasattr(self._rate, "assign")
        variable = self._rate
        if self._is_schedule:
            variable = getattr(optimizer, "_current_learning_rate", None)
        self.capture: Capture = _reader(variable)

    def value(self, captured: Any, step: int) -> Optional[float]:
        """``step``: optimizer steps done; the last one was made with the rate of the step before."""
        if captured is not None:
            rate = float(captured)
        elif self._is_schedule:
            rate = float(self._rate(max(0, step - 1)))
        else:
            return None
        return rate / (1.0 + self._decay * max(0, step - 1))


def _rate_of(optimizer: Any) -> Any:
    """The variable or the schedule: Keras >= 2.11 and 3, or the older optimizers' hyperparameter."""
    rate = getattr(optimizer, "_learning_rate", None)
    if rate is None:
        rate = getattr(optimizer, "_hyper", {}).get("learning_rate")
    return rate


def _nothing() -> Any:
    return None


def _reader(variable: Any) -> Capture:
    if variable is None:
        return _nothing
    if isinstance(variable, (int, float)):
        return lambda: variable
    inner = getattr(variable, "value", None)  # Keras 3 wraps TensorFlow's variable
    if inner is not None and not callable(inner) and hasattr(inner, "handle"):
        variable = inner
    return _raw_reader(variable) or (lambda: float(variable))


def _raw_reader(variable: Any) -> Optional[Capture]:
    """One eager operation. variable.numpy() does the same in five times the time and waits for a GPU."""
    try:
        import tensorflow as tf

        handle, dtype, read = variable.handle, variable.dtype, tf.raw_ops.ReadVariableOp
        read(resource=handle, dtype=dtype)
    except Exception:  # noqa: BLE001  a variable of another kind (mirrored, another backend)
        return None
    return lambda: read(resource=handle, dtype=dtype)
