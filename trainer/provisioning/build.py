"""Compile the wheel: minutes of work, its whole output in a log, its progress told."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import time
from collections import deque
from pathlib import Path
from typing import IO, Callable, Deque, List, Mapping

from .errors import BuildFailed

Say = Callable[[str], None]
_PERCENT = re.compile(r"^\s*\[\s*(\d{1,3})%\]")
_TELL_EVERY_SECONDS = 15.0
_LAST_LINES = 15
_LINE_LIMIT = 4096


class Progress:
    """Turns make's "[ 42%]" lines into a line every quarter of a minute."""

    def __init__(self, say: Say, now: Callable[[], float] = time.monotonic) -> None:
        self._say = say
        self._now = now
        self._start = now()
        self._told_at = self._start
        self._told = -1

    def see(self, line: str) -> None:
        match = _PERCENT.match(line)
        if match is None:
            return
        percent, now = int(match.group(1)), self._now()
        if percent <= self._told or now - self._told_at < _TELL_EVERY_SECONDS:
            return
        self._told, self._told_at = percent, now
        self._say("  compiling: %d %% after %s" % (percent, duration(now - self._start)))


def duration(seconds: float) -> str:
    whole = round(seconds)
    return "%d s" % whole if whole < 60 else "%d min %02d s" % divmod(whole, 60)


def wheel_command(python: str, tree: Path, folder: Path) -> List[str]:
    """No isolation: the build must see the TensorFlow that it is for. No pip cache: see recipe.py."""
    return [python, "-m", "pip", "wheel", "-v", "--no-build-isolation", "--no-deps",
            "--no-cache-dir", "--disable-pip-version-check", "--wheel-dir", str(folder),
            str(tree)]  # fmt: skip


def build(
    python: str, tree: Path, folder: Path, environ: Mapping[str, str], log: Path, say: Say
) -> Path:
    """Build the wheel of `tree` into `folder`; BuildFailed tells its last lines and the log."""
    last: Deque[str] = deque(maxlen=_LAST_LINES)
    status = _run(wheel_command(python, tree, folder), environ, log, Progress(say), last)
    wheels = sorted(folder.glob("horovod-*.whl"))
    if status != 0 or len(wheels) != 1:
        raise BuildFailed(
            "Horovod did not compile (exit status %d). The whole build log is in %s; it ends so:\n%s"
            % (status, log, "\n".join("    " + line for line in last)),
            log,
        )
    return wheels[0]


def _run(
    command: List[str],
    environ: Mapping[str, str],
    log: Path,
    progress: Progress,
    last: Deque[str],
) -> int:
    process = subprocess.Popen(
        command,
        env=dict(environ),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    assert process.stdout is not None  # it was asked for
    with process.stdout as output, log.open("wb") as file:
        try:
            for raw in iter(lambda: output.readline(_LINE_LIMIT), b""):
                file.write(raw)
                line = raw.decode("utf-8", "replace").rstrip()
                last.append(line[:300])
                progress.see(line)
            return process.wait()
        except BaseException:
            _end(process, output)
            raise


def _end(process: subprocess.Popen[bytes], output: IO[bytes]) -> None:
    """After an interrupt: pip, CMake, make and its compilers are one session, end them all.

    Each of them holds the other end of `output`: at its end none is left to write a file.
    """
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    while output.read(1 << 16):
        pass
    process.wait()
