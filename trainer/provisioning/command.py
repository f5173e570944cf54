"""Other programs, asked for an answer."""

from __future__ import annotations

import subprocess
from typing import Mapping, Optional, Sequence


def ask(
    words: Sequence[str],
    seconds: float,
    *,
    merged: bool = True,
    env: Optional[Mapping[str, str]] = None,
    cwd: Optional[str] = None,
) -> "subprocess.CompletedProcess[bytes]":
    """How it ended and its output, with ``merged`` both streams as one. It gets no input.

    Raises OSError, or subprocess.TimeoutExpired after ``seconds``; it does not run any more then.
    """
    return subprocess.run(
        words,
        env=env,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT if merged else subprocess.PIPE,
        timeout=seconds,
        check=False,
    )
