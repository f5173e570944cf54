"""The whole lines that another process adds to a file, from any byte on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import List

MAX_LINE = 64 << 10
"""Bytes of a line that are kept; the rest of it is cut off, and :data:`CUT` says so."""
MAX_READ = 4 << 20
"""Bytes taken at one :meth:`Tail.read`; what is left comes with the next one."""
CUT = " [line cut]"


class Tail:
    """``offset``: where to go on, in bytes. Not thread-safe. A file that is not there is an empty one.

    A file that became shorter was begun anew, and is read from its beginning.
    """

    def __init__(self, path: Path, offset: int = 0) -> None:
        self.path = Path(path)
        self._offset = offset
        self._rest = bytearray()
        self._skipped = 0

    @property
    def offset(self) -> int:
        """The end of the last whole line that was read: another Tail may go on from there."""
        return self._offset

    def read(self) -> List[str]:
        """New whole lines, without their ends. Raises OSError, but not for a file that is not there."""
        data = self._new_bytes()
        *lines, rest = data.split(b"\n")
        if lines:
            found = [self._whole(lines[0]), *(_text(line, len(line)) for line in lines[1:])]
            self._offset += sum(len(line) + 1 for line in lines) + self._held
            self._rest, self._skipped = bytearray(), 0
        else:
            found = []
        self._keep(rest)
        return found

    def flush(self) -> List[str]:
        """The last line of a file that will not grow any more, if no newline ends it."""
        if not self._held:
            return []
        text = self._whole(b"")
        self._offset += self._held
        self._rest, self._skipped = bytearray(), 0
        return [text]

    @property
    def _held(self) -> int:
        return len(self._rest) + self._skipped

    def _keep(self, rest: bytes) -> None:
        """Keeps one byte more than a line may have, and counts the others."""
        kept = rest[: max(0, MAX_LINE + 1 - len(self._rest))]
        self._rest += kept
        self._skipped += len(rest) - len(kept)

    def _whole(self, line: bytes) -> str:
        return _text(bytes(self._rest) + line, self._held + len(line))

    def _new_bytes(self) -> bytes:
        try:
            with self.path.open("rb") as file:
                if os.fstat(file.fileno()).st_size < self._offset + self._held:
                    self._offset, self._skipped = 0, 0
                    self._rest = bytearray()
                file.seek(self._offset + self._held)
                return file.read(MAX_READ)
        except FileNotFoundError:
            return b""


def _text(line: bytes, length: int) -> str:
    if length > MAX_LINE:
        return line[:MAX_LINE].decode("utf-8", "replace") + CUT
    return (
        line[:-1].decode("utf-8", "replace")
        if line[-1:] == b"\r"
        else line.decode("utf-8", "replace")
    )
