"""A tf.data iterator that has had its day is destroyed where nobody waits for it.

The last reference to an iterator is dropped when ``model.fit`` returns or is left for a reset. Its destructor
joins the thread that tunes the pipeline, and TensorFlow (2.15 to 2.21) may miss to wake that thread:
CancellationManager::StartCancel (core/framework/cancellation.cc) calls the callbacks first and only then
sets IsCancelled(), which the thread asks for after the callback has woken it (Model::OptimizeLoop,
core/framework/model.cc). When it loses that race it sleeps on, up to a minute, while Python's global lock
is held: the whole worker stands still. Measured on 2 cores: 3 to 7 of 40 iterators, up to 60 s each. In an
elastic job every other worker waits in the rendezvous for that one.

Here the last reference is handed to a thread of TensorFlow's own, which holds no lock of Python.
"""

from __future__ import annotations

import contextlib
import functools
import queue
import sys
import threading
import time
import weakref
from typing import Any, Callable, Optional

from .import_hooks import ImportHooks
from .session import Session

OURS = 2
"""sys.getrefcount() of what only one local name refers to."""
PATIENCE = 1.0
"""Seconds that others get to let go; who keeps the iterator longer will destroy it."""


def install(session: Session, hooks: ImportHooks) -> None:
    undertaker = Undertaker(session.complain)
    hooks.after("tensorflow.python.data.ops.iterator_ops", undertaker.watch_all)


class Undertaker:
    """Never fails what it watches: if it cannot do its work, iterators die as they always did."""

    def __init__(self, complain: Callable[[str, BaseException], None]) -> None:
        self._complain = complain
        self._dead: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: Optional[threading.Thread] = None
        self._broken = False

    def watch_all(self, module: Any) -> None:
        """``module`` is tensorflow.python.data.ops.iterator_ops."""
        plain = module.OwnedIterator.__init__

        @functools.wraps(plain)
        def __init__(iterator: Any, dataset: Any = None, *args: Any, **kwargs: Any) -> None:
            plain(iterator, dataset, *args, **kwargs)
            if dataset is not None:  # else it is a copy that shares another one's resource
                self._watch(iterator)

        module.OwnedIterator.__init__ = __init__

    def _watch(self, iterator: Any) -> None:
        try:
            from tensorflow.python.framework.ops import EagerTensor

            resource = getattr(iterator, "_iterator_resource", None)
            if self._broken or not isinstance(resource, EagerTensor):
                return
            self._start()
            # At exit everything goes at once, and nobody may be woken any more.
            weakref.finalize(iterator, self._bury, resource).atexit = False
        except Exception as error:  # noqa: BLE001  told; the training goes on
            self._give_up(error)

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="iterators", daemon=True)
                self._thread.start()

    def _bury(self, resource: Any) -> None:
        self._dead.put(resource)
        if self._broken:
            self._let_go()

    def _serve(self) -> None:
        try:
            grave = _Grave()
            while True:
                resource = self._dead.get()
                deadline = time.monotonic() + PATIENCE
                while sys.getrefcount(resource) > OURS and time.monotonic() < deadline:
                    time.sleep(0.002)
                grave.lay(resource)
                del resource
                grave.close()
        except Exception as error:  # noqa: BLE001  told
            self._give_up(error)

    def _give_up(self, error: BaseException) -> None:
        self._broken = True
        self._complain("iterators are destroyed in the foreground", error)
        self._let_go()

    def _let_go(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                self._dead.get_nowait()


class _Grave:
    """Two operations in TensorFlow's own thread: one waits, the other refers to the iterator."""

    def __init__(self) -> None:
        import tensorflow
        from tensorflow.python.eager import context, executor

        self._tensorflow, self._context = tensorflow, context
        self._executor = executor.new_executor(enable_async=True)
        with tensorflow.device("CPU:0"):
            self._gate = tensorflow.queue.FIFOQueue(1, [tensorflow.bool], [[]])

    def lay(self, resource: Any) -> None:
        with self._context.executor_scope(self._executor), self._tensorflow.device("CPU:0"):
            self._gate.dequeue()
            self._tensorflow.raw_ops.IteratorToStringHandle(resource_handle=resource)

    def close(self) -> None:
        """Python refers to it no more: what waits goes on, and the last reference is TensorFlow's."""
        self._gate.enqueue(True)
