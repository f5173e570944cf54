"""The journals of a run: append-only files of numbered lines, one writer, many readers.

``events.ndjson`` holds Records, ``log.ndjson`` LogRecords. A line is written by one ``write`` and never
changed. A supervisor may be killed at any byte: a torn last line is cut off when the journal is opened
again, and nobody was told of it before it was whole.
"""

from __future__ import annotations

import abc
import collections
import dataclasses
import errno
import os
import re
import sys
import threading
import time as clock
import traceback
from pathlib import Path
from typing import (
    Any,
    Callable,
    Deque,
    Dict,
    Generic,
    Iterator,
    List,
    Optional,
    Pattern,
    Tuple,
    TypeVar,
    Union,
)

from .eventcodec import log_from_wire, log_to_wire, record_from_wire, record_to_wire
from .events import Event, LogRecord, Record
from .numbered import read, recover
from .protocol import encode

MAX_WAITING = 10000
"""Records kept in memory while the disk is full; beyond that the oldest of them are given up."""
MAX_WAITING_BYTES = 64 << 20
"""Of their lines: one may have a megabyte."""
RETRY = 1.0
"""Seconds until a write that failed is tried again."""

R = TypeVar("R")


class JournalFull(OSError):
    """The record was not taken: the file cannot be written. Its sender has to keep it."""


@dataclasses.dataclass(frozen=True)
class Trouble:
    """The journal stopped (``full``) or began again to reach the disk, having lost ``given_up`` records."""

    full: bool
    text: str
    given_up: int = 0


class Subscription:
    """``last``: the highest number that was on disk at the beginning; every later one is called back."""

    def __init__(self, last: int, cancel: Callable[[], None]) -> None:
        self.last = last
        self.cancel = cancel


class LineJournal(abc.ABC, Generic[R]):
    """Thread-safe. Records are told to subscribers once they are on disk, in order, by the appending thread.

    Lines are recognised by :attr:`LINE`: a line's number, then (where there are such) its worker and n.
    """

    LINE: Pattern[bytes]

    def __init__(self, path: Path, on_trouble: Optional[Callable[[Trouble], None]] = None) -> None:
        """Raises OSError when the file cannot be opened for writing."""
        self.path = Path(path)
        self._on_trouble = on_trouble
        self._lock = threading.RLock()
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        self._file = os.open(str(self.path), flags, 0o644)
        found = recover(self._file, self.LINE)
        self._last, self._size, self._last_n = found.last, found.size, found.last_n
        self.skipped = found.skipped
        """Lines in the middle of the file that are not records."""
        self._torn = False
        self._full = ""
        self._retry_at = 0.0
        self._given_up = 0
        self._held = 0
        self._waiting: Deque[Tuple[int, R, bytes]] = collections.deque()
        self._news: Deque[Union[Trouble, Tuple[int, R]]] = collections.deque()
        self._announcing = False
        self._announced = found.last
        self._subscribers: List[Callable[[R], None]] = []

    @staticmethod
    @abc.abstractmethod
    def to_wire(record: R) -> Dict[str, Any]: ...

    @staticmethod
    @abc.abstractmethod
    def from_wire(wire: Dict[str, Any]) -> R: ...

    @property
    def last(self) -> int:
        """The highest number given out, 0 for an empty journal."""
        return self._last

    @property
    def full(self) -> bool:
        return bool(self._full)

    def read(self, after: int) -> Iterator[R]:
        """The records on disk above number ``after``; lines that are none are passed over."""
        return read(self.path, after, self.LINE, self.from_wire)

    def subscribe(self, callback: Callable[[R], None]) -> Subscription:
        """``callback`` is called with every new record, by whichever thread appends: it must be quick."""
        with self._lock:
            self._subscribers.append(callback)
            return Subscription(self._announced, lambda: self._unsubscribe(callback))

    def retry(self) -> bool:
        """Writes what could not be written before, at most once a second. True when nothing waits."""
        with self._lock:
            try:
                return self._write_waiting()
            finally:
                self._announce()

    def close(self) -> None:
        with self._lock:
            if self._file >= 0:
                self._retry_at = 0.0
                self.retry()
                os.close(self._file)
                self._file = -1

    def _put(self, record: R, keep: bool) -> None:
        """Under the lock, with a record of number ``last + 1``. Raises ProtocolError, JournalFull."""
        if self._file < 0:
            raise JournalFull(errno.EBADF, "%s is closed" % self.path)
        line = encode(self.to_wire(record))
        written = self._write_waiting() and self._write(line)
        if not written and not keep:
            raise JournalFull(errno.ENOSPC, self._full)
        self._last += 1
        if written:
            self._news.append((self._last, record))
        else:
            self._hold(record, line)

    def _hold(self, record: R, line: bytes) -> None:
        self._waiting.append((self._last, record, line))
        self._held += len(line)
        while len(self._waiting) > MAX_WAITING or self._held > MAX_WAITING_BYTES:
            self._held -= len(self._waiting.popleft()[2])
            self._given_up += 1

    def _write_waiting(self) -> bool:
        while self._waiting:
            number, record, line = self._waiting[0]
            if not self._write(line):
                return False
            self._waiting.popleft()
            self._held -= len(line)
            self._news.append((number, record))
        return True

    def _write(self, line: bytes) -> bool:
        if self._full and clock.monotonic() < self._retry_at:
            return False
        data = b"\n" + line if self._torn else line
        try:
            written = os.write(self._file, data)
            if written < len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            self._failed(error)
            return False
        self._size += len(data)
        self._torn = False
        self._worked()
        return True

    def _failed(self, error: OSError) -> None:
        try:
            os.ftruncate(self._file, self._size)
        except OSError:
            self._torn = (
                True  # the next line then begins with a newline, and the torn one is skipped
            )
            self._size = os.fstat(self._file).st_size
        self._retry_at = clock.monotonic() + RETRY
        first = not self._full
        self._full = "%s cannot be written: %s" % (self.path, error.strerror or error)
        if first:
            self._news.append(Trouble(True, self._full + ". Free some space on that disk."))

    def _worked(self) -> None:
        if self._full:
            given_up, self._given_up, self._full = self._given_up, 0, ""
            text = "%s is being written again." % self.path
            self._news.append(Trouble(False, text, given_up))

    def _unsubscribe(self, callback: Callable[[R], None]) -> None:
        with self._lock:
            if callback in self._subscribers:
                self._subscribers.remove(callback)

    def _announce(self) -> None:
        """At the end of a call. Who is called back may append in turn: others still get all in order."""
        if self._announcing:
            return
        self._announcing = True
        try:
            while self._news:
                self._announce_one(self._news.popleft())
        finally:
            self._announcing = False

    def _announce_one(self, news: Union[Trouble, Tuple[int, R]]) -> None:
        if isinstance(news, Trouble):
            if self._on_trouble is not None:
                self._on_trouble(news)
            return
        self._announced, record = news
        for callback in list(self._subscribers):
            self._call(callback, record)

    def _call(self, callback: Callable[[R], None], record: R) -> None:
        try:
            callback(record)
        except Exception:  # noqa: BLE001  a reader's mistake must not end the writer
            traceback.print_exc(file=sys.stderr)
            self._unsubscribe(callback)


