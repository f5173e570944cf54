"""The one door to a machine: run a command, talk to a process, read and write files there.

Paths are text in the machine's own form; only :meth:`Machine.fetch` has a local path, its destination.
Every method blocks and may be called from any thread but the window's. All raise MachineError.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .errors import CommandFailed

OUTPUT_LIMIT = 16 << 20
"""Bytes of a command's output that are taken; a command that says more is ended."""

Progress = Callable[[int, int], None]
"""Called with bytes done and bytes in all."""
Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Completed:
    """What a command said. It may have failed: see :func:`checked`."""

    program: str
    status: int
    stdout: bytes
    stderr: bytes


@dataclass(frozen=True, slots=True)
class FetchedFolder:
    path: Path
    files: int
    size_bytes: int


class Channel(Protocol):
    """A running process and its standard streams. One thread reads, one writes, any may close."""

    def write(self, data: bytes) -> None:
        """All of ``data``. Raises MachineError when the process does not read any more."""

    def readline(self, limit: int) -> bytes:
        """A line with its newline; b"" at the end. Raises MachineError for one above ``limit`` bytes."""

    def close(self) -> None:
        """Ends the process, by force if it must. A blocked readline returns. Idempotent."""

    def wait(self, timeout: float) -> int | None:
        """Its exit status, or None when it has not ended in ``timeout`` seconds."""

    def last_words(self) -> str:
        """The end of what it wrote to standard error."""


class Machine(Protocol):
    @property
    def name(self) -> str:
        """How a person knows it."""

    def run(self, argv: Sequence[str], *, input: bytes = b"", timeout: float) -> Completed: ...

    def open(self, argv: Sequence[str]) -> Channel: ...

    def write_file(self, path: str, data: bytes, mode: int = 0o644) -> None:
        """Replaces ``path`` whole; makes the folders that it needs."""

    def read_file(self, path: str, limit: int) -> bytes:
        """At most the first ``limit`` bytes."""

    def exists(self, path: str) -> bool: ...

    def list_folder(self, path: str) -> list[str]:
        """Names in it, sorted; empty when there is no such folder."""

    def fetch(
        self, source: str, destination: Path, progress: Progress, cancelled: Cancelled
    ) -> FetchedFolder:
        """Copies a folder to this computer: verified by checksums, whole or not at all."""


def checked(completed: Completed) -> Completed:
    """``completed`` itself when it succeeded. Raises CommandFailed."""
    if completed.status == 0:
        return completed
    words = last_lines(completed.stderr or completed.stdout)
    raise CommandFailed(
        f"{completed.program} ended with status {completed.status}: {words or 'it said nothing.'}",
        completed.status,
        words,
    )


def last_lines(output: bytes, count: int = 5, width: int = 400) -> str:
    lines = [line for line in output.decode("utf-8", "replace").splitlines() if line.strip()]
    return "\n".join(line[:width] for line in lines[-count:])
