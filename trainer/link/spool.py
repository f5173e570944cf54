"""What a worker could not get acknowledged, in a bounded file that outlives it.

``spool/<worker>.ndjson`` holds the lines of the wire, ``{"n": ..., "event": ...}``, numbers rising, each
behind its CRC-32 (eight digits and a space): a worker may be killed at any byte of a line that it moves. The
file appears with the first event that has to wait and goes when the last one is acknowledged. If a
worker ends before that, the supervisor takes the file in by itself: :func:`pending`.
"""

from __future__ import annotations

import os
import re
import zlib
from pathlib import Path
from typing import BinaryIO, Iterator, List, Optional, Tuple

from ..eventcodec import event_from_wire
from ..events import Event, WorkerLost
from ..protocol import MAX_LINE, ProtocolError, decode
from ..rundir import RunDir
from .handshake import check_worker

LIMIT = 64 << 20
KEEP = 0.75
"""Part of the limit that stays when the oldest are given up, so that a byte is moved only a few times."""
PART = 256 << 10
"""Bytes written at once. Every part's beginning is remembered, to find a number without a long search."""
_SUFFIX = ".ndjson"
_HEAD = re.compile(rb'\A\{"n":([0-9]{1,18}),')
_CHECK = len(b"01234567 ")

Line = Tuple[int, bytes]
"""An event's number and its line, newline included."""


def path_of(home: Path, worker: str) -> Path:
    """Raises ProtocolError when ``worker`` could not be the name of a file."""
    return RunDir(home).spool / (check_worker(worker) + _SUFFIX)


def worker_of(path: Path) -> str:
    """Raises ProtocolError when ``path`` is not called like a spool file."""
    if path.suffix != _SUFFIX:
        raise ProtocolError("%s is not a spool file" % path)
    return check_worker(path.name[: -len(_SUFFIX)])


def number_of(line: bytes) -> int:
    """0 for what is not a line of the spool."""
    match = _HEAD.match(line)
    return int(match.group(1)) if match else 0


def read(path: Path) -> Iterator[Tuple[str, int, Event]]:
    """(worker, n, event) of a worker that has ended. A torn or unreadable line is passed over.

    Raises OSError; ProtocolError when the file's name is not a worker's.
    """
    worker = worker_of(path)
    with path.open("rb") as file:
        for n, line in _lines(file):
            event = _event_of(line)
            if event is not None:
                yield worker, n, event


def pending(path: Path, last: int) -> Iterator[Tuple[str, int, Event]]:
    """What of a spool file the journal lacks, ``last`` being the highest number that it holds.

    Numbers that are nowhere any more are told as one WorkerLost, under the highest of them.
    """
    for worker, n, event in read(path):
        if n > last + 1:
            yield worker, n - 1, WorkerLost(worker, n - 1 - last)
        if n > last:
            yield worker, n, event
            last = n


def _lines(file: BinaryIO) -> Iterator[Line]:
    while True:
        stored = file.readline(MAX_LINE)
        if not stored:
            return
        line = stored[_CHECK:]
        n = number_of(line)
        if n and stored == _stored(line):
            yield n, line


def _event_of(line: bytes) -> Optional[Event]:
    try:
        return event_from_wire(decode(line).get("event"))
    except ProtocolError:
        return None


