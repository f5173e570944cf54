"""A worker's one attempt at the supervisor: connecting, proving, then live. Nothing here blocks."""

from __future__ import annotations

import enum
import errno
import os
import socket
import time
from typing import Any, Dict, List, Optional

from ..protocol import MAX_LINE, decode, encode, new_nonce
from . import handshake, sockets
from .framing import MAX_BEFORE_PROOF, LineBuffer
from .handshake import Way

CONNECT_SECONDS = 5.0
PROVE_SECONDS = 5.0
CHUNK = 64 << 10


class Phase(enum.Enum):
    CONNECTING = "connecting"
    PROVING = "proving"
    LIVE = "live"


class Connection:
    """Raises OSError or ProtocolError from every method when the attempt has failed; then close it."""

    def __init__(self, way: Way, worker: str) -> None:
        self.phase = Phase.CONNECTING
        self.last = 0
        """Once live: the highest number that the supervisor's journal held at the welcome."""
        self._way = way
        self._worker = worker
        self._nonce = new_nonce()
        self._peer_nonce: Optional[str] = None
        self._lines = LineBuffer(MAX_BEFORE_PROOF)
        self._out = bytearray()
        self._deadline = time.monotonic() + CONNECT_SECONDS
        self.sock = _begin(way)

    @property
    def deadline(self) -> Optional[float]:
        """On the monotonic clock: when this attempt is given up unless it is live by then."""
        return None if self.phase is Phase.LIVE else self._deadline

    @property
    def wants_to_write(self) -> bool:
        return self.phase is Phase.CONNECTING or bool(self._out)

    def check_deadline(self, now: float) -> None:
        if self.phase is not Phase.LIVE and now >= self._deadline:
            raise OSError(errno.ETIMEDOUT, "no answer while %s" % self.phase.value)

    def put(self, data: bytes) -> None:
        self._out += data
        self.write()

    def write(self) -> None:
        if self.phase is Phase.CONNECTING:
            self._connected()
        try:
            while self._out:
                del self._out[: self.sock.send(self._out[:CHUNK], sockets.NO_SIGNAL)]
        except BlockingIOError:
            return

    def read(self) -> List[Dict[str, Any]]:
        """The messages that are not part of the handshake."""
        try:
            data = self.sock.recv(CHUNK)
        except BlockingIOError:
            return []
        if not data:
            raise OSError(errno.ECONNRESET, "the supervisor closed the connection")
        messages = []
        for line in self._lines.feed(data):
            message = decode(line)
            if self.phase is Phase.LIVE:
                messages.append(message)
            else:
                self._prove(message)
        return messages

    def close(self) -> None:
        self.sock.close()

    def _connected(self) -> None:
        error = self.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        if error:
            raise OSError(error, os.strerror(error))
        self.phase = Phase.PROVING
        self._deadline = time.monotonic() + PROVE_SECONDS

    def _prove(self, message: Dict[str, Any]) -> None:
        token, worker = self._way.token, self._worker
        if self._peer_nonce is None:
            answer = handshake.answer(token, worker, self._nonce, message)
            self._peer_nonce = message["nonce"]
            self.put(encode(answer))
        else:
            nonces = self._nonce, self._peer_nonce
            self.last = handshake.check_welcome(token, worker, *nonces, message)
            self._lines.limit = MAX_LINE
            self.phase = Phase.LIVE


def _begin(way: Way) -> socket.socket:
    found = socket.getaddrinfo(way.host, way.port, type=socket.SOCK_STREAM)
    family, kind, number, _, address = found[0]
    sock = socket.socket(family, kind, number)
    try:
        sockets.tune(sock)
        code = sock.connect_ex(address)
        if code not in (0, errno.EINPROGRESS):
            raise OSError(code, os.strerror(code))
    except OSError:
        sock.close()
        raise
    return sock
