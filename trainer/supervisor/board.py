"""The state of every host, from available over offered and training to leaving. Pure."""

from __future__ import annotations

import dataclasses
from typing import Dict, List, Optional

from ..events import HostState, HostStateChanged


@dataclasses.dataclass(frozen=True)
class Facts:
    """``wanted``: asked for. ``written``: in the discovery script. ``assigned``: host -> its ranks.

    ``full``: as many ranks as --max-np allows are given out. ``blacklisted``: host -> until (epoch seconds).
    """

    wanted: Dict[str, int]
    written: Dict[str, int]
    assigned: Dict[str, List[int]]
    trains: bool
    full: bool
    over: bool
    blacklisted: Dict[str, Optional[float]]


def states(facts: Facts, known: List[str]) -> List[HostStateChanged]:
    """One for every host that is or was of interest, sorted by name."""
    names = set(known) | set(facts.wanted) | set(facts.written)
    names |= set(facts.assigned) | set(facts.blacklisted)
    return [state_of(name, facts) for name in sorted(names)]


def state_of(name: str, facts: Facts) -> HostStateChanged:
    if facts.over:
        return HostStateChanged(name, HostState.AVAILABLE)
    if name in facts.blacklisted:
        return HostStateChanged(
            name,
            HostState.BLACKLISTED,
            "a worker failed there",
            until=facts.blacklisted[name],
        )
    ranks = facts.assigned.get(name, [])
    if name not in facts.wanted:
        if ranks or name in facts.written:
            return HostStateChanged(name, HostState.LEAVING, "until the next commit", ranks)
        return HostStateChanged(name, HostState.AVAILABLE)
    if name not in facts.written:
        return HostStateChanged(name, HostState.ADMITTING, "after the resize that is under way")
    if ranks:
        if facts.trains:
            return HostStateChanged(name, HostState.TRAINING, "", ranks)
        return HostStateChanged(name, HostState.OFFERED, "starting", ranks)
    if facts.full and facts.trains:
        return HostStateChanged(name, HostState.STANDBY, "the job has --max-np workers")
    return HostStateChanged(name, HostState.OFFERED, "until the next commit")
