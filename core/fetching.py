"""Receiving a folder from a machine: whole and verified, or not at all.

A Machine lists the folder (:class:`Entry`, with checksums made on its own side) and gives the bytes of
a file; everything on this computer's side is here, so that every kind of machine behaves alike.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from .errors import ExportError
from .machine import Cancelled, FetchedFolder, Progress

MAX_FILES = 100_000
BLOCK = 1 << 20


class FetchCancelled(ExportError):
    pass


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a folder; ``path`` is relative to it, with slashes."""

    path: str
    size: int
    sha256: str


Read = Callable[[str], Iterable[bytes]]


def receive(
    entries: Sequence[Entry],
    read: Read,
    destination: Path,
    progress: Progress,
    cancelled: Cancelled,
) -> FetchedFolder:
    """Writes ``entries`` to a temporary folder beside ``destination`` and renames it at the end.

    Raises ExportError; FetchCancelled when ``cancelled`` said so. Then nothing is left behind.
    """
    _check(entries, destination)
    total = sum(entry.size for entry in entries)
    with _translated(destination):
        destination.parent.mkdir(parents=True, exist_ok=True)
        _check_room(destination.parent, total)
        temporary = Path(
            tempfile.mkdtemp(prefix=f".{destination.name}.", suffix=".part", dir=destination.parent)
        )
        try:
            _receive_all(entries, read, temporary, progress, cancelled, total)
            temporary.chmod(0o755)
            temporary.rename(destination)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
    return FetchedFolder(destination, len(entries), total)


def _check(entries: Sequence[Entry], destination: Path) -> None:
    if not entries:
        raise ExportError("The folder to fetch is empty. Export the model again.")
    if len(entries) > MAX_FILES:
        raise ExportError(f"The folder to fetch has more than {MAX_FILES} files.")
    for entry in entries:
        parts = PurePosixPath(entry.path).parts
        if not parts or entry.path.startswith("/") or ".." in parts or "\0" in entry.path:
            raise ExportError(f"The folder to fetch names a file outside itself: {entry.path!r}.")
    if destination.is_symlink() or destination.exists():
        if destination.is_dir() and not any(destination.iterdir()):
            return
        raise ExportError(f"{destination} exists already. Choose a new folder.")


def _check_room(folder: Path, total: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < total:
        raise ExportError(
            f"{folder} has {free >> 20} MB left, but {(total >> 20) + 1} MB are needed. "
            "Make room or choose another folder."
        )


def _receive_all(
    entries: Sequence[Entry],
    read: Read,
    folder: Path,
    progress: Progress,
    cancelled: Cancelled,
    total: int,
) -> None:
    done = 0
    progress(0, total)
    for entry in entries:
        path = folder.joinpath(*PurePosixPath(entry.path).parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            for block in read(entry.path):
                if cancelled():
                    raise FetchCancelled("Fetching was cancelled. Nothing was left behind.")
                file.write(block)
                done += len(block)
                progress(done, total)
            file.flush()
            os.fsync(file.fileno())
        if sha256_of(path) != entry.sha256:
            raise ExportError(f"{entry.path} arrived damaged or changed meanwhile. Fetch it again.")


@contextlib.contextmanager
def _translated(destination: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise ExportError(
            f"Cannot write {destination}: {error.strerror or error}. Choose another folder."
        ) from error


def sha256_of(path: Path) -> str:
    digest = hashlib.sha256()
    for block in blocks_of(path):
        digest.update(block)
    return digest.hexdigest()


def blocks_of(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            yield block
