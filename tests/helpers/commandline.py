"""`maypole ...` as a person types it, in processes and in a MAYPOLE_HOME of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from helpers.linklab import ROOT, wait_until

from trainer.eventcodec import record_from_wire
from trainer.events import Record


def start(home: Path, *words: str) -> subprocess.Popen[str]:
    environ = os.environ | {"MAYPOLE_HOME": str(home), "PYTHONPATH": str(ROOT)}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-m", "gui", *words],
        stdout=pipe, stderr=pipe, stdin=subprocess.DEVNULL, text=True, env=environ, cwd=home,
    )  # fmt: skip


def maypole(home: Path, *words: str) -> tuple[int, str, str]:
    with start(home, *words) as process:
        stdout, stderr = process.communicate(timeout=240)
    return process.returncode, stdout, stderr


def records(text: str) -> list[Record]:
    return [record_from_wire(json.loads(line)) for line in text.splitlines()]


def read_until(process: subprocess.Popen[str], kind: type, size: int) -> None:
    """Reads the events of ``process`` up to one of ``kind`` at this world size."""

    def seen() -> bool:
        assert process.stdout is not None
        event = record_from_wire(json.loads(process.stdout.readline())).event
        return isinstance(event, kind) and getattr(event, "size", 0) == size

    wait_until(seen, f"no {kind.__name__} with {size} workers", 120)
