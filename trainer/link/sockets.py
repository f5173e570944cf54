"""Socket options of both ends, and a way to wake a thread that waits in ``select``."""

from __future__ import annotations

import socket
from typing import Dict

NO_SIGNAL = getattr(socket, "MSG_NOSIGNAL", 0)
"""A training script may have given SIGPIPE its deadly default back."""
KEEP_ALIVE: Dict[str, int] = {
    "TCP_KEEPIDLE": 10,
    "TCP_KEEPINTVL": 5,
    "TCP_KEEPCNT": 3,
    "TCP_USER_TIMEOUT": 30000,
}
"""Seconds, but TCP_USER_TIMEOUT in milliseconds: a peer without a word is given up after 25 to 30 s."""


def tune(sock: socket.socket) -> None:
    """Never blocking, no delay, keep-alive. A system without one of the options goes without it."""
    sock.setblocking(False)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in KEEP_ALIVE.items():
        if hasattr(socket, name):
            sock.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class Waker:
    """``wake`` may be called from any thread, also after ``close``; it never blocks or raises."""

    def __init__(self) -> None:
        self.reader, self._writer = socket.socketpair()
        self.reader.setblocking(False)
        self._writer.setblocking(False)

    def wake(self) -> None:
        try:
            self._writer.send(b"!", NO_SIGNAL)
        except OSError:
            return  # full: it is awake already; closed: nobody is there to be woken

    def clear(self) -> None:
        try:
            while self.reader.recv(4096):
                pass
        except BlockingIOError:
            return

    def close(self) -> None:
        self.reader.close()
        self._writer.close()
