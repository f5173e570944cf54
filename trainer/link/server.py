"""The supervisor's end of the link: one thread for all workers, and for all that only pretend to be one.

A worker's events are handed on in order, each number once, and acknowledged when ``on_event`` has
returned. A peer that breaks a rule is closed with a reason; no peer can make another one wait.
"""

from __future__ import annotations

import collections
import functools
import selectors
import socket
import sys
import threading
import time
import traceback
from typing import Any, Callable, Deque, Dict, Optional, Set, Tuple

from ..eventcodec import event_from_wire
from ..events import Event, Problem, WorkerLost
from ..protocol import ProtocolError, decode, encode
from . import peer as peers
from .handshake import check_token
from .peer import Gone, Peer
from .sockets import Waker

MAX_UNPROVED = 256
"""Connections that have not proved themselves. One more closes the oldest: a worker needs milliseconds."""
LISTEN_BACKLOG = 512
ACCEPT_AT_ONCE = 32
ACCEPT_PAUSE = 0.5
"""Seconds without accepting after this process ran out of file descriptors."""
TELL_AGAIN = 10.0
"""Seconds in which the same refusal is told once."""
MAX_TOLD = 100
MAX_NUMBER = 10**18 - 1
"""The journal and the spool know an event's number by at most 18 digits."""


