"""``import maypole; maypole.log(step=..., loss=..., lr=...)``: for training loops without model.fit.

Outside a run, in processes that the script starts, and on every rank but 0, it does nothing.
"""

from __future__ import annotations

import functools
import math
import os
import time
from typing import Any, Dict, Optional

from .events import Batch
from .work.commits import serve_alone
from .work.monitor import numbers
from .work.session import Session, current

_MOST = 1 << 53
"""Whole numbers up to here are exact in a curve."""


def log(
    step: Optional[int] = None,
    *,
    epoch: float = 0.0,
    lr: Any = None,
    samples: int = -1,
    **metrics: Any,
) -> None:
    """One point of every curve. ``step``: optimizer steps done (default: one more than last time);
    ``epoch``: epochs done, may be fractional; ``samples``: global samples seen. A value may be a number, a
    tensor or array of one, or None for "not this time". What is no number is left out, and told once.
    Raises nothing for any value, except to stop the script when a stop was asked for."""
    session = current()
    if session is None or session.pid != os.getpid():
        return
    try:
        _log(session, step, epoch, lr, samples, metrics)
    except Exception as error:  # noqa: BLE001  the monitor never fails a training
        session.complain("maypole.log failed, the training goes on", error)
    if session.wishes.any and session.world.size == 1 and not session.fitting:
        serve_alone(session)


def _log(
    session: Session, step: Any, epoch: Any, lr: Any, samples: Any, metrics: Dict[str, Any]
) -> None:
    now = time.perf_counter()
    session.ledger.step = _whole(session, "step", step, session.ledger.step + 1)
    seconds, session.logged_at = now - (session.logged_at or now), now
    kept = {name: _kept(session, name, value) for name, value in metrics.items()}
    session.metrics = {name: value for name, value in kept.items() if value is not None}
    rank, size = session.world.place
    if rank == 0:
        session.link.send(
            functools.partial(
                _event, session.worker, time.time(), session.ledger.step,
                _finite(session, "epoch", epoch, 0.0), size, session.metrics,
                _kept(session, "lr", lr), _whole(session, "samples", samples, -1), seconds,
            )
        )  # fmt: skip


def _whole(session: Session, name: str, value: Any, default: int) -> int:
    found = _finite(session, name, value, default)
    if abs(found) > _MOST:
        _leave_out(session, name, value, ValueError("it is too large"))
        return default
    return int(found)


def _finite(session: Session, name: str, value: Any, default: float) -> float:
    """Where a point lies: a NaN is no place."""
    kept = _kept(session, name, value)
    if kept is None:
        return default
    found = float(kept)
    if not math.isfinite(found):
        _leave_out(session, name, value, ValueError("it is not finite"))
        return default
    return found


def _kept(session: Session, name: str, value: Any) -> Any:
    """A float, or an eager tensor that the link's thread converts; None when it is neither."""
    if value is None or type(value) is float:
        return value
    try:
        return value if _is_plain_tensor(value) else _number(value)
    except Exception as error:  # noqa: BLE001  whatever a script's own class does
        _leave_out(session, name, value, error)
        return None


def _is_plain_tensor(value: Any) -> bool:
    """Reading it would wait for the GPU."""
    if type(value).__name__ != "EagerTensor" or len(value.shape):
        return False
    return bool(value.dtype.is_floating or value.dtype.is_integer)


def _number(value: Any) -> float:
    if len(getattr(value, "shape", None) or ()):
        value = value.item() if hasattr(value, "item") else value.numpy().item()
    return float(value)


def _leave_out(session: Session, name: str, value: Any, error: Exception) -> None:
    what = "maypole.log leaves %s out: one number is needed" % name
    session.complain(what, ValueError("not %.80r (%s)" % (value, error)))


def _event(
    worker: str, wall: float, step: int, epoch: float, size: int, metrics: Dict[str, Any], lr: Any,
    samples: int, seconds: float,
) -> Batch:  # fmt: skip
    rate = None if lr is None else float(lr)
    return Batch(worker, wall, step, epoch, size, numbers(metrics), rate, samples, seconds)
