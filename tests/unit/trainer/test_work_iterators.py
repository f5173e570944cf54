"""What becomes of iterators when the undertaker cannot work. With TensorFlow: tests/integration."""

from __future__ import annotations

import gc
import sys
import threading
import time
import types
import weakref

import pytest

from trainer.work import iterators
from trainer.work.iterators import Undertaker


class EagerTensor:
    """Stands in for a resource."""


class OwnedIterator:
    def __init__(self, dataset: object = None) -> None:
        self._iterator_resource = EagerTensor()


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> types.SimpleNamespace:
    ops = types.SimpleNamespace(EagerTensor=EagerTensor)
    monkeypatch.setitem(sys.modules, "tensorflow.python.framework.ops", ops)  # type: ignore[misc]
    return types.SimpleNamespace(OwnedIterator=type("OwnedIterator", (OwnedIterator,), {}))


class NoGrave:
    def __init__(self) -> None:
        raise RuntimeError("another TensorFlow")


def test_that_iterators_die_as_ever_when_their_thread_cannot_work(
    module: types.SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(iterators, "_Grave", NoGrave)
    Undertaker(lambda what, _: told.append(what)).watch_all(module)
    made = [module.OwnedIterator("data") for _ in range(3)]
    resources = [weakref.ref(each._iterator_resource) for each in made]
    deadline = time.monotonic() + 10
    while not told and time.monotonic() < deadline:
        time.sleep(0.01)
    del made
    gc.collect()
    assert [each() for each in resources] == [None] * 3
    assert told == ["iterators are destroyed in the foreground"]


def test_that_another_tensorflow_costs_the_watch_and_no_iterator(
    module: types.SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setitem(sys.modules, "tensorflow.python.framework.ops", None)  # type: ignore[arg-type]
    Undertaker(lambda what, _: told.append(what)).watch_all(module)
    assert module.OwnedIterator("data")._iterator_resource is not None
    assert told


def test_that_threads_may_make_their_first_iterators_at_once(
    module: types.SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Starting takes a while on a busy machine: here every thread is there before it has begun."""
    told: list[BaseException] = []
    started: list[str] = []
    over = threading.Event()
    plain = threading.Thread.start

    def slow_start(self: threading.Thread) -> None:
        if self.name == "iterators":
            started.append(self.name)
            over.wait(0.3)
        plain(self)

    monkeypatch.setattr(threading.Thread, "start", slow_start)

    class Waits(NoGrave):
        def __init__(self) -> None:
            over.wait(10)
            super().__init__()

    monkeypatch.setattr(iterators, "_Grave", Waits)
    Undertaker(lambda _, error: told.append(error)).watch_all(module)
    makers = [threading.Thread(target=module.OwnedIterator, args=("data",)) for _ in range(4)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join()
    assert (told, started) == ([], ["iterators"])
    over.set()
