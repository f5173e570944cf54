"""What was asked of a run, its checks, and the command lines that follow from it.

Standard library only and pure: core shows what :func:`horovodrun_argv` gives, the supervisor starts
what :func:`drive_argv` or :func:`stock_argv` gives; one source for both. ``run.json`` is a LaunchSpec.
"""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
from typing import Any, Dict, List, Optional, Sequence, Tuple

from .protocol import is_host_name

FORMAT = 1
GLOO_TIMEOUT_CORRECTED = 120
"""Seconds. On a build with SOFT_INIT a newcomer that never comes costs this long, not the job."""
GLOO_TIMEOUT_STOCK = 600
"""Seconds. On a stock build a slow newcomer aborts the whole job after this long (HOROVOD C.3)."""
MAX_SLOTS = 1024
NUDGE = "nudge"
"""Host of no slots that comes and goes in the discovery script, so that Horovod looks again (HOROVOD C.9)."""
_ENV_NAME = re.compile(r"\A[A-Za-z_][A-Za-z0-9_]*\Z")
_INTERFACE = re.compile(r"\A[A-Za-z0-9._@:-]{1,64}\Z")
_MANAGED = (
    "-np", "--num-proc", "--min-np", "--min-num-proc", "--max-np", "--max-num-proc", "-H", "--hosts",
    "-hostfile", "--hostfile", "--host-discovery-script", "--output-filename", "--autotune", "--mpi",
    "--jsrun",
)  # fmt: skip


