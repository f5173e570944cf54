"""The learning rate that a step really used, at the least cost for the training thread.

Reading a variable costs 30 to 60 us between two training steps, more than all the rest of the monitor. So
it is read when Python assigned to it, and otherwise a few times a second. If such a look finds a change that
nobody in Python made, a compiled function changes it, and from then on every step reads it. A schedule
without a variable of its own is evaluated in the link's thread.
"""

from __future__ import annotations

import functools
import time
from typing import Any, Callable, Optional

LOOK = 0.25
"""Seconds between looks at a variable that nobody seems to change."""
_MAX_WRAPPERS = 5
_MARK = "_maypole_assignments"


def unwrapped(optimizer: Any) -> Any:
    """Inside a LossScaleOptimizer. hvd.DistributedOptimizer is a subclass and wraps nothing."""
    for _ in range(_MAX_WRAPPERS):
        inner = getattr(optimizer, "inner_optimizer", None)
        if inner is None:
            break
        optimizer = inner
    return optimizer


class LearningRate:
    """``capture`` right after a step, in the training thread; ``value`` of that later, in the link's."""

    def __init__(self, optimizer: Any) -> None:
        optimizer = unwrapped(optimizer)
        rate = _rate_of(optimizer)
        self._decay = float(getattr(optimizer, "_initial_decay", 0.0) or 0.0)
        self._schedule = rate if callable(rate) and not hasattr(rate, "assign") else None
        self.capture: Callable[[], Any] = _nothing
        if self._schedule is None and rate is not None:
            self.capture = _Variable(rate).capture if hasattr(rate, "assign") else lambda: rate

    def value(self, captured: Any, step: int) -> Optional[float]:
        """``step``: optimizer steps done; the last one was made with the rate of the step before."""
        if self._schedule is not None:
            return float(self._schedule(max(0, step - 1)))
        if captured is None:
            return None
        return float(captured) / (1.0 + self._decay * max(0, step - 1))


def _rate_of(optimizer: Any) -> Any:
    """The variable or the schedule: Keras >= 2.11 and 3, or the older optimizers' hyperparameter."""
    rate = getattr(optimizer, "_learning_rate", None)
    if rate is None:
        rate = getattr(optimizer, "_hyper", {}).get("learning_rate")
    return rate


def _nothing() -> Any:
    return None


class _Assignments:
    """Counts what Python assigns to one variable, as long as the variable lives."""

    def __init__(self, variable: Any) -> None:
        self.count = 0
        for name in ("assign", "assign_add", "assign_sub"):
            if hasattr(variable, name):
                setattr(variable, name, self._counted(getattr(variable, name)))
        setattr(variable, _MARK, self)

    def _counted(self, assign: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(assign)
        def counted(*args: Any, **kwargs: Any) -> Any:
            result = assign(*args, **kwargs)
            self.count += 1
            return result

        return counted


class _Variable:
    def __init__(self, variable: Any) -> None:
        self._assignments = getattr(variable, _MARK, None) or _Assignments(variable)
        self._read = _reader(variable)
        self._seen = -1
        self._value: Optional[float] = None
        self._look_at = 0.0
        self._changes_by_itself = False

    def capture(self) -> Any:
        if self._changes_by_itself:
            return self._read()
        now = time.perf_counter()
        if self._seen != self._assignments.count or now >= self._look_at:
            self._look(now)
        return self._value

    def _look(self, now: float) -> None:
        value, count = float(self._read()), self._assignments.count
        unexplained = self._seen == count and value != self._value
        self._changes_by_itself = unexplained
        self._seen, self._value, self._look_at = count, value, now + LOOK


def _reader(variable: Any) -> Callable[[], Any]:
    """Gives a tensor that stays as it is, by one eager operation where the kind of variable allows it:
    variable.numpy() takes five times as long, and waits for a GPU."""
    inner = getattr(variable, "value", None)  # Keras 3 wraps TensorFlow's variable
    if inner is not None and not callable(inner) and hasattr(inner, "handle"):
        variable = inner
    try:
        import tensorflow as tf

        handle, dtype, read = variable.handle, variable.dtype, tf.raw_ops.ReadVariableOp
        read(resource=handle, dtype=dtype)
    except Exception:  # noqa: BLE001  a variable of another kind (mirrored, another backend)
        return lambda: float(variable)
    return lambda: read(resource=handle, dtype=dtype)
