"""The supervisor's end of one connection: its buffers, their limits, and how far it has proved itself."""

from __future__ import annotations

import socket
import time
from typing import Any, Dict, List, Optional

from ..protocol import MAX_LINE, ProtocolError, encode, new_nonce
from . import handshake, sockets
from .framing import MAX_BEFORE_PROOF, LineBuffer

CHUNK = 64 << 10
"""Bytes read from one peer before the others have their turn."""
MAX_OUT = 2 << 20
"""Bytes that may wait for a peer that reads slowly."""
PROVE_SECONDS = 5.0


class Gone(Exception):
    """The peer ended the connection; nobody is to blame."""


class Peer:
    """Methods raise Gone, OSError or ProtocolError when the connection is to be closed."""

    def __init__(self, sock: socket.socket, address: str) -> None:
        self.sock = sock
        self.address = address
        self.worker = ""
        """Empty until the peer has proved that it is a worker of this run."""
        self.last = 0
        self.acknowledged = 0
        self.deadline = time.monotonic() + PROVE_SECONDS
        self._nonce = new_nonce()
        self._lines = LineBuffer(MAX_BEFORE_PROOF)
        self._out = bytearray()

    @property
    def wants_to_write(self) -> bool:
        return bool(self._out)

    def greet(self) -> None:
        self.put(handshake.challenge(self._nonce))

    def read(self) -> List[bytes]:
        try:
            data = self.sock.recv(CHUNK)
        except BlockingIOError:
            return []
        if not data:
            raise Gone()
        return self._lines.feed(data)

    def prove(self, token: str, message: Dict[str, Any]) -> str:
        """The nonce of the worker, whose name is then in ``worker``."""
        self.worker, nonce = handshake.check_answer(token, self._nonce, message)
        self._lines.limit = MAX_LINE
        return nonce

    def welcome(self, token: str, peer_nonce: str, last: int) -> None:
        self.last = self.acknowledged = last
        self.put(handshake.welcome(token, self.worker, self._nonce, peer_nonce, last))

    def acknowledge(self) -> None:
        if self.acknowledged != self.last:
            self.acknowledged = self.last
            self.put({"type": "ack", "n": self.last})

    def put(self, message: Dict[str, Any]) -> None:
        self.put_line(encode(message))

    def put_line(self, line: bytes) -> None:
        self._out += line
        self.write()
        if len(self._out) > MAX_OUT:
            raise ProtocolError("it does not read what is sent to it")

    def write(self) -> None:
        try:
            while self._out:
                del self._out[: self.sock.send(self._out[:CHUNK], sockets.NO_SIGNAL)]
        except BlockingIOError:
            return

    def close(self) -> None:
        self.sock.close()


def listen(host: str, port: int, backlog: int) -> socket.socket:
    """Raises OSError with its errno kept: the port may be taken, the address not this machine's."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    family, kind, number, _, address = found[0]
    sock = socket.socket(family, kind, number)
    try:
        # A supervisor that comes back takes its port again, although old connections linger.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(backlog)
        sock.setblocking(False)
    except OSError:
        sock.close()
        raise
    return sock


def accept(listener: socket.socket) -> Optional[Peer]:
    """None when nobody waits any more. Raises OSError, for one when there are no file descriptors."""
    try:
        sock, address = listener.accept()
    except (BlockingIOError, ConnectionAbortedError):
        return None
    try:
        sockets.tune(sock)
    except OSError:
        sock.close()
        return None
    return Peer(sock, str(address[0]))