class SpecError(ValueError):
    """Something in the launch settings is wrong. ``field`` names it, the text says what to do."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field
        self.text = text


@dataclasses.dataclass(frozen=True)
class LaunchSpec:
    """Everything that decides how a run is started. Paths are those of the driver machine.

    ``hosts`` are the initial ones: name -> slots. ``np`` is the world size waited for at the start.
    Times in seconds. ``gloo_timeout`` None: by the Horovod build. ``driver``: "drive" or "stock".
    ``rehearsal``: the hosts are names for this one machine; no ssh is used.
    """

    name: str
    python: str
    workdir: str
    script: str
    hosts: Dict[str, int]
    script_args: Tuple[str, ...] = ()
    np: int = 1
    min_np: int = 1
    max_np: Optional[int] = None
    network_interface: str = ""
    ssh_port: Optional[int] = None
    ssh_identity: str = ""
    elastic_timeout: int = 600
    start_timeout: int = 120
    reset_limit: Optional[int] = None
    blacklist_cooldown: Tuple[int, int] = (10, 120)
    gloo_timeout: Optional[int] = None
    env: Dict[str, str] = dataclasses.field(default_factory=dict)
    extra_args: Tuple[str, ...] = ()
    driver: str = "drive"
    rehearsal: bool = False
    run_id: str = ""
    created: float = 0.0

    def slots(self) -> int:
        return sum(self.hosts.values())


def problems(spec: LaunchSpec) -> List[SpecError]:
    """All that is wrong with ``spec`` and can be told without looking at a machine."""
    found = [SpecError(field, text) for field, text in _texts(spec)]
    found += hosts_problems(spec.hosts)
    return found


def hosts_problems(hosts: Dict[str, int]) -> List[SpecError]:
    found = []
    if not hosts:
        found.append(SpecError("hosts", "No host is in the job. Move at least one host into it."))
    for host, slots in hosts.items():
        if not is_host_name(host):
            found.append(
                SpecError("hosts", "%.80r is not a host name Horovod can take safely. "
                          "Use letters, digits, dots, dashes and underscores." % host)
            )  # fmt: skip
        elif host == NUDGE:
            found.append(
                SpecError("hosts", "No host can be called nudge: Maypole uses that name itself.")
            )
        if not 0 < slots <= MAX_SLOTS:
            found.append(
                SpecError(
                    "hosts", "Host %s has %d slots. Give it 1 to %d." % (host, slots, MAX_SLOTS)
                )
            )
    return found


def _texts(spec: LaunchSpec) -> List[Tuple[str, str]]:
    found = []
    if not spec.python.startswith("/"):
        found.append(("python", "Give the full path of the Python that trains."))
    if not spec.script:
        found.append(("script", "Choose the training script."))
    if not spec.workdir.startswith("/"):
        found.append(("workdir", "Give the full path of the working directory."))
    if any(letter in spec.workdir for letter in " \t\n'\"$`\\;&|<>()*?"):
        found.append(("workdir", "Horovod cannot use a working directory whose path has spaces or "
                                 "shell signs. Choose another."))  # fmt: skip
    found += _sizes(spec) + _flags(spec)
    return found


def _sizes(spec: LaunchSpec) -> List[Tuple[str, str]]:
    found = []
    if spec.np < 1:
        found.append(("np", "-np must be at least 1."))
    if spec.min_np < 1:
        found.append(("min_np", "--min-np must be at least 1."))
    if spec.min_np > spec.np:
        found.append(("min_np", "--min-np (%d) is above -np (%d). Lower it, or raise -np."
                      % (spec.min_np, spec.np)))  # fmt: skip
    if spec.max_np is not None and spec.max_np < spec.np:
        found.append(("max_np", "--max-np (%d) is below -np (%d). Raise it, or lower -np."
                      % (spec.max_np, spec.np)))  # fmt: skip
    if spec.elastic_timeout < 1:
        found.append(("elastic_timeout", "The elastic timeout must be at least 1 second."))
    if spec.gloo_timeout is not None and spec.gloo_timeout < 1:
        found.append(("gloo_timeout", "The Gloo timeout must be at least 1 second."))
    if spec.reset_limit is not None and spec.reset_limit < 1:
        found.append(("reset_limit", "The reset limit must be at least 1, or empty for none."))
    low, high = spec.blacklist_cooldown
    if not 1 <= low <= high <= 3600:
        found.append(("blacklist_cooldown", "The blacklist cooldown needs 1 <= low <= high <= 3600 "
                                            "seconds."))  # fmt: skip
    return found


def _flags(spec: LaunchSpec) -> List[Tuple[str, str]]:
    found = []
    if spec.network_interface and not _INTERFACE.match(spec.network_interface):
        found.append(("network_interface", "Give exactly one network interface, such as eth0."))
    if spec.ssh_port is not None and not 0 < spec.ssh_port < 65536:
        found.append(("ssh_port", "The SSH port must be 1 to 65535."))
    if " " in spec.ssh_identity:
        found.append(("ssh_identity", "Horovod cannot use a key file whose path has a space."))
    if spec.driver not in ("drive", "stock"):
        found.append(("driver", "The driver is either drive or stock."))
    for name in spec.env:
        if not _ENV_NAME.match(name):
            found.append(("env", "%.60r is not a name of an environment variable." % name))
    for word in spec.extra_args:
        if _is_managed(word.split("=", 1)[0]):
            found.append(("extra_args", "%s is set by Maypole itself. Take it out of the extra "
                                        "flags." % word))  # fmt: skip
    return found


def _is_managed(option: str) -> bool:
    """argparse takes the beginning of a long option for all of it, and ``-Ha:1`` for ``-H a:1``."""
    if option.startswith("--"):
        return len(option) > 2 and any(name.startswith(option) for name in _MANAGED)
    return option in _MANAGED or option.startswith("-H")


def gloo_timeout(spec: LaunchSpec, soft_init: bool) -> int:
    if spec.gloo_timeout is not None:
        return spec.gloo_timeout
    return GLOO_TIMEOUT_CORRECTED if soft_init else GLOO_TIMEOUT_STOCK


def horovodrun_args(spec: LaunchSpec, script: str, soft_init: bool = True) -> List[str]:
    """horovodrun's arguments up to the command. ``script``: path of the discovery script."""
    args: List[str] = []
    if spec.ssh_port is not None:
        args += ["-p", str(spec.ssh_port)]
    if spec.ssh_identity:
        args += ["-i", spec.ssh_identity]
    if spec.network_interface:
        args += ["--network-interface", spec.network_interface]
    args += ["-np", str(spec.np), "--min-np", str(spec.min_np)]
    if spec.max_np is not None:
        args += ["--max-np", str(spec.max_np)]
    args += ["--host-discovery-script", shlex.quote(script)]
    args += ["--elastic-timeout", str(spec.elastic_timeout)]
    args += ["--start-timeout", str(spec.start_timeout)]
    args += ["--gloo-timeout-seconds", str(gloo_timeout(spec, soft_init))]
    low, high = spec.blacklist_cooldown
    args += ["--blacklist-cooldown-range", str(low), str(high)]
    if spec.reset_limit is not None:
        args += ["--reset-limit", str(spec.reset_limit)]
    # INFO: the only level that tells state transitions (HOROVOD C.8); --stock is read from it.
    args += ["--log-level", "INFO"]
    return args + list(spec.extra_args)


