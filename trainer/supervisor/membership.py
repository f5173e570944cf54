"""The discovery script: the only way in which hosts enter or leave, one change at a time.

A change that comes while a reset is under way waits for it; the last wish counts. A change that Horovod
missed is noticed (the world is not the one the script asks for) and nudged (HOROVOD C.9). A hand edit is
adopted as what is wanted.
"""

from __future__ import annotations

import contextlib
import time
from typing import Callable, Dict, Optional, Tuple

from ..events import Event, HostsRequested, Nudged, Problem, ScriptWritten
from ..launchspec import hosts_problems
from ..rundir import RunDir, discovery_text, parse_discovery, write_atomically
from .model import Model

NUDGE_AFTER = 8.0
"""Seconds that the world may differ from the script while it trains: polls, a commit, and some more."""
NUDGE_RARELY = 120.0
"""Seconds to which that time grows, doubling, while nudges change nothing: a commit may be that far away."""
NUDGE_FOR = 1.5
LOOK_EVERY = 0.5
STUCK = 90.0
"""Seconds after which a change is written although a reset is under way: perhaps it frees a stuck one."""
RETRY = 1.0
"""Seconds until a write that failed is tried again."""
_ALL_LEAVE = (
    "All hosts that train now would leave at once, and with them what was learned. "
    "Keep one of them until a new host trains."
)
_BY_HAND = "Correct it by hand, or move a host on the board to write it anew."


class Refused(Exception):
    """The sentence says why the hosts cannot be these."""


