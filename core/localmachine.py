"""This computer as a Machine."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from .errors import ExportError, MachineError
from .fetching import Entry, blocks_of, receive, sha256_of
from .machine import OUTPUT_LIMIT, Cancelled, Completed, FetchedFolder, Progress

_GRACE = 2.0
"""Seconds between asking a process to end and ending it."""


class LocalMachine:
    @property
    def name(self) -> str:
        return "this computer"

    def run(self, argv: Sequence[str], *, input: bytes = b"", timeout: float) -> Completed:
        with _start(argv) as process:
            try:
                stdout, stderr = _converse(process, input, time.monotonic() + timeout)
            finally:
                _end(process)
        return Completed(argv[0], process.returncode, stdout, stderr)

    def open(self, argv: Sequence[str]) -> LocalChannel:
        return LocalChannel(argv)

    def write_file(self, path: str, data: bytes, mode: int = 0o644) -> None:
        target = Path(path)
        with _translated("write", path):
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                Path(temporary).chmod(mode)
                Path(temporary).replace(target)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise

    def read_file(self, path: str, limit: int) -> bytes:
        with _translated("read", path), Path(path).open("rb") as file:
            return file.read(limit)

    def exists(self, path: str) -> bool:
        with _translated("look for", path):
            return Path(path).exists()

    def list_folder(self, path: str) -> list[str]:
        with _translated("read", path):
            try:
                return sorted(entry.name for entry in Path(path).iterdir())
            except FileNotFoundError:
                return []

    def fetch(
        self, source: str, destination: Path, progress: Progress, cancelled: Cancelled
    ) -> FetchedFolder:
        root = Path(source)
        with _translated("read", source):
            entries = list(_entries(root))
        return receive(
            entries, lambda path: blocks_of(root / path), destination, progress, cancelled
        )


class LocalChannel:
    def __init__(self, argv: Sequence[str]) -> None:
        self._program = argv[0]
        self._process = _start(argv)
        self._closing = threading.Lock()
        self._reading = threading.Lock()
        self._words: deque[bytes] = deque(maxlen=20)
        self._listener = threading.Thread(
            target=self._listen, name=f"stderr of {Path(argv[0]).name}", daemon=True
        )
        self._listener.start()

    def write(self, data: bytes) -> None:
        stdin = _pipe(self._process.stdin)
        try:
            stdin.write(data)
            stdin.flush()
        except (OSError, ValueError) as error:
            raise MachineError(f"{self._program} does not listen any more: {error}") from error

    def readline(self, limit: int) -> bytes:
        try:
            with self._reading:
                line = _pipe(self._process.stdout).readline(limit + 1)
        except (OSError, ValueError) as error:
            raise MachineError(f"{self._program} cannot be read any more: {error}") from error
        if len(line) > limit:
            raise MachineError(f"{self._program} wrote a line of more than {limit} bytes.")
        return line

    def close(self) -> None:
        with self._closing:
            stdin = _pipe(self._process.stdin)
            with contextlib.suppress(OSError):  # what was not sent when the reader is gone
                stdin.close()
            _end(self._process)
        self._listener.join(_GRACE)
        # A reader sees its end now; only when somebody else kept the pipe open does it stay ours.
        if self._reading.acquire(timeout=_GRACE):
            _pipe(self._process.stdout).close()
            self._reading.release()

    def wait(self, timeout: float) -> int | None:
        try:
            return self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            return None

    def last_words(self) -> str:
        self._listener.join(0.2 if self._process.poll() is not None else 0)
        return b"".join(self._words).decode("utf-8", "replace").strip()

    def _listen(self) -> None:
        stderr = _pipe(self._process.stderr)
        while line := stderr.readline(4096):
            self._words.append(line)
        stderr.close()


def _start(argv: Sequence[str]) -> subprocess.Popen[bytes]:
    """In a session of its own: a Ctrl-C in the terminal is for us, not for it."""
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            list(argv), stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
    except FileNotFoundError as error:
        raise MachineError(f"There is no program {argv[0]} on this computer.") from error
    except OSError as error:
        raise MachineError(f"Cannot start {argv[0]}: {error.strerror}.") from error


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None  # every process of this module has all its pipes
    return stream


def _converse(
    process: subprocess.Popen[bytes], input: bytes, deadline: float
) -> tuple[bytes, bytes]:
    """Feeds ``input`` and reads both outputs. Raises MachineError at the deadline or above the limit."""
    stdin, stdout, stderr = (
        _pipe(stream) for stream in (process.stdin, process.stdout, process.stderr)
    )
    taken = {stdout.fileno(): bytearray(), stderr.fileno(): bytearray()}
    left = memoryview(input)
    with selectors.DefaultSelector() as selector:
        for number in taken:
            selector.register(number, selectors.EVENT_READ)
        os.set_blocking(stdin.fileno(), False)
        selector.register(stdin, selectors.EVENT_WRITE)
        while selector.get_map():
            for key, _ in selector.select(_left(process, deadline)):
                if key.fd in taken:
                    _take(process, selector, key.fd, taken[key.fd])
                else:
                    left = _feed(selector, stdin, left)
    _wait(process, deadline)
    return bytes(taken[stdout.fileno()]), bytes(taken[stderr.fileno()])


def _left(process: subprocess.Popen[bytes], deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise MachineError(f"{_program(process)} did not end in time. Try again.")
    return left


def _wait(process: subprocess.Popen[bytes], deadline: float) -> None:
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired as error:
        raise MachineError(f"{_program(process)} did not end in time. Try again.") from error


def _take(
    process: subprocess.Popen[bytes], selector: selectors.BaseSelector, number: int, to: bytearray
) -> None:
    block = os.read(number, 1 << 16)
    to += block
    if not block:
        selector.unregister(number)
    if len(to) > OUTPUT_LIMIT:
        raise MachineError(f"{_program(process)} wrote more than {OUTPUT_LIMIT >> 20} MB.")


def _feed(selector: selectors.BaseSelector, stdin: IO[bytes], left: memoryview) -> memoryview:
    try:
        left = left[os.write(stdin.fileno(), left[: 1 << 16]) :] if left else left
    except BlockingIOError:
        return left
    except BrokenPipeError:  # it ended, or wants no input: its status tells
        left = left[:0]
    if not left:
        selector.unregister(stdin)
        stdin.close()
    return left


def _program(process: subprocess.Popen[bytes]) -> str:
    assert isinstance(process.args, list)
    return str(process.args[0])


def _end(process: subprocess.Popen[bytes]) -> None:
    """No process of the session is left, except those that went into one of their own."""
    if process.poll() is None:
        _signal(process, signal.SIGTERM)
        try:
            process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            _signal(process, signal.SIGKILL)
            process.wait()


def _signal(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _entries(root: Path) -> Iterator[Entry]:
    if not root.is_dir():
        raise ExportError(f"There is no folder {root}. Export the model again.")
    for path in sorted(root.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield Entry(path.relative_to(root).as_posix(), path.stat().st_size, sha256_of(path))


@contextlib.contextmanager
def _translated(verb: str, path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise MachineError(
            f"Cannot {verb} {path} on this computer: {error.strerror or error}."
        ) from error
