"""A profile: everything that a run is started from, as a TOML file that a person may edit and version."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

from trainer.launchspec import LaunchSpec, SpecError
from trainer.launchspec import problems as spec_problems

from .bundle import BUILTIN_PREFIX, Bundle
from .errors import InvalidInput
from .home import Home
from .hosts import Host, check_unique, in_job

FORMAT = 1


class Strategy(StrEnum):
    ELASTIC = "elastic"


class Driver(StrEnum):
    """Who runs horovodrun: our own entry with corrections, or the plain command."""

    DRIVE = "drive"
    STOCK = "stock"


@dataclass(frozen=True, slots=True)
class Profile:
    """Field names are those of the form and of the file. Paths are the driver machine's.

    ``machine`` is where horovodrun runs; empty: this computer. ``python`` empty: the one that runs
    Maypole. ``workdir`` empty: the script's folder (Maypole's own for a built-in script).
    ``script`` may name a built-in one, such as "maypole:digits". Times in seconds.
    """

    name: str = "New profile"
    machine: str = ""
    strategy: Strategy = Strategy.ELASTIC
    python: str = ""
    workdir: str = ""
    script: str = ""
    script_args: tuple[str, ...] = ()
    np: int = 1
    min_np: int = 1
    max_np: int | None = None
    ssh_port: int | None = None
    ssh_identity: str = ""
    network_interface: str = ""
    elastic_timeout: int = 600
    start_timeout: int = 120
    reset_limit: int | None = None
    blacklist_cooldown: tuple[int, int] = (10, 120)
    gloo_timeout: int | None = None
    driver: Driver = Driver.DRIVE
    rehearsal: bool = False
    env: dict[str, str] = field(default_factory=dict)
    extra_args: tuple[str, ...] = ()
    hosts: tuple[Host, ...] = ()


def to_spec(
    profile: Profile, home: Home, bundle: Bundle, python: str = sys.executable
) -> LaunchSpec:
    """What the supervisor gets. ``home`` is the driver machine's. Raises InvalidInput, see problems()."""
    found = problems(profile, home, bundle, python)
    if found:
        raise found[0]
    return draft_spec(profile, home, python)


def problems(
    profile: Profile, home: Home, bundle: Bundle, python: str = sys.executable
) -> list[InvalidInput]:
    """All that can be told without asking a machine; ``field`` is the form's."""
    found = _refusals(
        partial(bundle.check_script, profile.script), partial(check_unique, profile.hosts)
    )
    errors = spec_problems(draft_spec(profile, home, python))
    return found + [_renamed(error, profile) for error in errors]


def _refusals(*checks: Callable[[], None]) -> list[InvalidInput]:
    found = []
    for check in checks:
        try:
            check()
        except InvalidInput as error:
            found.append(error)
    return found


def draft_spec(profile: Profile, home: Home, python: str = sys.executable) -> LaunchSpec:
    """As far as the profile has got: to be looked at, not to be started."""
    return LaunchSpec(
        name=profile.name,
        python=profile.python or python,
        workdir=profile.workdir or _workdir(profile.script, home),
        script=profile.script,
        hosts=in_job(profile.hosts),
        script_args=profile.script_args,
        np=profile.np,
        min_np=profile.min_np,
        max_np=profile.max_np,
        network_interface=profile.network_interface,
        ssh_port=profile.ssh_port,
        ssh_identity=profile.ssh_identity,
        elastic_timeout=profile.elastic_timeout,
        start_timeout=profile.start_timeout,
        reset_limit=profile.reset_limit,
        blacklist_cooldown=profile.blacklist_cooldown,
        gloo_timeout=profile.gloo_timeout,
        env=dict(profile.env),
        extra_args=profile.extra_args,
        driver=profile.driver.value,
        rehearsal=profile.rehearsal,
    )


def _workdir(script: str, home: Home) -> str:
    if script.startswith(BUILTIN_PREFIX):
        return home.work
    return script.rpartition("/")[0] or ("/" if script.startswith("/") else "")


def _renamed(error: SpecError, profile: Profile) -> InvalidInput:
    if error.field == "workdir" and not profile.workdir and profile.script:
        return InvalidInput(
            "workdir", f"{error.text} (It was taken from the script's folder, as it is empty.)"
        )
    return InvalidInput(error.field, error.text)
