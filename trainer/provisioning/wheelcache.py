"""Built wheels, one folder a recipe, and the lock that keeps two provisions apart."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
import tempfile
import zipfile
from pathlib import Path
from typing import Any, Callable, Iterator, Mapping, Optional

from ..corrections import MARKER_NAME
from .errors import ProvisionError

Say = Callable[[str], None]
_MARKER_LIMIT = 64 * 1024


def default_folder(environ: Mapping[str, str]) -> Path:
    base = environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "maypole" / "wheels"


class WheelCache:
    """`folder` is made when missing, readable by its owner only: what lies in it gets installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def prepare(self) -> None:
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=str(self.folder)):
                pass
        except OSError as exc:
            raise ProvisionError(
                "The cache folder '%s' cannot be written (%s). Give another with --cache."
                % (self.folder, exc.strerror)
            ) from exc

    def find(self, key: str, marker: Mapping[str, Any]) -> Optional[Path]:
        """The whole wheel stored under `key`, if it carries the marker that it should."""
        for wheel in sorted((self.folder / key).glob("*.whl")):
            if marker_in(wheel) == marker:
                return wheel
        return None

    def store(self, key: str, wheel: Path) -> Path:
        """Copy a wheel in; at no moment is a part of it visible under its name."""
        folder = self.folder / key
        folder.mkdir(mode=0o700, exist_ok=True)
        part = folder / (".%s.%d" % (wheel.name, os.getpid()))
        try:
            with wheel.open("rb") as source, part.open("wb") as target:
                shutil.copyfileobj(source, target)
                target.flush()
                os.fsync(target.fileno())
            os.replace(str(part), str(folder / wheel.name))
        except OSError as exc:
            with contextlib.suppress(FileNotFoundError):
                part.unlink()
            raise ProvisionError(
                "The built wheel cannot be kept in '%s' (%s). Make room there, or give another "
                "folder with --cache." % (folder, exc.strerror)
            ) from exc
        return folder / wheel.name

    @contextlib.contextmanager
    def locked(self, say: Say) -> Iterator[None]:
        """Only one provision at a time works with this cache; the others wait here.

        The kernel drops the lock with its process, so a killed provision leaves none behind.
        """
        with (self.folder / "lock").open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("Another provision is at work with this cache; waiting until it is done.")
                fcntl.flock(file, fcntl.LOCK_EX)
            yield


def marker_in(wheel: Path) -> Optional[Mapping[str, Any]]:
    """The marker that a wheel carries; None for a wheel that is not whole or not ours."""
    try:
        with zipfile.ZipFile(str(wheel)) as archive:
            with archive.open("horovod/" + MARKER_NAME) as file:
                marker = json.loads(file.read(_MARKER_LIMIT))
    except (OSError, zipfile.BadZipFile, KeyError, ValueError):
        return None
    return marker if isinstance(marker, dict) else None
