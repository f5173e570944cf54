"""``maypole.log`` as a script calls it. With tensors: tests/integration/test_work_monitor.py."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from helpers.keptlink import KeptLink, linked_session

from trainer.api import log
from trainer.events import Batch
from trainer.work.session import Session, set_current


@pytest.fixture
def run() -> Iterator[tuple[Session, KeptLink]]:
    session, link = linked_session()
    set_current(session)
    yield session, link
    set_current(None)


def only(link: KeptLink) -> Batch:
    (event,) = link.events
    assert isinstance(event, Batch)
    return event


def test_that_numbers_of_every_kind_make_a_point(run: tuple[Session, KeptLink]) -> None:
    log(
        np.int64(7), epoch=np.float32(0.5), lr=np.array([0.25]), samples=64,
        loss=np.float32(2), accuracy=True, one=np.array([[3.0]]), gone=float("nan"),
    )  # fmt: skip
    point = only(run[1])
    assert (point.step, point.epoch, point.lr, point.samples) == (7, 0.5, 0.25, 64)
    assert math.isnan(point.metrics.pop("gone"))
    assert point.metrics == {"loss": 2.0, "accuracy": 1.0, "one": 3.0}


def test_that_none_means_not_this_time(
    run: tuple[Session, KeptLink], capsys: pytest.CaptureFixture[str]
) -> None:
    log(None, epoch=None, lr=None, samples=None, loss=1.0, val_loss=None)  # type: ignore[arg-type]
    point = only(run[1])
    assert (point.step, point.epoch, point.lr, point.samples) == (1, 0.0, None, -1)
    assert point.metrics == {"loss": 1.0}
    assert capsys.readouterr().err == ""


class Broken:
    def __float__(self) -> float:
        raise RuntimeError("of the script")


@pytest.mark.parametrize(
    "value", [[1.0, 2.0], np.zeros(3), "high", {"a": 1}, 1j, 10**400, Broken(), print]
)
def test_that_what_is_no_number_is_left_out_and_told_once_by_name(
    run: tuple[Session, KeptLink], capsys: pytest.CaptureFixture[str], value: Any
) -> None:
    for _ in range(2):
        log(loss=0.5, noise=value)
    assert [event.metrics for event in run[1].events if isinstance(event, Batch)] == [
        {"loss": 0.5}
    ] * 2
    (told,) = capsys.readouterr().err.splitlines()
    assert told.startswith("maypole: maypole.log leaves noise out: one number is needed")
    assert len(told) < 400


@pytest.mark.parametrize(
    "wrong",
    [{"step": {"loss": 1}}, {"step": math.inf}, {"step": 1 << 60}, {"epoch": math.nan},
     {"samples": "many"}],
)  # fmt: skip
def test_that_a_wrong_place_counts_as_not_given(
    run: tuple[Session, KeptLink], capsys: pytest.CaptureFixture[str], wrong: dict[str, Any]
) -> None:
    log(4, loss=1.0)
    log(**wrong, loss=2.0)
    point = run[1].events[-1]
    assert isinstance(point, Batch)
    assert point.metrics == {"loss": 2.0}
    assert (point.step, point.epoch, point.samples) == (5, 0.0, -1)
    assert f"leaves {next(iter(wrong))} out" in capsys.readouterr().err


def test_that_a_child_that_the_script_forked_says_nothing(run: tuple[Session, KeptLink]) -> None:
    session, link = run
    session.pid = os.getpid() + 1
    session.wishes.on_command({"type": "stop"})
    log(1, loss=1.0)
    assert link.made == [] and session.ledger.step == 0


def test_that_every_rank_counts_and_only_rank_0_tells(run: tuple[Session, KeptLink]) -> None:
    session, link = run
    session.world.initialised(1, 2)
    log(loss=1.0)
    assert link.made == [] and session.ledger.step == 1
