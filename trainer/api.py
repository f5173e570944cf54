"""``import maypole; maypole.log(step=..., loss=..., lr=...)``: for training loops without model.fit.

Outside a run, and on every rank but 0, it does nothing.
"""

from __future__ import annotations

import functools
import time
from typing import Any, Dict, Optional

from .events import Batch
from .work.commits import serve_alone
from .work.monitor import numbers
from .work.session import Session, current


def log(
    step: Optional[int] = None,
    *,
    epoch: float = 0.0,
    lr: Any = None,
    samples: int = -1,
    **metrics: Any,
) -> None:
    """One point of every curve. ``step``: optimizer steps done (default: one more than last time);
    ``epoch``: epochs done, may be fractional; ``samples``: global samples seen. A value may be a number or a
    tensor of one. Never raises, except to stop the script when a stop was asked for."""
    session = current()
    if session is None:
        return
    try:
        _log(session, step, epoch, lr, samples, metrics)
    except Exception as error:  # noqa: BLE001  the monitor never fails a training
        session.complain("maypole.log failed, the training goes on", error)
    if session.wishes.any and session.world.size == 1 and not session.fitting:
        serve_alone(session)


def _log(
    session: Session,
    step: Optional[int],
    epoch: float,
    lr: Any,
    samples: int,
    metrics: Dict[str, Any],
) -> None:
    now = time.perf_counter()
    session.ledger.step = session.ledger.step + 1 if step is None else int(step)
    seconds, session.logged_at = now - (session.logged_at or now), now
    session.metrics = metrics
    rank, size = session.world.place
    if rank == 0:
        session.link.send(
            functools.partial(
                _event, session.worker, time.time(), session.ledger.step, float(epoch), size,
                {name: _kept(value) for name, value in metrics.items()}, _kept(lr), int(samples), seconds,
            )
        )  # fmt: skip


def _kept(value: Any) -> Any:
    """A value that nobody changes until the link's thread converts it: numbers and eager tensors stay."""
    if value is None or isinstance(value, (int, float)) or type(value).__name__ == "EagerTensor":
        return value
    return float(value)


def _event(
    worker: str, wall: float, step: int, epoch: float, size: int, metrics: Dict[str, Any], lr: Any,
    samples: int, seconds: float,
) -> Batch:  # fmt: skip
    rate = None if lr is None else float(lr)
    return Batch(worker, wall, step, epoch, size, numbers(metrics), rate, samples, seconds)
