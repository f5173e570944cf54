"""From the name of a driver machine in a profile to the Machine."""

from __future__ import annotations

from .errors import InvalidInput
from .localmachine import LocalMachine
from .machine import Machine


def open_machine(name: str) -> Machine:
    """Raises InvalidInput for a name that this version cannot reach."""
    if name:
        raise InvalidInput(
            "machine",
            f"This version starts horovodrun on this computer only, not on {name!r:.80}. "
            "Leave the driver machine empty.",
        )
    return LocalMachine()