class Journal(LineJournal[Record]):
    LINE = re.compile(
        rb'^\{"seq":(\d{1,18}),"time":[^\n]*\}(?:,"worker":"([^"\n]+)","n":(\d{1,18}))?\}$', re.M
    )
    to_wire = staticmethod(record_to_wire)
    from_wire = staticmethod(record_from_wire)

    @classmethod
    def open(cls, path: Path, on_trouble: Optional[Callable[[Trouble], None]] = None) -> "Journal":
        return cls(path, on_trouble)

    def last_of(self, worker: str) -> int:
        """The highest number under which ``worker``'s events are in the journal, 0 for none."""
        return self._last_n.get(worker, 0)

    def append(
        self, event: Event, worker: str = "", n: int = 0, time: Optional[float] = None
    ) -> Record:
        """Raises ProtocolError when the event makes too long a line.

        While the disk is full, the supervisor's own events wait in memory (the Record is not on disk then),
        but one that a worker sent raises JournalFull: the worker still has it, and sends it again.
        """
        with self._lock:
            at = clock.time() if time is None else time
            record = Record(self._last + 1, at, event, worker, n)
            try:
                self._put(record, keep=not worker)
                if worker:
                    self._last_n[worker] = max(n, self.last_of(worker))
                return record
            finally:
                self._announce()


class LogJournal(LineJournal[LogRecord]):
    LINE = re.compile(rb'^\{"log":(\d{1,18}),"time":[^\n]*()()\}$', re.M)
    to_wire = staticmethod(log_to_wire)
    from_wire = staticmethod(log_from_wire)

    @classmethod
    def open(
        cls, path: Path, on_trouble: Optional[Callable[[Trouble], None]] = None
    ) -> "LogJournal":
        return cls(path, on_trouble)

    def append(
        self,
        host: str,
        slot: int,
        rank: int,
        stream: str,
        text: str,
        worker: str = "",
        time: Optional[float] = None,
    ) -> LogRecord:
        """While the disk is full, lines wait in memory. Raises ProtocolError when ``text`` is too long."""
        with self._lock:
            at = clock.time() if time is None else time
            record = LogRecord(self._last + 1, at, host, slot, rank, stream, text, worker)
            try:
                self._put(record, keep=True)
                return record
            finally:
                self._announce()


def read_records(path: Path, after: int = 0) -> Iterator[Record]:
    """The same as Journal.read, without being the journal's owner."""
    return read(path, after, Journal.LINE, record_from_wire)


def read_log(path: Path, after: int = 0) -> Iterator[LogRecord]:
    return read(path, after, LogJournal.LINE, log_from_wire)
