"""The run directory: its names, and how files that others read are written.

Standard library only. Nothing in here waits; everything that another process may read while it is
being written goes to a temporary name in the same folder and is renamed.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import shlex
import tempfile
from pathlib import Path
from typing import Any, Dict, Optional, Tuple

from .launchspec import NUDGE, LaunchSpec, from_json, to_json


@dataclasses.dataclass(frozen=True)
class RunDir:
    """Paths inside one run's folder on the driver machine."""

    root: Path

    @property
    def spec(self) -> Path:
        return self.root / "run.json"

    @property
    def discovery(self) -> Path:
        return self.root / "discover_hosts.sh"

    @property
    def token(self) -> Path:
        return self.root / "token"

    @property
    def link(self) -> Path:
        """Where workers find the supervisor: {"host": ..., "port": ...}."""
        return self.root / "link.json"

    @property
    def journal(self) -> Path:
        return self.root / "events.ndjson"

    @property
    def log_journal(self) -> Path:
        """Every line of output with its stream's identity, one LogRecord a line."""
        return self.root / "log.ndjson"

    @property
    def driver_events(self) -> Path:
        return self.root / "drive.ndjson"

    @property
    def driver_log(self) -> Path:
        return self.root / "horovodrun.log"

    @property
    def driver_pid(self) -> Path:
        """{"pid": of the wrapper and leader of the driver's session, "started": its start time}."""
        return self.root / "driver.json"

    @property
    def exit_code(self) -> Path:
        return self.root / "exit_code"

    @property
    def status(self) -> Path:
        """{"state", "pid", "socket", "seq", "updated"}; pid and socket are the supervisor's."""
        return self.root / "status.json"

    @property
    def bin(self) -> Path:
        """First on the driver's PATH; holds ``ssh``."""
        return self.root / "bin"

    @property
    def logs(self) -> Path:
        return self.root / "logs"

    @property
    def spool(self) -> Path:
        return self.root / "spool"

    @property
    def export(self) -> Path:
        return self.root / "export"

    @property
    def checkpoints(self) -> Path:
        return self.root / "checkpoints"

    def read_spec(self) -> LaunchSpec:
        return from_json(self.spec.read_text(encoding="utf-8"))

    def write_spec(self, spec: LaunchSpec) -> None:
        write_atomically(self.spec, to_json(spec) + "\n")

    def log_of(self, host: str, slot: int, incarnation: str) -> Path:
        return self.logs / host / ("%d.%s.log" % (slot, incarnation))


def write_atomically(path: Path, text: str, mode: int = 0o644) -> None:
    """Replaces ``path`` whole; the mode is set before the rename. Raises OSError."""
    handle, temporary = tempfile.mkstemp(prefix="." + path.name + ".", dir=str(path.parent))
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, mode)
        os.replace(temporary, str(path))
    except BaseException:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def read_json(path: Path) -> Optional[Dict[str, Any]]:
    """The object in ``path``; None when the file is not there or not (yet) an object."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return value if isinstance(value, dict) else None


_HEAD = """#!/bin/sh
# Hosts of this run, one line each: echo <host>:<slots>
# horovodrun reads this about once a second. Edit it by hand if you like: keep the form.
"""
_ECHO = re.compile(r"\A\s*echo\s+(?P<word>\S+)\s*\Z")
_COUNT = re.compile(r"\A[0-9]{1,9}\Z")


def discovery_text(hosts: Dict[str, int], nudge: bool = False) -> str:
    """The discovery script. Never prints nothing: that would remove every host (HOROVOD B.3).

    ``nudge`` adds a line with zero slots, which makes Horovod compare again and starts nothing (C.9).
    """
    if not hosts:
        return _HEAD + "exit 1\n"
    lines = ["echo %s\n" % shlex.quote("%s:%d" % item) for item in sorted(hosts.items())]
    if nudge:
        lines.append("echo %s:0\n" % NUDGE)
    return _HEAD + "".join(lines)


def parse_discovery(text: str) -> Dict[str, int]:
    """Hosts of a script in our form, also after a hand edit. Raises ValueError with the line at fault."""
    hosts: Dict[str, int] = {}
    for line in text.splitlines():
        stripped = line.strip()
        if not stripped or stripped.startswith("#") or stripped == "exit 1":
            continue
        host, slots = _host_and_slots(stripped)
        if not host or not _COUNT.match(slots):
            raise ValueError("cannot read the line %.80r: write it as echo <host>:<slots>" % line)
        if host != NUDGE:
            hosts[host] = int(slots)
    return hosts


def _host_and_slots(line: str) -> Tuple[str, str]:
    """("", "") for a line that is not ``echo <word>``."""
    match = _ECHO.match(line)
    try:
        words = shlex.split(match["word"]) if match else []
    except ValueError:  # a quotation mark without its partner
        words = []
    host, _, slots = words[0].rpartition(":") if len(words) == 1 else ("", "", "")
    return host, slots
