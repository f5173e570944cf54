"""A virtual screen of its own: Xvfb on a display number that it chooses itself."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def screen(size: str = "1440x900x24") -> Iterator[str]:
    """Gives the DISPLAY. Raises FileNotFoundError where there is no Xvfb."""
    reader, writer = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(writer), "-screen", "0", size, "-nolisten", "tcp"],
        pass_fds=(writer,),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(writer)
    try:
        with os.fdopen(reader) as pipe:
            number = pipe.readline().strip()
        if not number:
            raise RuntimeError(f"Xvfb ended with status {server.wait()}")
        yield f":{number}"
    finally:
        server.terminate()
        server.wait()
