"""Files of numbered lines of JSON: to find a number, and to recover after a torn write, without parsing.

A line is recognised by a pattern of its bytes: group 1 is its number; groups 2 and 3, where they match, are
the worker that sent it and that worker's own number. Numbers rise from line to line.
"""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Any, BinaryIO, Callable, Dict, Iterator, Optional, Pattern, Tuple, TypeVar

from .protocol import MAX_LINE, ProtocolError, decode

CHUNK = 4 << 20
NEAR = 256 << 10
"""Bytes that are searched line by line, once halving has come this close."""

R = TypeVar("R")


@dataclasses.dataclass
class Found:
    """What a file held when it was opened. ``skipped``: whole lines that are none of its own."""

    last: int = 0
    size: int = 0
    skipped: int = 0
    last_n: Dict[str, int] = dataclasses.field(default_factory=dict)


def read(
    path: Path, after: int, line: Pattern[bytes], from_wire: Callable[[Dict[str, Any]], R]
) -> Iterator[R]:
    """What is in the file when the first record is asked for. Raises OSError.

    A last line that is not whole yet is left alone.
    """
    with Path(path).open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(_near(file, after, end, line))
        for text in _whole_lines(file, end):
            match = line.match(text[:-1])
            if match is None or int(match.group(1)) <= after:
                continue
            record = _record(text, from_wire)
            if record is not None:
                yield record


def _record(text: bytes, from_wire: Callable[[Dict[str, Any]], R]) -> Optional[R]:
    try:
        return from_wire(decode(text))
    except ProtocolError:
        return None


def _whole_lines(file: BinaryIO, end: int) -> Iterator[bytes]:
    """Those that begin before the byte ``end``."""
    at = file.tell()
    while at < end:
        text = file.readline(MAX_LINE)
        if not text:
            return
        at += len(text)
        if text.endswith(b"\n"):
            yield text
        elif len(text) < MAX_LINE:
            return


def _near(file: BinaryIO, after: int, end: int, line: Pattern[bytes]) -> int:
    """A line's beginning from which number ``after + 1`` is still ahead, and not far."""
    low, high = 0, end
    while high - low > NEAR:
        middle = (low + high) // 2
        start, number = _first_after(file, middle, high, line)
        if number is not None and number <= after:
            low = start
        else:
            high = middle
    return low


def _first_after(
    file: BinaryIO, offset: int, end: int, line: Pattern[bytes]
) -> Tuple[int, Optional[int]]:
    """Where the first record that begins behind ``offset`` begins, and its number."""
    file.seek(offset)
    file.readline()
    start = file.tell()
    for text in _whole_lines(file, end):
        match = line.match(text[:-1])
        if match is not None:
            return start, int(match.group(1))
        start += len(text)
    return start, None


def recover(file: int, line: Pattern[bytes]) -> Found:
    """Cuts a torn last line off, and finds the last numbers without reading the JSON of each line."""
    found = Found(size=_end_of_last_line(file))
    if os.fstat(file).st_size > found.size:
        os.ftruncate(file, found.size)
    offset, rest = 0, b""
    while offset < found.size:
        data = os.pread(file, CHUNK, offset)
        if not data:
            break
        offset += len(data)
        cut = data.rfind(b"\n") + 1
        if cut:
            _scan(rest + data[:cut], line, found)
            rest = data[cut:]
        elif len(rest) <= MAX_LINE:
            rest += data
    return found


def _scan(data: bytes, line: Pattern[bytes], found: Found) -> None:
    matches = line.findall(data)
    found.skipped += data.count(b"\n") - len(matches)
    if not matches:
        return
    found.last = max(found.last, int(matches[-1][0]))
    for worker, n in {match[1]: match[2] for match in matches}.items():
        if worker:
            name = worker.decode("utf-8", "replace")
            found.last_n[name] = max(found.last_n.get(name, 0), int(n))


def _end_of_last_line(file: int) -> int:
    end = os.fstat(file).st_size
    while end > 0:
        start = max(0, end - (64 << 10))
        newline = os.pread(file, end - start, start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0
