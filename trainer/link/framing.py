"""Bytes of a stream to lines, with a limit that also holds for a line that never ends."""

from __future__ import annotations

from typing import List

from ..protocol import MAX_LINE, ProtocolError

MAX_BEFORE_PROOF = 4096
"""Bytes of a line from a peer that has not yet proved that it knows the token."""
MAX_EVENT_LINE = MAX_LINE - 1024
"""Bytes. A journal's line holds the event and a little more, and must stay under MAX_LINE too."""


class LineBuffer:
    """Keeps at most ``limit`` bytes of an unfinished line. Not thread-safe."""

    def __init__(self, limit: int = MAX_LINE) -> None:
        self.limit = limit
        self._rest = bytearray()

    def feed(self, data: bytes) -> List[bytes]:
        """The whole lines, without their newlines. Raises ProtocolError when one is too long."""
        *lines, rest = data.split(b"\n")
        if lines:
            lines[0] = bytes(self._rest) + lines[0]
            self._rest = bytearray()
        self._rest += rest
        longest = max(map(len, lines), default=0)
        if max(longest, len(self._rest)) >= self.limit:
            self._rest = bytearray()
            raise ProtocolError("a line is longer than %d bytes" % self.limit)
        return lines
