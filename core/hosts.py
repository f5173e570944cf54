"""A host of a profile: a machine with room for some processes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from trainer.launchspec import MAX_SLOTS
from trainer.protocol import is_host_name

from .errors import InvalidInput

_WORD = re.compile(r"\A(?P<name>[^:\s]+)(?::(?P<slots>[0-9]{1,6}))?\Z")


@dataclass(frozen=True, slots=True)
class Host:
    """``in_job``: it is offered to horovodrun when the run starts. Raises InvalidInput."""

    name: str
    slots: int = 1
    tags: tuple[str, ...] = field(default=())
    in_job: bool = False

    def __post_init__(self) -> None:
        if not is_host_name(self.name):
            raise InvalidInput(
                "hosts",
                f"{self.name[:80]!r} is not a host name Horovod can take safely. "
                "Use letters, digits, dots, dashes and underscores.",
            )
        if not 1 <= self.slots <= MAX_SLOTS:
            raise InvalidInput(
                "hosts", f"Host {self.name} has {self.slots} slots. Give it 1 to {MAX_SLOTS}."
            )


def parse_host(word: str) -> Host:
    """``name`` or ``name:slots``, as horovodrun's -H takes it. Raises InvalidInput."""
    match = _WORD.match(word)
    if match is None:
        raise InvalidInput(
            "hosts", f"{word[:80]!r} is not a host. Write it as name:slots, such as node-1:4."
        )
    return Host(match["name"], int(match["slots"] or 1), in_job=True)


def parse_hosts(words: Sequence[str]) -> dict[str, int]:
    """The wanted hosts of a job, name -> slots. Raises InvalidInput."""
    hosts = [parse_host(word) for word in words]
    check_unique(hosts)
    return {host.name: host.slots for host in hosts}


def check_unique(hosts: Iterable[Host]) -> None:
    seen: set[str] = set()
    for host in hosts:
        if host.name in seen:
            raise InvalidInput("hosts", f"Host {host.name} is there twice. Keep one of them.")
        seen.add(host.name)


def in_job(hosts: Iterable[Host]) -> dict[str, int]:
    return {host.name: host.slots for host in hosts if host.in_job}
