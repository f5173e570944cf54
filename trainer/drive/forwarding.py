"""Carries a process's output to where it is wanted, line by line, whatever comes.

A reader that stops reading stops the worker, so nothing here may end early: what cannot be written
(a full disk) is dropped.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import sys
import threading
import time
from typing import IO, Any, Callable, Iterator, List, Sequence, Tuple

from .lines import LineAssembler

Sink = Callable[[str], None]
"""Takes one line without its end."""

_CHUNK = 64 * 1024
_TICK = 0.25
_LAST_WORDS = 2.0
"""Seconds that a pipe held open by a stranger (a daemon that left the group) is still read."""


class Forwarder:
    """One thread for both pipes of one process."""

    def __init__(self, pipes: Sequence[Tuple[IO[bytes], Sink]]) -> None:
        self._pipes = pipes
        self._deadline = float("inf")
        self._thread = threading.Thread(target=self._run, name="output", daemon=True)
        self._thread.start()

    def finish(self) -> None:
        """The process is gone: reads what is left, and returns."""
        self._deadline = time.monotonic() + _LAST_WORDS
        self._thread.join()

    def _run(self) -> None:
        with selectors.DefaultSelector() as selector, contextlib.ExitStack() as stack:
            for pipe, sink in self._pipes:
                stack.enter_context(pipe)
                selector.register(pipe, selectors.EVENT_READ, (LineAssembler(), sink))
            while selector.get_map() and time.monotonic() < self._deadline:
                for key, _ in selector.select(_TICK):
                    self._read(selector, key)
                self._flush_idle(selector)
            for key in list(selector.get_map().values()):
                _send(key.data[0].end(), key.data[1])

    def _read(self, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
        assembler, sink = key.data
        data = os.read(key.fd, _CHUNK)
        if data:
            _send(assembler.feed(data, time.monotonic()), sink)
        else:
            _send(assembler.end(), sink)
            selector.unregister(key.fileobj)

    def _flush_idle(self, selector: selectors.BaseSelector) -> None:
        for key in selector.get_map().values():
            _send(key.data[0].idle(time.monotonic()), key.data[1])


def _send(lines: List[str], sink: Sink) -> None:
    for line in lines:
        with contextlib.suppress(OSError, ValueError):
            sink(line)


class SafeStream:
    """Stands in for sys.stdout and sys.stderr: whole lines from any thread, and never an error.

    Stock prints from a worker's thread (gloo_run.py:181-186): an OSError there would lose the worker's
    exit, and the job would wait for ever.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._lock = threading.RLock()
        self._begun = threading.local()
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(line_buffering=True, errors="backslashreplace")

    def write(self, text: str) -> int:
        """A line's beginning waits for its end, so that lines of two threads are never mixed."""
        whole, end, begun = (getattr(self._begun, "text", "") + text).rpartition("\n")
        self._begun.text = begun
        if end:
            self._put(whole + end)
        return len(text)

    def flush(self) -> None:
        begun, self._begun.text = getattr(self._begun, "text", ""), ""
        self._put(begun)

    def _put(self, text: str) -> None:
        with self._lock, contextlib.suppress(OSError, ValueError):
            if text:
                self._stream.write(text)
            self._stream.flush()

    def writelines(self, lines: Sequence[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextlib.contextmanager
def safe_streams() -> Iterator[None]:
    before = sys.stdout, sys.stderr
    sys.stdout = SafeStream(before[0])
    sys.stderr = SafeStream(before[1])
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stdout, sys.stderr = before


def sink_of(stream: str) -> Sink:
    """Whole lines to what sys.stdout or sys.stderr is by then."""

    def write(text: str) -> None:
        getattr(sys, stream).write(text + "\n")

    return write