class LinkServer:
    """All callbacks are called in the server's thread.

    ``last_of(worker)``: the highest number of this worker that the journal holds, 0 for a new one.
    ``on_event(worker, n, event)``: journals. If it raises, the event is not acknowledged, the connection is
    closed, and the worker sends it again later.
    ``on_connected(worker, address)``, ``on_lost(worker)``: come in pairs, except when a newer connection of
    the same worker replaces one. ``on_refused(sentence)``: somebody was turned away or cut off.
    """

    def __init__(
        self,
        token: str,
        last_of: Callable[[str], int],
        on_event: Callable[[str, int, Event], None],
        on_connected: Callable[[str, str], None],
        on_lost: Callable[[str], None],
        on_refused: Callable[[str], None],
        host: str,
        port: int = 0,
    ) -> None:
        self._token = check_token(token)
        self._last_of = last_of
        self._on_event = on_event
        self._on_connected = on_connected
        self._on_lost = on_lost
        self._on_refused = on_refused
        self._address = (host, port)
        self._port = 0
        self._listener: Optional[socket.socket] = None
        self._selector: selectors.BaseSelector
        self._waker: Waker
        self._thread: Optional[threading.Thread] = None
        self._closing = False
        self._unproved: Dict[int, Peer] = {}
        self._workers: Dict[str, Peer] = {}
        self._outgoing: Deque[Tuple[str, bytes]] = collections.deque()
        self._accept_at = 0.0
        self._told: Dict[str, float] = {}

    @property
    def port(self) -> int:
        """The port that is listened on, once started."""
        return self._port

    def workers(self) -> Set[str]:
        """Those connected now."""
        return set(self._workers.copy())

    def start(self) -> None:
        """Raises OSError, errno kept: EADDRINUSE when the port is taken."""
        self._listener = peers.listen(*self._address, LISTEN_BACKLOG)
        self._port = int(self._listener.getsockname()[1])
        self._selector = selectors.DefaultSelector()
        self._waker = Waker()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(self._waker.reader, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run, name="maypole-link-server", daemon=True)
        self._thread.start()

    def send(self, worker: str, message: Dict[str, Any]) -> bool:
        """From any thread. False when the worker is not connected; True is no promise that it arrives.

        Raises ProtocolError when the message is too long.
        """
        line = encode(message)
        if worker not in self._workers:
            return False
        self._outgoing.append((worker, line))
        self._waker.wake()
        return True

    def close(self, timeout: float) -> None:
        """Workers keep what is not acknowledged. Tells nobody that workers were lost."""
        self._closing = True
        if self._thread is not None:
            self._waker.wake()
            self._thread.join(timeout)

    # ---- the server's thread ------------------------------------------------------------------

    def _run(self) -> None:
        try:
            while not self._closing:
                self._turn()
        finally:
            self._release()

    def _release(self) -> None:
        for peer in [*self._unproved.values(), *self._workers.values()]:
            peer.close()
        self._unproved.clear()
        self._workers.clear()
        if self._listener is not None:
            self._listener.close()
        self._selector.close()
        self._waker.close()

    def _turn(self) -> None:
        for key, mask in self._selector.select(self._timeout()):
            if key.fileobj is self._listener:
                self._accept()
            elif key.fileobj is self._waker.reader:
                self._waker.clear()
            elif key.data.sock.fileno() >= 0:  # it may have been closed a moment ago
                self._serve(key.data, mask)
        self._send_outgoing()
        self._end_slow_proofs()
        self._listen_again()

    def _timeout(self) -> Optional[float]:
        oldest = next(iter(self._unproved.values()), None)
        ends = [oldest.deadline] if oldest is not None else []
        if self._accept_at:
            ends.append(self._accept_at)
        return max(0.0, min(ends) - time.monotonic()) if ends else None

    def _accept(self) -> None:
        assert self._listener is not None
        for _ in range(ACCEPT_AT_ONCE):
            try:
                peer = peers.accept(self._listener)
            except OSError as error:
                self._pause_accepting(error)
                return
            if peer is None:
                return
            self._admit(peer)

    def _pause_accepting(self, error: OSError) -> None:
        assert self._listener is not None
        self._refuse("Workers cannot connect for the moment: %s." % error)
        self._selector.unregister(self._listener)
        self._accept_at = time.monotonic() + ACCEPT_PAUSE

    def _listen_again(self) -> None:
        if self._accept_at and time.monotonic() >= self._accept_at:
            assert self._listener is not None
            self._accept_at = 0.0
            self._selector.register(self._listener, selectors.EVENT_READ)

    def _admit(self, peer: Peer) -> None:
        if len(self._unproved) >= MAX_UNPROVED:
            oldest = next(iter(self._unproved.values()))
            self._turn_away(oldest, "too many peers at once have not proved who they are")
        self._unproved[id(peer)] = peer
        self._selector.register(peer.sock, selectors.EVENT_READ, peer)
        self._guarded(peer, peer.greet)

    def _end_slow_proofs(self) -> None:
        now = time.monotonic()
        for peer in [peer for peer in self._unproved.values() if now >= peer.deadline]:
            self._turn_away(peer, "it did not prove in time who it is")

    def _serve(self, peer: Peer, mask: int) -> None:
        if mask & selectors.EVENT_WRITE:
            self._guarded(peer, peer.write)
        if mask & selectors.EVENT_READ and peer.sock.fileno() >= 0:
            self._guarded(peer, lambda: self._read(peer))

    def _guarded(self, peer: Peer, step: Callable[[], None]) -> None:
        try:
            step()
            self._watch(peer)
        except (Gone, OSError):
            self._drop(peer)
        except ProtocolError as error:
            self._turn_away(peer, str(error))
        except Exception as error:  # noqa: BLE001  one peer must not end the link of all others
            traceback.print_exc(file=sys.stderr)
            self._turn_away(peer, "its event cannot be handled: %r" % error)

    def _watch(self, peer: Peer) -> None:
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if peer.wants_to_write else 0)
        if peer.sock.fileno() >= 0 and self._selector.get_key(peer.sock).events != events:
            self._selector.modify(peer.sock, events, peer)

    def _read(self, peer: Peer) -> None:
        for line in peer.read():
            message = decode(line)
            if peer.worker:
                self._take(peer, message)
            else:
                self._prove(peer, message)
        if peer.worker:
            peer.acknowledge()

    def _prove(self, peer: Peer, message: Dict[str, Any]) -> None:
        nonce = peer.prove(self._token, message)
        self._unproved.pop(id(peer), None)
        older = self._workers.get(peer.worker)
        if older is not None:
            self._forget(older)
        last = self._last_of(peer.worker)
        self._workers[peer.worker] = peer
        self._tell(self._on_connected, peer.worker, peer.address)
        peer.welcome(self._token, nonce, last)

    def _take(self, peer: Peer, message: Dict[str, Any]) -> None:
        n = message.get("n")
        if type(n) is not int or not 0 < n <= MAX_NUMBER:
            raise ProtocolError("it sent a message without a number")
        # Also by another way, if the worker's spool was taken in although it lives.
        peer.last = max(peer.last, self._last_of(peer.worker))
        if n <= peer.last:
            return  # an acknowledgement was lost: the journal has it
        event = _event(peer.worker, message)
        told = isinstance(event, WorkerLost) and event.count == n - peer.last
        if n != peer.last + 1 and not told:
            raise ProtocolError("it skipped from event %d to %d" % (peer.last, n))
        self._hand_on(peer, n, event)
        peer.last = n

    def _hand_on(self, peer: Peer, n: int, event: Event) -> None:
        try:
            try:
                self._on_event(peer.worker, n, event)
            except ProtocolError as error:  # the journal can never write it: it is too long or deep
                self._on_event(peer.worker, n, _unreadable(peer.worker, error))
        except OSError as error:
            text = "event %d cannot be recorded for now (%s); the worker keeps it" % (n, error)
            raise ProtocolError(text) from error

    def _send_outgoing(self) -> None:
        while self._outgoing:
            worker, line = self._outgoing.popleft()
            peer = self._workers.get(worker)
            if peer is not None:
                self._guarded(peer, functools.partial(peer.put_line, line))

    def _turn_away(self, peer: Peer, why: str) -> None:
        if peer.worker:
            text = "%s at %s was cut off: %s." % (peer.worker, peer.address, why)
        else:
            text = "A peer at %s was refused: %s." % (peer.address, why)
        self._drop(peer)
        self._refuse(text)

    def _drop(self, peer: Peer) -> None:
        connected = self._workers.get(peer.worker) is peer
        self._forget(peer)
        if connected:
            self._tell(self._on_lost, peer.worker)

    def _forget(self, peer: Peer) -> None:
        self._unproved.pop(id(peer), None)
        if self._workers.get(peer.worker) is peer:
            del self._workers[peer.worker]
        if peer.sock.fileno() >= 0:
            self._selector.unregister(peer.sock)
            peer.close()

    def _refuse(self, text: str) -> None:
        now = time.monotonic()
        if now < self._told.get(text, 0.0):
            return
        if len(self._told) >= MAX_TOLD:
            self._told = {key: end for key, end in self._told.items() if end > now}
        if len(self._told) < MAX_TOLD:
            self._told[text] = now + TELL_AGAIN
            self._tell(self._on_refused, text)

    def _tell(self, callback: Callable[..., None], *words: str) -> None:
        try:
            callback(*words)
        except Exception:  # noqa: BLE001  its mistake must not end the link
            traceback.print_exc(file=sys.stderr)


def _event(worker: str, message: Dict[str, Any]) -> Event:
    """An event that this version cannot read must not hold up those behind it."""
    try:
        return event_from_wire(message.get("event"))
    except ProtocolError as error:
        return _unreadable(worker, error)


def _unreadable(worker: str, error: ProtocolError) -> Problem:
    text = "An event of %s could not be read and is lost: %s" % (worker, error)
    action = "Use the same bundle on every host."
    return Problem("worker-event", "warning", text[:2000], action)