class Membership:
    """``tell`` journals an event and applies it to the model at once. Used by the supervisor's loop only."""

    def __init__(self, run: RunDir, model: Model, tell: Callable[[Event], None]) -> None:
        self._run, self._model, self._tell = run, model, tell
        self._pending: Optional[Tuple[Dict[str, int], str, float]] = None
        self._text = ""
        self._differs_since: Optional[float] = None
        self._nudged_at: Optional[float] = None
        self._patience = NUDGE_AFTER
        self._looked = self._retry_at = 0.0
        self._unreadable = self._complaint = self._seen = ""

    def begin(self) -> None:
        """Before the driver starts: the initial hosts are wanted and written."""
        self._tell(HostsRequested(dict(self._model.spec.hosts), "", "start"))
        self._write(dict(self._model.spec.hosts), "")

    def adopt(self) -> None:
        """After the journal was replayed: what is wanted but not written waits again."""
        self._text = discovery_text(self._model.written)
        with contextlib.suppress(OSError):  # told at the next look
            self._take_back_nudge()
        if self._model.wanted != self._model.written:
            self._pending = (dict(self._model.wanted), "", time.monotonic())

    def _take_back_nudge(self) -> None:
        if self._on_disk() == discovery_text(self._model.written, nudge=True):
            self._nudged_at = time.monotonic()  # by a supervisor that was killed meanwhile

    def request(self, hosts: Dict[str, int], request: str, confirmed: bool) -> None:
        """Raises Refused, or OSError when the script cannot be written; nothing has changed then."""
        self._check(hosts, confirmed)
        if self._model.settled and self._pending is None:
            self._write(hosts, request, HostsRequested(hosts, request, "window"))
        else:
            self._tell(HostsRequested(hosts, request, "window"))
            self._pending = (hosts, request, time.monotonic())

    def tick(self) -> None:
        now = time.monotonic()
        if now < self._retry_at:
            return
        try:
            self._apply_pending(now)
            self._nudge(now)
        except OSError as error:
            self._retry_at = now + RETRY
            self._complain(
                "discover_hosts.sh cannot be written: %s" % error,
                "Free some space on that disk. It is tried again by itself.",
            )
        if now - self._looked >= LOOK_EVERY and self._nudged_at is None:
            self._looked = now
            self._look_for_hand_edit()

    # ---- writing ----------------------------------------------------------------------------

    def _check(self, hosts: Dict[str, int], confirmed: bool) -> None:
        for problem in hosts_problems(hosts):
            raise Refused(problem.text)
        if self._leaves_nobody(hosts):
            raise Refused(_ALL_LEAVE)
        slots, need = sum(hosts.values()), self._model.spec.min_np
        if slots < need and not confirmed:
            raise Refused(
                "That leaves %d slots, but --min-np is %d: training would wait. Confirm to do it."
                % (slots, need)
            )

    def _leaves_nobody(self, hosts: Dict[str, int]) -> bool:
        """Horovod gives up when no host of the world before is left (HOROVOD C.4)."""
        active = set(self._model.world.hosts())
        return bool(active) and not active & set(hosts)

    def _write(self, hosts: Dict[str, int], request: str, first: Optional[Event] = None) -> None:
        text = discovery_text(hosts)
        write_atomically(self._run.discovery, text, 0o755)
        self._text, self._differs_since, self._nudged_at = text, None, None
        self._unreadable = self._complaint = ""
        if first is not None:
            self._tell(first)
        self._tell(ScriptWritten(dict(hosts), request))

    def _apply_pending(self, now: float) -> None:
        if self._pending is None:
            return
        hosts, request, since = self._pending
        if not self._model.settled and now - since <= STUCK:
            return
        if self._leaves_nobody(hosts):
            self._drop_pending(request)
        elif hosts != self._model.written:
            self._write(hosts, request)
        self._pending = None

    def _drop_pending(self, request: str) -> None:
        """The world changed while the wish waited."""
        action = "The hosts stay as they are. Move hosts again if you like."
        self._tell(Problem("hosts-dropped", "warning", _ALL_LEAVE, action))
        self._tell(HostsRequested(dict(self._model.written), request, "command"))

    # ---- nudging ----------------------------------------------------------------------------

    def _nudge(self, now: float) -> None:
        if self._nudged_at is not None:
            if now - self._nudged_at >= NUDGE_FOR:
                write_atomically(self._run.discovery, self._text, 0o755)
                self._nudged_at = None
            return
        if self._model.as_wanted():
            self._differs_since, self._patience = None, NUDGE_AFTER
        elif not self._model.trains or self._model.blacklisted or self._model.ending:
            self._differs_since = None
        elif self._differs_since is None:
            self._differs_since = now
        elif now - self._differs_since >= self._patience and not self._unreadable:
            text = discovery_text(self._model.written, nudge=True)
            write_atomically(self._run.discovery, text, 0o755)
            self._differs_since, self._nudged_at = None, now
            self._patience = min(2 * self._patience, NUDGE_RARELY)
            self._tell(Nudged("horovodrun did not act on the last change of hosts"))

    # ---- hand edits -------------------------------------------------------------------------

    def _on_disk(self) -> str:
        """Raises OSError."""
        with self._run.discovery.open("rb") as file:
            return file.read(1 << 20).decode("utf-8", "replace")

    def _look_for_hand_edit(self) -> None:
        try:
            text = self._on_disk()
        except OSError as error:
            self._complain("discover_hosts.sh cannot be read: %s" % error, _BY_HAND)
            return
        seen, self._seen = self._seen, text
        if text in (self._text, self._unreadable) or text != seen:
            return  # ours; or perhaps only half written yet
        try:
            hosts = parse_discovery(text)
            for problem in hosts_problems(hosts):
                raise ValueError(problem.text)
        except ValueError as error:
            self._unreadable = text
            self._complain("discover_hosts.sh was edited, and cannot be used: %s" % error, _BY_HAND)
            return
        self._text, self._pending, self._unreadable, self._complaint = text, None, "", ""
        self._tell(HostsRequested(hosts, "", "hand"))
        self._tell(ScriptWritten(hosts, ""))

    def _complain(self, text: str, action: str) -> None:
        """Once, however often it is found again."""
        if text != self._complaint:
            self._complaint = text
            self._tell(Problem("discovery-script", "warning", text[:1000], action))
