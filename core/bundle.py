"""``maypole-<hash>.pyz``: the folder ``trainer/`` as it travels, under the name ``maypole``.

The same source gives the same bytes on every machine: sorted names, fixed times and modes, stored and
not compressed (zlib's output differs between versions). So a machine that has the name has the file.
"""

from __future__ import annotations

import hashlib
import io
import os
import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import trainer.protocol

from .errors import InvalidInput
from .home import Home
from .machine import Machine

PACKAGE = "maypole"
BUILTIN_PREFIX = "maypole:"
"""A script that comes with Maypole is called maypole:<module in workloads/>; `work` finds it itself."""

_TIME = (1980, 1, 1, 0, 0, 0)
_MODE = 0o100644 << 16
# Guarded: multiprocessing's spawn (horovodrun uses it) imports __main__ again in every child.
_MAIN = b"""import sys

if __name__ == "__main__":
    from maypole.__main__ import main

    sys.exit(main(sys.argv[1:]))
"""


@dataclass(frozen=True, slots=True)
class Bundle:
    """``scripts``: what a profile may name as a built-in script."""

    name: str
    data: bytes = field(repr=False)
    scripts: tuple[str, ...] = ()

    def path(self, home: Home) -> str:
        return posixpath.join(home.bundles, self.name)

    def put(self, machine: Machine, home: Home) -> str:
        """Makes sure that ``machine`` has the bundle; gives its path there. Raises MachineError."""
        path = self.path(home)
        if not machine.exists(path):
            machine.write_file(path, self.data)
        return path

    def check_script(self, script: str) -> None:
        """Raises InvalidInput for the name of a built-in script that is not there."""
        if script.startswith(BUILTIN_PREFIX) and script not in self.scripts:
            known = ", ".join(self.scripts) or "none"
            raise InvalidInput(
                "script", f"There is no built-in script {script!r:.80}. Built in: {known}."
            )


def source_folder() -> Path:
    assert trainer.protocol.__file__ is not None
    return Path(trainer.protocol.__file__).parent


def build(source: Path | None = None) -> Bundle:
    """Packs ``source`` (default: the installed trainer/). Takes some milliseconds; keep the result."""
    folder = source or source_folder()
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in _files(folder)}
    data = _archive(files)
    digest = hashlib.sha256(data).hexdigest()[:12]
    return Bundle(f"{PACKAGE}-{digest}.pyz", data, _scripts(files))


def _scripts(files: dict[str, bytes]) -> tuple[str, ...]:
    match = [re.fullmatch(r"workloads/([a-z][a-z0-9_]*)\.py", path) for path in sorted(files)]
    return tuple(BUILTIN_PREFIX + found[1] for found in match if found)


def _files(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if _travels(name)]
        yield from (Path(root, name) for name in names if _travels(name))


def _travels(name: str) -> bool:
    return not (name.startswith(".") or name == "__pycache__" or name.endswith((".pyc", "~")))


def _archive(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_member("__main__.py"), _MAIN)
        for path in sorted(files):
            archive.writestr(_member(f"{PACKAGE}/{path}"), files[path])
    return buffer.getvalue()


def _member(path: str) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(path, _TIME)
    member.create_system = 3
    member.external_attr = _MODE
    return member
