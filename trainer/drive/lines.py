"""A worker's raw output as whole lines of text: pure, it is fed bytes and a clock.

Anything may come: progress bars (``\\r``), half lines, broken UTF-8, lines of many megabytes.
"""

from __future__ import annotations

import re
from typing import List, Optional

LINE_LIMIT = 32 * 1024
"""Bytes of one line that are kept. The rest is counted and left out."""
PROGRESS_PERIOD = 1.0
"""Seconds between two states of one progress bar. Its last state is always kept."""
PATIENCE = 2.0
"""Seconds after which the beginning of a line is told without its end."""

_ENDS = re.compile(b"([\r\n])")
_NOISE = re.compile("[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]+")
"""Control characters but tab and escape: backspaces of Keras' bar, bells, NULs."""


class LineAssembler:
    """Bytes in, finished lines out. ``now`` is any clock that never goes back, in seconds."""

    def __init__(self) -> None:
        self._pending = bytearray()
        self._cut = 0
        self._since = 0.0
        self._bar: Optional[str] = None  # what stands before the last "\r", not told yet
        self._bar_told: Optional[float] = None  # when a state of this line was told

    def feed(self, data: bytes, now: float) -> List[str]:
        lines: List[str] = []
        for piece in _ENDS.split(data):
            if piece == b"\n":
                lines += self._line_ends()
            elif piece == b"\r":
                self._bar_redraws()
            elif piece:
                # Not before here: "\r\n" is one line's end and no progress bar.
                lines += self._bar_if_due(now)
                self._take(piece, now)
        return lines

    def idle(self, now: float) -> List[str]:
        """What has waited long enough: a bar's state, or a line whose end does not come (a prompt)."""
        if self._pending and now - self._since >= PATIENCE:
            return self._line_ends()
        return [] if self._pending else self._bar_if_due(now)

    def end(self) -> List[str]:
        """The stream is over: what is left."""
        return self._line_ends() if self._pending or self._bar is not None else []

    def _take(self, piece: bytes, now: float) -> None:
        if not self._pending:
            self._since = now
        room = max(0, LINE_LIMIT - len(self._pending))
        self._pending += piece[:room]
        self._cut += max(0, len(piece) - room)

    def _bar_redraws(self) -> None:
        if self._pending:
            self._bar = self._taken()

    def _bar_if_due(self, now: float) -> List[str]:
        bar = self._bar
        if bar is None or (self._bar_told is not None and now - self._bar_told < PROGRESS_PERIOD):
            return []
        self._bar, self._bar_told = None, now
        return [bar]

    def _line_ends(self) -> List[str]:
        text = self._taken() if self._pending else self._bar
        if text is None:
            text = "" if self._bar_told is None else None
        self._bar = self._bar_told = None
        return [] if text is None else [text]

    def _taken(self) -> str:
        text = _NOISE.sub("", self._pending.decode("utf-8", "replace"))
        if self._cut:
            text += " [cut: %d more bytes]" % self._cut
        self._pending.clear()
        self._cut = 0
        return text
