"""``maypole.pyz start [--home DIR]``: make a run of the LaunchSpec on standard input; start its supervisor.

Prints one line of JSON: {"run_dir"} or {"error": {"field", "text"}}. What is wrong is found before anything
is made; a run that cannot be started leaves no folder behind.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import re
import secrets
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Dict, List, Optional

from .launching import NotStarted, start_supervisor
from .launchspec import LaunchSpec, SpecError, from_json, problems
from .protocol import MAX_LINE, new_token
from .provisioning.command import ask
from .rundir import RunDir, write_atomically
from .sshshim import rehearsal_ssh
from .supervisor.network import NoAddress, address_of
from .travelling import bundle_path

_PLAIN_SSH = """#!/bin/sh
# Never a prompt: nobody could answer it. Keep-alive: a dead host is noticed (HOROVOD C.5).
exec /usr/bin/ssh -o BatchMode=yes -o ConnectTimeout=15 \\
    -o ServerAliveInterval=5 -o ServerAliveCountMax=3 "$@"
"""
_ASK_FOR_PACKAGES = """
import importlib.util as u, sys
horovod = u.find_spec("horovod") and u.find_spec("horovod.runner")
sys.stdout.write("no TensorFlow" if not u.find_spec("tensorflow") else "" if horovod else "no Horovod")
"""
"""Prints what is missing. It looks for the packages and imports none of them."""
_NOT_WRITABLE = (
    "The run's folder %s cannot be written: %s. Free space there, or set MAYPOLE_HOME to a folder that you "
    "may write."
)
BUILTIN = "maypole:"


def main(argv: List[str]) -> int:
    parser = argparse.ArgumentParser(prog="maypole.pyz start", description=__doc__)
    parser.add_argument("--home", help="instead of MAYPOLE_HOME")
    options = parser.parse_args(argv)
    try:
        text = sys.stdin.buffer.read(MAX_LINE + 1)
        if len(text) > MAX_LINE:
            raise SpecError("", "The launch settings are too long.")
        spec = from_json(text.decode("utf-8", "replace"))
        run = create(spec, home(options.home))
    except SpecError as error:
        return _answer({"error": {"field": error.field, "text": error.text}}, 2)
    try:
        start_supervisor(run)
    except (NotStarted, OSError) as error:
        shutil.rmtree(str(run.root), ignore_errors=True)
        return _answer(
            {"error": {"field": "", "text": "The run could not be started: %s" % error}}, 2
        )
    return _answer({"run_dir": str(run.root)}, 0)


def _answer(value: Dict[str, Any], status: int) -> int:
    print(json.dumps(value, ensure_ascii=False), flush=True)
    return status


def home(given: Optional[str]) -> Path:
    """The same rule as core/home.py, for this machine."""
    if given or os.environ.get("MAYPOLE_HOME"):
        return Path(os.path.abspath(os.path.expanduser(given or os.environ["MAYPOLE_HOME"])))
    state = os.environ.get("XDG_STATE_HOME", "")
    base = Path(state) if state.startswith("/") else Path.home() / ".local" / "state"
    return base / "maypole"


def create(spec: LaunchSpec, at: Path) -> RunDir:
    """The run's folder with all that the supervisor needs. Raises SpecError."""
    for problem in problems(spec) + on_this_machine(spec):
        raise problem
    now = time.time()
    run_id = spec.run_id or new_run_id(spec.name, now)
    spec = dataclasses.replace(spec, run_id=run_id, created=spec.created or now)
    run = RunDir(Path(os.path.realpath(at / "runs")) / run_id)
    if os.path.lexists(str(run.root)):
        raise SpecError("name", "There is a run %s already. Start it under another name." % run_id)
    made = False
    try:
        run.root.parent.mkdir(parents=True, exist_ok=True)
        run.root.mkdir(mode=0o700)
        made = True
        _fill(run, spec)
    except OSError as error:
        if made:
            shutil.rmtree(str(run.root), ignore_errors=True)
        raise SpecError("", _NOT_WRITABLE % (run.root, error.strerror or error)) from error
    return run


def _fill(run: RunDir, spec: LaunchSpec) -> None:
    for folder in (run.bin, run.logs, run.spool, run.export, run.checkpoints):
        folder.mkdir()
    write_atomically(run.token, new_token() + "\n", 0o600)
    text = rehearsal_ssh() if spec.rehearsal else _PLAIN_SSH
    write_atomically(run.bin / "ssh", text, 0o755)
    run.write_spec(spec)


def new_run_id(name: str, now: float) -> str:
    """Sorts by time, says what it is, and is a name for a folder: 20261130-221530-digits-3f2a."""
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-")[:40] or "run"
    stamp = time.strftime("%Y%m%d-%H%M%S", time.localtime(now))
    return "%s-%s-%s" % (stamp, plain, secrets.token_hex(2))


def on_this_machine(spec: LaunchSpec) -> List[SpecError]:
    """What only this machine can tell. Quick: nothing imports TensorFlow."""
    found = []
    if not os.path.isdir(spec.workdir):
        found.append(SpecError("workdir", "There is no folder %s. Choose another." % spec.workdir))
    elif not spec.script.startswith(BUILTIN):
        script = os.path.join(spec.workdir, spec.script)
        if not os.path.isfile(script):
            found.append(SpecError("script", "There is no script %s. Choose another." % script))
        elif not os.access(script, os.R_OK):
            found.append(SpecError("script", "%s may not be read. Change its mode." % script))
    found += _python(spec) + _interface(spec)
    return found


def _python(spec: LaunchSpec) -> List[SpecError]:
    try:
        answer = ask([spec.python, "-c", _ASK_FOR_PACKAGES], 30, merged=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        text = "%s cannot be started (%s). Choose another Python." % (spec.python, error)
        return [SpecError("python", text)]
    missing = answer.stdout.decode("utf-8", "replace").strip()
    if answer.returncode == 0 and not missing:
        return []
    return [SpecError("python", _what_to_do(spec.python, missing or _last_line(answer.stderr)))]


def _what_to_do(python: str, missing: str) -> str:
    if missing == "no TensorFlow":
        return "%s has no TensorFlow. Choose another Python, or install TensorFlow there." % python
    if missing == "no Horovod":
        words = [python, bundle_path(), "provision", "--python", python]
        return "%s has no Horovod. Build it with: %s" % (python, shlex.join(words))
    return "%s does not work: %s. Choose another Python." % (python, missing)


def _last_line(text: bytes) -> str:
    lines = text[-4096:].decode("utf-8", "replace").split("\n")
    return next((line.strip() for line in reversed(lines) if line.strip()), "it says nothing")


def _interface(spec: LaunchSpec) -> List[SpecError]:
    try:
        address_of(spec.network_interface, spec.rehearsal)
    except NoAddress as error:
        return [SpecError("network_interface", str(error))]
    return []
