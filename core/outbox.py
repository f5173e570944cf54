"""Commands to a run: waiting to be sent, or sent and waiting for their reply. Bounded and thread-safe."""

from __future__ import annotations

import itertools
import secrets
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .attachment import Reply, command
from .errors import RunError
from .events import CommandReply

MAX_PENDING = 64
NOT_SENT = "There was no link to the run in time, so nothing was changed. Try again."
NOT_ANSWERED = "The run did not answer in time. See what it does before you try again."
LINK_LOST = "The link was lost before the answer came. See what the run does before you try again."


@dataclass(slots=True)
class _Pending:
    id: str
    name: str
    line: bytes
    deadline: float
    sent: bool = False
    again: bool = False


class Outbox:
    """Ids are of this outbox only: a reply to another client's or an older command has no place here."""

    def __init__(self, patience: float) -> None:
        self._patience = patience
        self._prefix = secrets.token_hex(4)
        self._numbers = itertools.count(1)
        self._pending: dict[str, _Pending] = {}
        self._lock = threading.Lock()

    def add(self, name: str, args: Mapping[str, Any], now: float) -> str:
        """The command's id. Raises RunError when too many wait."""
        with self._lock:
            if len(self._pending) >= MAX_PENDING:
                raise RunError(
                    f"{MAX_PENDING} commands are waiting for an answer. Wait for the link to the run."
                )
            id = f"{self._prefix}-{next(self._numbers)}"
            line = command(id, name, args)
            self._pending[id] = _Pending(id, name, line, now + self._patience)
            return id

    def take_unsent(self) -> list[bytes]:
        """Lines to send now, oldest first; they count as sent."""
        with self._lock:
            unsent = [pending for pending in self._pending.values() if not pending.sent]
            for pending in unsent:
                pending.sent = True
            return [pending.line for pending in unsent]

    @property
    def has_unsent(self) -> bool:
        with self._lock:
            return any(not pending.sent for pending in self._pending.values())

    def answer(self, reply: Reply) -> CommandReply | None:
        """None for a reply that nobody waits for (any more)."""
        with self._lock:
            pending = self._pending.pop(reply.id, None)
        if pending is None:
            return None
        return CommandReply(pending.id, pending.name, reply.ok, reply.error, reply.value)

    def link_lost(self, over: bool) -> list[CommandReply]:
        """Whether a sent command was carried out is unknown now. Unsent ones wait for the next link.

        ``over``: the run had ended, so the other side was leaving anyway and the command most likely
        came too late for it: it is sent once more.
        """
        with self._lock:
            sent = [pending for pending in self._pending.values() if pending.sent]
            if over:
                for pending in sent:
                    pending.sent, pending.again = pending.again, True
            return [self._fail(pending, LINK_LOST) for pending in sent if pending.sent]

    def overdue(self, now: float) -> list[CommandReply]:
        with self._lock:
            return [
                self._fail(p, NOT_ANSWERED if p.sent else NOT_SENT)
                for p in list(self._pending.values())
                if p.deadline <= now
            ]

    def next_deadline(self) -> float | None:
        with self._lock:
            return min((p.deadline for p in self._pending.values()), default=None)

    def _fail(self, pending: _Pending, text: str) -> CommandReply:
        del self._pending[pending.id]
        return CommandReply(pending.id, pending.name, False, text)
