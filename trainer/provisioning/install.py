"""pip, asked to put something into the Python that is provisioned."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import List, Sequence, Type

from .command import ask
from .errors import InstallFailed, ProvisionError, RequirementsFailed

_PIP_SECONDS = 900


def install_requirements(python: str, requirements: Sequence[str]) -> None:
    _pip(python, ["install", *requirements], RequirementsFailed,
         "pip could not install what the build needs (%s)" % ", ".join(requirements))  # fmt: skip


def install_wheel(python: str, wheel: Path) -> None:
    """Whatever Horovod was there is replaced; nothing else changes and no index is asked."""
    _pip(python, ["install", "--no-deps", "--no-index", "--force-reinstall", str(wheel)],
         InstallFailed, "pip could not install %s" % wheel.name)  # fmt: skip


def uninstall(python: str) -> None:
    _pip(python, ["uninstall", "--yes", "horovod"], InstallFailed,
         "pip could not take the broken Horovod away again")  # fmt: skip


def _pip(python: str, words: List[str], error: Type[ProvisionError], what: str) -> None:
    command = [python, "-m", "pip", "--disable-pip-version-check", *words]
    try:
        done = ask(command, _PIP_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise error("%s: %s. Try by hand: %s" % (what, exc, " ".join(command))) from exc
    if done.returncode == 0:
        return
    text = done.stdout.decode("utf-8", "replace")
    if "externally-managed-environment" in text:
        raise error(
            "%s: this Python belongs to the operating system. Make a virtual environment "
            "(python3 -m venv FOLDER) and give its Python with --python." % what
        )
    lines = [line for line in text.strip().splitlines() if line.strip()]
    raise error("%s:\n%s" % (what, "\n".join("    " + line[:300] for line in lines[-6:])))
