"""The worker's end of the link. A training thread only ever appends to a queue.

The thread ``maypole-link`` does the rest: it makes the events, numbers them, keeps them until they are
acknowledged and looks for the supervisor for as long as it takes. While events come it looks at the
queue every TICK and need not be woken; after a pause the first event wakes it.
"""

from __future__ import annotations

import collections
import functools
import os
import random
import selectors
import threading
import time
import weakref
from pathlib import Path
from typing import Any, Callable, Deque, Dict, List, Optional, Tuple, Union

from ..eventcodec import event_to_wire
from ..events import Event, Problem, WorkerLost
from ..protocol import ProtocolError, encode
from . import spool
from .backlog import Backlog
from .connection import CHUNK, Connection, Phase
from .framing import MAX_EVENT_LINE
from .handshake import check_worker, find_way
from .sockets import Waker

QUEUE = 1 << 16
"""Events that may wait to be made. More come only when this thread does not run at all."""
TICK = 0.012
"""Seconds. An event is on the wire within one tick (and the time that it takes to be made)."""
ACTIVE = 0.5
"""Seconds without an event after which the thread sleeps until it is woken."""
TURN = 500
"""Events made before the socket is looked at again."""
GENTLE = 4
"""Events (about 20 us each) made before a training thread that waits for the interpreter gets it."""
STALLED = 0.25
"""Seconds without an acknowledgement after which what waits is written to disk."""
SILENT = 20.0
"""Seconds without an acknowledgement after which a live connection is given up."""
FIRST_RETRY, LAST_RETRY = 0.1, 2.0

Make = Callable[[], Event]


class _Mark:
    """In the queue: everything before it was sent before a flush."""

    def __init__(self) -> None:
        self.done = threading.Event()


