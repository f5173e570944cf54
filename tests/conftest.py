"""For every test: nothing is left behind. Qt is imported by the tests that need it, not here."""

from __future__ import annotations

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Fusion's own look everywhere: a desktop's platform theme would change fonts and colours.
os.environ.setdefault("QT_QPA_PLATFORMTHEME", "")

_PATIENCE = 5.0
_FOR_LIFE = {"ends"}
"""Threads that live as long as their process by design: drive's watcher of its workers' ends."""


@pytest.fixture(autouse=True)
def _nothing_left_behind(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[None]:
    """Fails a test that leaves a thread, a child process or a temporary file."""
    temporary = tmp_path_factory.mktemp("t", numbered=True)
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    threads, children = set(threading.enumerate()), _children()
    yield
    left = _settle(lambda: _names(set(threading.enumerate()) - threads))
    assert not left, f"threads left behind: {left}"
    left = _settle(lambda: [_command(pid) for pid in _children() - children])
    assert not left, f"processes left behind: {left}"
    if request.node.get_closest_marker("horovod") is None:  # TensorFlow keeps files of its own
        left = _settle(lambda: sorted(path.name for path in temporary.iterdir()))
        assert not left, f"temporary files left behind: {left}"


def _settle(left: Callable[[], list[str]]) -> list[str]:
    """What is still there after a while; what is ending may end."""
    deadline = time.monotonic() + _PATIENCE
    while (still := left()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return still


def _names(threads: set[threading.Thread]) -> list[str]:
    return sorted(thread.name for thread in threads if thread.name not in _FOR_LIFE)


def _children() -> set[int]:
    found: set[int] = set()
    for task in Path("/proc/self/task").glob("*/children"):
        try:
            found.update(map(int, task.read_text().split()))
        except OSError:  # that thread has just ended
            continue
    return found


def _command(pid: int) -> str:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
    except OSError:
        return str(pid)
    return f"{pid} {words.decode('utf-8', 'replace')[:120] or '(ended, not waited for)'}"
