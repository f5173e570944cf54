"""MAYPOLE_HOME: where runs, bundles and profiles lie on a machine.

The rule, on every machine: $MAYPOLE_HOME, else $XDG_STATE_HOME/maypole, else ~/.local/state/maypole.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass

from .errors import MachineError
from .machine import Machine, checked

_ASK = (
    'case "$XDG_STATE_HOME" in /*) s=$XDG_STATE_HOME;; *) s=$HOME/.local/state;; esac; '
    'h=${MAYPOLE_HOME:-$s/maypole}; case "$h" in /*) ;; *) h=$PWD/$h;; esac; printf %s "$h"'
)


@dataclass(frozen=True, slots=True)
class Home:
    """Paths as text, not Path: they may be those of another machine."""

    root: str

    @property
    def runs(self) -> str:
        return posixpath.join(self.root, "runs")

    @property
    def bundles(self) -> str:
        return posixpath.join(self.root, "bundles")

    @property
    def work(self) -> str:
        """The working directory of built-in workloads."""
        return posixpath.join(self.root, "work")

    @property
    def profiles(self) -> str:
        return posixpath.join(self.root, "profiles")


def local_home(environ: Mapping[str, str] = os.environ) -> Home:
    """The home of this computer. A relative XDG_STATE_HOME is ignored, as its standard asks."""
    chosen = environ.get("MAYPOLE_HOME", "")
    if chosen:
        return Home(os.path.abspath(os.path.expanduser(chosen)))  # noqa: PTH100, PTH111 - text
    state = environ.get("XDG_STATE_HOME", "")
    if not state.startswith("/"):
        state = os.path.expanduser("~/.local/state")  # noqa: PTH111
    return Home(posixpath.join(state, "maypole"))


def home_on(machine: Machine) -> Home:
    """Asks ``machine`` by the same rule. Raises MachineError."""
    answer = checked(machine.run(["sh", "-c", _ASK], timeout=30)).stdout.decode("utf-8", "replace")
    if not answer.startswith("/"):
        raise MachineError(
            f"{machine.name} does not say where its home folder is ({answer[:200]!r}). "
            "Set MAYPOLE_HOME there."
        )
    return Home(posixpath.normpath(answer))