class Spool:
    """The worker's end of the file. Not thread-safe: it belongs to the link's thread.

    Methods may raise OSError; what the file held before is then still there. ``first`` and ``last``
    are the lowest number that is not acknowledged and the highest one, 0 while there is no file.
    """

    def __init__(self, path: Path, limit: int = LIMIT) -> None:
        self.path = path
        self.limit = limit
        self._file = -1
        self._forget()

    def _forget(self) -> None:
        self.first = self.last = 0
        self._size = 0
        self._marks: List[Tuple[int, int]] = []
        self._cursor = (0, 0)

    @property
    def empty(self) -> bool:
        return self.last == 0

    def append(self, lines: List[Line]) -> int:
        """Writes ``lines`` behind the others; returns how many of the oldest it gave up for them."""
        given_up = 0
        for part in _parts(lines, min(PART, self.limit // 8)):
            size = sum(len(line) + _CHECK for _, line in part)
            if self._size + size > self.limit:
                given_up += self._drop_oldest(size)
            self._write(part)
        return given_up

    def read_after(self, n: int, size: int) -> List[Line]:
        """The lines above number ``n``, about ``size`` bytes of them but at least one if there is one."""
        offset = self._cursor[1] if self._cursor[0] == n else self._mark_before(n)[1]
        found: List[Line] = []
        while not found and offset < self._size:
            data = os.pread(self._file, min(max(size, 1), self._size - offset), offset)
            whole = data[: data.rfind(b"\n") + 1]
            if not data:
                raise OSError("%s is shorter than what was written to it" % self.path)
            found = [line for line in _numbered(whole) if line[0] > n]
            offset += len(whole)
            size = size * 2 if not whole else size
        if found:
            self._cursor = (found[-1][0], offset)
        return found

    def acknowledge(self, n: int) -> None:
        if n >= self.last:
            self.remove()
        elif n >= self.first:
            self.first = n + 1

    def remove(self) -> None:
        if self._file >= 0:
            self.close()
            if self.path.exists():
                self.path.unlink()

    def close(self) -> None:
        """Leaves the file where it is."""
        if self._file >= 0:
            os.close(self._file)
        self._file = -1
        self._forget()

    def _write(self, lines: List[Line]) -> None:
        if self._file < 0:
            self._file = _create(self.path)
        data = b"".join(_stored(line) for _, line in lines)
        written = 0
        try:
            while written < len(data):
                written += os.pwrite(self._file, data[written:], self._size + written)
        except OSError:
            os.ftruncate(self._file, self._size)
            raise
        self._marks.append((lines[0][0], self._size))
        self.first = self.first or lines[0][0]
        self.last = lines[-1][0]
        self._size += len(data)

    def _mark_before(self, n: int) -> Tuple[int, int]:
        """Of the remembered beginnings the last one from which ``n + 1`` is still ahead."""
        low, high = 0, len(self._marks)
        while low + 1 < high:
            middle = (low + high) // 2
            low, high = (middle, high) if self._marks[middle][0] <= n + 1 else (low, middle)
        return self._marks[low] if self._marks else (0, 0)

    def _drop_oldest(self, needed: int) -> int:
        """Moves the newest to the file's beginning; returns how many unacknowledged ones went."""
        room = max(0, int(self.limit * KEEP) - needed)
        offset = max(self._size - room, self._mark_before(self.first - 1)[1])
        kept = [mark for mark in self._marks if mark[1] >= offset]
        first, offset = kept[0] if kept else (self.last + 1, self._size)
        self._move_to_start(offset)
        self._marks = [(n, at - offset) for n, at in kept]
        self._size -= offset
        self._cursor = (0, 0)
        given_up = max(0, first - self.first)
        self.first = max(self.first, first)
        return given_up

    def _move_to_start(self, offset: int) -> None:
        """In place: the disk may be full. Ended half-way, the file holds some lines twice, which
        :func:`pending` passes over, and the last line moved is torn there but whole further on."""
        moved = 0
        while offset + moved < self._size:
            data = os.pread(self._file, min(1 << 20, self._size - offset - moved), offset + moved)
            if not data:
                break
            moved += os.pwrite(self._file, data, moved)
        os.ftruncate(self._file, moved)


def _create(path: Path) -> int:
    path.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    return os.open(str(path), flags, 0o600)


def _stored(line: bytes) -> bytes:
    return b"%08x %s" % (zlib.crc32(line), line)


def _numbered(data: bytes) -> List[Line]:
    lines = [stored[_CHECK:] + b"\n" for stored in data.split(b"\n")[:-1]]
    return [(number_of(line), line) for line in lines]


def _parts(lines: List[Line], size: int) -> Iterator[List[Line]]:
    part: List[Line] = []
    held = 0
    for n, line in lines:
        if part and held + len(line) > size:
            yield part
            part, held = [], 0
        part.append((n, line))
        held += len(line)
    if part:
        yield part
