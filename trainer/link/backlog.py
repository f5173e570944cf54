"""The events of one worker that are not acknowledged: a little in memory, the rest in the spool file."""

from __future__ import annotations

import time
from typing import List

from .spool import KEEP, Line, Spool

MEMORY = 4 << 20
RETRY = 5.0
"""Seconds until a file that could not be written is tried again."""


class Backlog:
    """Not thread-safe: it belongs to the link's thread. The file's numbers are below those in memory.

    ``last`` is the highest number given out. Numbers rise by one; those given up leave a gap.
    """

    def __init__(self, spool: Spool, memory: int = MEMORY) -> None:
        self.last = 0
        self.given_up = 0
        self.trouble = ""
        self._spool = spool
        self._limit = memory
        self._memory: List[Line] = []
        self._held = 0
        self._retry_at = 0.0

    @property
    def empty(self) -> bool:
        return not self._memory and self._spool.empty

    @property
    def first(self) -> int:
        """The lowest number that is not acknowledged (and not given up); ``last + 1`` when empty."""
        if not self._spool.empty:
            return self._spool.first
        return self._memory[0][0] if self._memory else self.last + 1

    @property
    def on_disk(self) -> bool:
        return not self._spool.empty

    def add(self, line: bytes) -> None:
        """``line`` bears the number ``last + 1``."""
        self.last += 1
        self._memory.append((self.last, line))
        self._held += len(line)
        if self._held > self._limit:
            self.spill()
        if self._held > self._limit:
            self._drop_oldest()

    def after(self, n: int, size: int) -> List[Line]:
        """About ``size`` bytes of lines above number ``n``, in order; at least one if there is one.

        Raises OSError when the spool file cannot be read.
        """
        if n < self._spool.last:
            return self._spool.read_after(n, size)
        lines: List[Line] = []
        start = max(0, n + 1 - self._memory[0][0]) if self._memory else 0
        for line in self._memory[start : start + 1 + size // 64]:
            if lines and size <= 0:
                break
            lines.append(line)
            size -= len(line[1])
        return lines

    def acknowledge(self, n: int) -> None:
        try:
            self._spool.acknowledge(n)
        except OSError as error:
            self._note(error)
        count = max(0, n + 1 - self._memory[0][0]) if self._memory else 0
        self._held -= sum(len(line) for _, line in self._memory[:count])
        del self._memory[:count]

    def spill(self) -> None:
        """Moves what is in memory to the file. While that fails it stays in memory."""
        if not self._memory or time.monotonic() < self._retry_at:
            return
        try:
            self.given_up += self._spool.append(self._memory)
        except OSError as error:
            self._note(error)
            written = self._spool.last
            self._memory = [line for line in self._memory if line[0] > written]
        else:
            self._memory = []
            self.trouble = ""
        self._held = sum(len(line) for _, line in self._memory)

    def close(self) -> None:
        """Leaves on disk what is not acknowledged."""
        self._retry_at = 0.0
        self.spill()
        self._spool.close()

    def abandon(self) -> None:
        """In a forked child: the file and its lines are the parent's."""
        self._memory, self._held = [], 0
        self._spool.close()

    def _note(self, error: OSError) -> None:
        self.trouble = "The spool file %s cannot be written: %s" % (self._spool.path, error)
        self._retry_at = time.monotonic() + RETRY

    def _drop_oldest(self) -> None:
        count = 0
        while self._held > self._limit * KEEP and count < len(self._memory):
            self._held -= len(self._memory[count][1])
            count += 1
        del self._memory[:count]
        self.given_up += count