class LinkClient:
    """``home``: the run directory as this machine sees it (link.json, token, spool/).

    ``on_command`` is called in the link's thread with every message that is not an acknowledgement.
    Raises ProtocolError when ``worker`` is not a worker's name. After a fork the child's copy is dead.
    """

    def __init__(
        self,
        home: Path,
        worker: str,
        on_command: Callable[[Dict[str, Any]], None],
        spool_limit: int = spool.LIMIT,
    ) -> None:
        self.worker = check_worker(worker)
        self.trouble = ""
        """Why there is no connection at the moment, or why an event could not be sent."""
        self._home = Path(home)
        self._on_command = on_command
        self._queue: Deque[Union[Make, _Mark]] = collections.deque()
        self._room = QUEUE
        self._overflowed = self._overflow_told = self._failed = 0
        self._asleep = False
        self._closing = False
        self._waker = Waker()
        self._backlog = Backlog(spool.Spool(spool.path_of(self._home, worker), spool_limit))
        self._thread: Optional[threading.Thread] = None
        self._selector: Optional[selectors.BaseSelector] = None
        self._connection: Optional[Connection] = None
        self._random = random.Random()  # the script's own generator must not notice us
        self._sent = 0
        self._retry_at = self._retry_after = 0.0
        self._take_at = self._active_until = self._progress = 0.0
        self._marks: List[Tuple[int, _Mark]] = []
        _clients.add(self)

    @property
    def dropped(self) -> int:
        """Events that never got a number: the queue was full, or they could not be made."""
        return self._overflowed + self._failed

    @property
    def connected(self) -> bool:
        connection = self._connection
        return connection is not None and connection.phase is Phase.LIVE

    # ---- called by the training thread --------------------------------------------------------

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="maypole-link", daemon=True)
        self._thread.start()

    def send(self, make: Make) -> None:
        """Never blocks, never raises. ``make`` is called later, in the link's thread."""
        if len(self._queue) < self._room:
            self._queue.append(make)
        else:
            self._overflowed += 1
        if self._asleep:
            self._asleep = False
            self._waker.wake()

    def flush(self, timeout: float) -> bool:
        """True when everything sent so far is acknowledged, False after ``timeout`` seconds."""
        if self._thread is None or not self._thread.is_alive():
            return False
        mark = _Mark()
        self._queue.append(mark)
        self._waker.wake()
        return mark.done.wait(timeout)

    def close(self, timeout: float) -> None:
        """Waits up to ``timeout`` seconds for acknowledgements; what has none then stays in the spool."""
        end = time.monotonic() + timeout
        self.flush(timeout)
        self._closing = True
        self._waker.wake()
        if self._thread is not None:
            self._thread.join(max(0.0, end - time.monotonic()) + 1.0)
        else:
            self._waker.close()

    # ---- the link's thread --------------------------------------------------------------------

    def _run(self) -> None:
        with selectors.DefaultSelector() as selector:
            self._selector = selector
            selector.register(self._waker.reader, selectors.EVENT_READ)
            while not self._closing:
                self._turn()
            self._leave()

    def _turn(self) -> None:
        now = time.monotonic()
        if now >= self._take_at:
            self._take(TURN)
            self._take_at = now + TICK
        self._guarded(self._attend)
        self._keep()
        self._answer_marks()
        self._wait()

    def _leave(self) -> None:
        self._room = 0
        while self._queue:
            self._take(TURN)
        self._guarded(self._fill)
        self._backlog.close()
        self._disconnect("")
        self._waker.close()

    def _take(self, most: int) -> None:
        """Makes events of what is in the queue."""
        queue = self._queue
        for count in range(min(most, len(queue))):
            item = queue.popleft()
            if isinstance(item, _Mark):
                self._marks.append((self._backlog.last, item))
                continue
            self._make(item)
            if count % GENTLE == GENTLE - 1:
                time.sleep(0)
            self._active_until = time.monotonic() + ACTIVE
        lost = self._overflowed - self._overflow_told
        if lost:
            self._overflow_told += lost
            self._make(lambda: WorkerLost(self.worker, lost))

    def _make(self, make: Make) -> None:
        try:
            self._add(make())
        except Exception as error:  # noqa: BLE001  whatever a script's values do, the training goes on
            self._failed += 1
            self.trouble = "An event could not be made: %s: %s" % (type(error).__name__, error)
            if self._failed == 1:
                self._add(Problem("worker-event", "warning", self.trouble[:2000], _WHAT_TO_DO))

    def _add(self, event: Event) -> None:
        line = encode({"n": self._backlog.last + 1, "event": event_to_wire(event)})
        if len(line) > MAX_EVENT_LINE:
            raise ProtocolError("an event of %d bytes is too large" % len(line))
        if self._backlog.empty:
            self._progress = time.monotonic()
        given_up = self._backlog.given_up
        self._backlog.add(line)
        if self._backlog.given_up != given_up:
            self._start_over()

    def _start_over(self) -> None:
        """Some events are gone, perhaps after they were sent. A welcome tells which ones arrived."""
        if self.connected:
            self._disconnect("more events wait than there is room for")

    def _guarded(self, step: Callable[[], None]) -> None:
        try:
            step()
        except (OSError, ValueError) as error:
            self._disconnect(str(error))

    def _attend(self) -> None:
        now = time.monotonic()
        if self._connection is None:
            if now >= self._retry_at:
                self._connect(now)
            return
        self._connection.check_deadline(now)
        if self.connected and not self._backlog.empty and now > self._progress + SILENT:
            raise ProtocolError("the supervisor acknowledges nothing")
        self._fill()

    def _connect(self, now: float) -> None:
        self._retry_after = min(max(self._retry_after * 2, FIRST_RETRY), LAST_RETRY)
        self._retry_at = now + self._retry_after * self._random.uniform(0.8, 1.2)
        self._connection = Connection(find_way(self._home), self.worker)
        events = selectors.EVENT_READ | selectors.EVENT_WRITE
        self._register(self._connection, events)

    def _register(self, connection: Connection, events: int) -> None:
        assert self._selector is not None
        if connection.sock in self._selector.get_map():
            self._selector.modify(connection.sock, events)
        else:
            self._selector.register(connection.sock, events)

    def _disconnect(self, why: str) -> None:
        self.trouble = why or self.trouble
        connection, self._connection = self._connection, None
        if connection is not None:
            assert self._selector is not None
            if connection.sock in self._selector.get_map():
                self._selector.unregister(connection.sock)
            connection.close()
            self._retry_at = time.monotonic() + self._retry_after * self._random.uniform(0.8, 1.2)

    def _fill(self) -> None:
        """Hands events to the socket while it takes them."""
        connection = self._connection
        if connection is None or connection.phase is not Phase.LIVE:
            return
        while not connection.wants_to_write and self._sent < self._backlog.last:
            lines = self._backlog.after(self._sent, CHUNK)
            if not lines:
                return
            if lines[0][0] > self._sent + 1:
                connection.put(self._lost_before(lines[0][0]))
            connection.put(b"".join(line for _, line in lines))
            self._sent = lines[-1][0]

    def _lost_before(self, n: int) -> bytes:
        """Takes the place of the numbers above ``_sent`` and below ``n``, which were given up."""
        event = WorkerLost(self.worker, n - 1 - self._sent)
        return encode({"n": n - 1, "event": event_to_wire(event)})

    def _keep(self) -> None:
        """On disk goes what has nobody to go to, and what waits behind something on disk."""
        stalled = time.monotonic() > self._progress + STALLED
        if not self.connected or stalled or self._backlog.on_disk:
            given_up = self._backlog.given_up
            self._backlog.spill()
            if self._backlog.given_up != given_up:
                self._start_over()

    def _answer_marks(self) -> None:
        acknowledged = self._backlog.first - 1
        while self._marks and self._marks[0][0] <= acknowledged:
            self._marks.pop(0)[1].done.set()

    def _wait(self) -> None:
        assert self._selector is not None
        connection = self._connection
        if connection is not None:
            events = selectors.EVENT_WRITE if connection.wants_to_write else 0
            self._register(connection, selectors.EVENT_READ | events)
        ready = self._selector.select(self._timeout())
        self._asleep = False
        for key, mask in ready:
            if key.fileobj is self._waker.reader:
                self._waker.clear()
            else:
                self._guarded(functools.partial(self._serve, mask))

    def _timeout(self) -> Optional[float]:
        now = time.monotonic()
        ends = []
        if self._queue or now < self._active_until:
            ends.append(self._take_at)
        else:
            self._asleep = True
            if self._queue:  # it came between the two looks
                return 0.0
        if self._connection is None:
            ends.append(self._retry_at)
        elif self._connection.deadline is not None:
            ends.append(self._connection.deadline)
        elif not self._backlog.empty:
            ends.append(self._progress + (STALLED if now < self._progress + STALLED else SILENT))
        return max(0.0, min(ends) - now) if ends else None

    def _serve(self, mask: int) -> None:
        connection = self._connection
        if connection is None:
            return
        before = connection.phase
        if mask & selectors.EVENT_WRITE:
            connection.write()
        if mask & selectors.EVENT_READ:
            messages = connection.read()
            if before is not Phase.LIVE and connection.phase is Phase.LIVE:
                self._welcomed(connection)
            for message in messages:
                self._take_message(message)

    def _welcomed(self, connection: Connection) -> None:
        if connection.last > self._backlog.last:
            raise ProtocolError(
                "The supervisor knows event %d of %s, but only %d were made: the name is used twice"
                % (connection.last, self.worker, self._backlog.last)
            )
        self.trouble = ""
        self._acknowledged(connection.last)
        self._sent = connection.last

    def _take_message(self, message: Dict[str, Any]) -> None:
        if message.get("type") != "ack":
            self._command(message)
            return
        n = message.get("n")
        if type(n) is not int or not 0 <= n <= self._sent:
            raise ProtocolError("the supervisor acknowledged what was not sent")
        self._acknowledged(n)
        self._retry_after = 0.0

    def _acknowledged(self, n: int) -> None:
        self._backlog.acknowledge(n)
        self._progress = time.monotonic()

    def _command(self, message: Dict[str, Any]) -> None:
        try:
            self._on_command(message)
        except Exception as error:  # noqa: BLE001  a command that fails must not end the link
            text = "A command failed: %s: %s" % (type(error).__name__, error)
            self._make(lambda: Problem("worker-command", "error", text[:2000], _WHAT_TO_DO))

    def _abandon(self) -> None:
        """In a forked child: closes its copies of the parent's files, and sends nothing ever."""
        self._room, self._asleep, self._thread = 0, False, None
        self._queue.clear()
        self._backlog.abandon()
        self._waker.close()
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        if self._selector is not None:
            self._selector.close()


_WHAT_TO_DO = "The training goes on. Please report this with the worker's log."
_clients: "weakref.WeakSet[LinkClient]" = weakref.WeakSet()


def _after_fork() -> None:
    for client in list(_clients):
        client._abandon()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
