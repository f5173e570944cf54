"""Horovod's source distribution: fetched by pip, checked, unpacked."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path, PurePosixPath
from typing import Iterator, List, Optional

from .command import ask
from .errors import NoSource
from .recipe import HOROVOD

NAME = "horovod-%s.tar.gz" % HOROVOD
SHA256 = "92a43f5a94c43907a56805bad15f19700c62ffc83b7ca483f9e104e229f67ef0"
"""Of horovod-0.28.1.tar.gz as published. What is compiled and run here must be just that."""
_DOWNLOAD_SECONDS = 600
_UNPACKED_LIMIT = 512 * 1024 * 1024  # it unpacks to 27 MB


def obtain(python: str, folder: Path, given: Optional[Path]) -> Path:
    """The checked sdist: the one given, the one kept in `folder`, or a fresh one put there."""
    if given is not None:
        return _checked(given, "Give the unchanged %s with --sdist." % NAME)
    kept = folder / NAME
    if not (kept.is_file() and _sha256(kept) == SHA256):
        with tempfile.TemporaryDirectory(prefix="download-", dir=str(folder)) as scratch:
            fresh = _download(python, Path(scratch))
            os.replace(str(fresh), str(kept))
    return kept


def _checked(path: Path, advice: str) -> Path:
    try:
        found = _sha256(path)
    except OSError as exc:
        raise NoSource("'%s' cannot be read (%s). %s" % (path, exc.strerror, advice)) from exc
    if found != SHA256:
        raise NoSource("'%s' is not Horovod %s as published. %s" % (path, HOROVOD, advice))
    return path


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def download_command(python: str, folder: Path) -> List[str]:
    """pip's own settings decide where it looks; no index is named here."""
    return [python, "-m", "pip", "download", "--no-binary", "horovod", "--no-deps",
            "--no-build-isolation", "--disable-pip-version-check", "--dest", str(folder),
            "horovod==" + HOROVOD]  # fmt: skip


def _download(python: str, folder: Path) -> Path:
    advice = (
        "Check the network and pip's settings (python -m pip config list), or fetch %s elsewhere "
        "and give it with --sdist." % NAME
    )
    try:
        done = ask(download_command(python, folder), _DOWNLOAD_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise NoSource("pip could not fetch Horovod's source: %s. %s" % (exc, advice)) from exc
    if done.returncode != 0:
        lines = done.stdout.decode("utf-8", "replace").strip().splitlines()
        last = next((line for line in reversed(lines) if "ERROR" in line), "no reason given")
        raise NoSource("pip could not fetch Horovod's source (%s). %s" % (last[:300], advice))
    return _checked(folder / NAME, advice)


def unpack(sdist: Path, folder: Path) -> Path:
    """Unpack a checked sdist into an empty folder; the root of its tree."""
    try:
        with tarfile.open(str(sdist), "r:gz") as archive:
            for member in _plain_members(archive):
                _extract(archive, member, folder)
    except (tarfile.TarError, EOFError, OSError) as exc:
        raise NoSource(
            "'%s' cannot be unpacked into %s (%s). Check the free space, or fetch it again."
            % (sdist, folder, exc)
        ) from exc
    return folder / NAME[: -len(".tar.gz")]


def _plain_members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """Folders and files that stay inside; tarfile's own filters came only with Python 3.12."""
    total = 0
    for member in archive:
        name = PurePosixPath(member.name)
        if name.is_absolute() or ".." in name.parts or not (member.isfile() or member.isdir()):
            raise tarfile.TarError("unexpected entry '%s'" % member.name)
        total += member.size
        if total > _UNPACKED_LIMIT:
            raise tarfile.TarError("too large")
        yield member


def _extract(archive: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    target = folder / member.name
    if member.isdir():
        target.mkdir(parents=True, exist_ok=True)
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    source = archive.extractfile(member)
    assert source is not None  # it is a file
    with source, target.open("wb") as file:
        shutil.copyfileobj(source, file)
    target.chmod(0o755 if member.mode & 0o100 else 0o644)
