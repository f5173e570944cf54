"""What the host board shows, computed from the wanted hosts and the run's view of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from core.events import HostState
from core.hosts import Host
from core.runview import HostView, RunView

_LASTING = (HostState.UNREACHABLE, HostState.REFUSED)
"""States that still mean something when the run is over."""


@dataclass(frozen=True, slots=True)
class HostRow:
    """One card. ``in_job``: what was asked for; ``state``: what is. ``running``: a run is going.

    ``pending``: asked of the run, not answered yet. ``staged``: changed here, not asked yet.
    """

    name: str
    slots: int = 1
    in_job: bool = False
    state: HostState = HostState.AVAILABLE
    reason: str = ""
    ranks: tuple[int, ...] = ()
    until: float | None = None
    tags: tuple[str, ...] = ()
    running: bool = False
    pending: bool = False
    staged: bool = False

    def matches(self, words: Sequence[str]) -> bool:
        if not words:
            return True
        texts = [text.casefold() for text in (self.name, self.state.value, self.reason, *self.tags)]
        return all(any(word in text for text in texts) for word in words)


def rows(
    hosts: Sequence[Host],
    view: RunView | None = None,
    pending: Collection[str] = (),
    staged: Collection[str] = (),
) -> list[HostRow]:
    """A card for every host of the profile, in its order, then those that only the run knows."""
    running = view is not None and view.over is None
    made = [_row(host, view, running, host.name in pending, host.name in staged) for host in hosts]
    known = {host.name for host in hosts}
    if view is not None and running:
        strangers = (seen for seen in view.hosts if seen.name not in known)
        made += [_row(_host_of(seen), view, running, False, False) for seen in strangers]
    return made


def _host_of(seen: HostView) -> Host:
    return Host(seen.name, max(1, seen.slots), in_job=seen.slots > 0)


def _row(host: Host, view: RunView | None, running: bool, pending: bool, staged: bool) -> HostRow:
    seen = view.host(host.name) if view is not None else HostView(host.name)
    if not running and seen.state not in _LASTING:
        seen = HostView(host.name)
    return HostRow(
        host.name, host.slots, host.in_job, seen.state, seen.reason,
        seen.ranks if running else (), seen.until, host.tags, running, pending, staged,
    )  # fmt: skip


def search_words(text: str) -> list[str]:
    return text.casefold().split()