def work_argv(spec: LaunchSpec, bundle: str, home: str) -> List[str]:
    """The command that every worker runs."""
    return [spec.python, bundle, "work", "--home", home, "--", spec.script, *spec.script_args]


def horovodrun_argv(
    spec: LaunchSpec, script: str, command: Sequence[str], soft_init: bool = True
) -> List[str]:
    """The line that the window shows and copies: ``horovodrun ... command``."""
    return ["horovodrun", *horovodrun_args(spec, script, soft_init), *command]


def to_json(spec: LaunchSpec) -> str:
    fields = dataclasses.asdict(spec)
    return json.dumps(dict(fields, format=FORMAT), indent=2, sort_keys=True, ensure_ascii=False)


def from_json(text: str) -> LaunchSpec:
    """Raises SpecError with the field at fault."""
    try:
        raw = json.loads(text)
    except ValueError as error:
        raise SpecError("", "The launch settings are not JSON: %s" % error) from error
    if not isinstance(raw, dict) or raw.pop("format", None) != FORMAT:
        raise SpecError("format", "These launch settings are of another version of Maypole.")
    return from_fields(raw)


def from_fields(raw: Dict[str, Any]) -> LaunchSpec:
    known = {field.name: field for field in dataclasses.fields(LaunchSpec)}
    for key in raw:
        if key not in known:
            raise SpecError(key, "%.60r is not a launch setting." % key)
    values = {key: _checked(key, value) for key, value in raw.items()}
    try:
        return LaunchSpec(**values)
    except TypeError as error:
        raise SpecError("", "A launch setting is missing: %s" % error) from error


_TEXTS = (
    "name",
    "python",
    "workdir",
    "script",
    "network_interface",
    "ssh_identity",
    "driver",
    "run_id",
)
_COUNTS = ("np", "min_np", "elastic_timeout", "start_timeout")
_OPTIONAL_COUNTS = ("max_np", "ssh_port", "reset_limit", "gloo_timeout")
_WORDS = ("script_args", "extra_args")


def _checked(key: str, value: Any) -> Any:
    if key in _TEXTS:
        return _typed(key, value, str, "text")
    if key in _COUNTS or (key in _OPTIONAL_COUNTS and value is not None):
        return _typed(key, value, int, "a whole number")
    if key in _WORDS:
        return tuple(_typed(key, word, str, "a list of words") for word in _list(key, value))
    if key == "blacklist_cooldown":
        low_high = [_typed(key, item, int, "two whole numbers") for item in _list(key, value)]
        if len(low_high) != 2:
            raise SpecError(key, "The blacklist cooldown needs two numbers, low and high.")
        return low_high[0], low_high[1]
    if key in ("hosts", "env"):
        kind, words = (int, "host = slots") if key == "hosts" else (str, "NAME = text")
        items = _typed(key, value, dict, words).items()
        return {str(name): _typed(key, item, kind, words) for name, item in items}
    if key == "rehearsal":
        return _typed(key, value, bool, "true or false")
    if key == "created":
        return float(_typed(key, value, (int, float), "a time"))
    return value


def _list(key: str, value: Any) -> List[Any]:
    return list(_typed(key, value, (list, tuple), "a list"))


def _typed(key: str, value: Any, kind: Any, words: str) -> Any:
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise SpecError(key, "%s must be %s, not %.60r." % (key, words, value))
    return value
