"""Runs on a named fake of driver and workers.

The bundle is built of trainer/ with three files replaced by those in programs/fakerun/: no Horovod and no
TensorFlow start, but real processes, sockets, files and signals, with a step every hundredth of a second.
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from core import bundle
from trainer import processes
from trainer.rundir import read_json

from .linklab import ROOT
from .startedrun import Attached, StartedRun

__all__ = ["Attached", "FakeRun", "build", "fake_run"]

_FAKES = Path(__file__).parent / "programs" / "fakerun"
_REPLACED = {"drive.py": "drive/main.py", "work.py": "work/main.py", "verifying.py": "verifying.py"}


def build(folder: Path) -> Path:
    """A bundle with the fakes inside."""
    source = folder / "source"
    shutil.copytree(ROOT / "trainer", source, ignore=shutil.ignore_patterns("__pycache__"))
    for fake, name in _REPLACED.items():
        shutil.copyfile(_FAKES / fake, source / name)
    made = bundle.build(source)
    path = folder / made.name
    path.write_bytes(made.data)
    shutil.rmtree(source)
    return path


class FakeRun(StartedRun):
    def start(self, **changes: Any) -> Self:
        super().start(**changes)
        (self.files.root / "fake").mkdir(exist_ok=True)
        return self

    def steer(self, name: str, text: str = "") -> None:
        (self.files.root / "fake").mkdir(exist_ok=True)
        (self.files.root / "fake" / name).write_text(text)

    def unsteer(self, name: str) -> None:
        (self.files.root / "fake" / name).unlink()

    def driver(self) -> int:
        """The fake driver itself, below its wrapper."""
        leader = int((read_json(self.files.driver_pid) or {})["pid"])
        for process in processes.everyone():
            if processes.parent_of(process.pid) == leader:
                return process.pid
        return -1


@contextlib.contextmanager
def fake_run(home: Path, made: Path) -> Iterator[FakeRun]:
    run = FakeRun(home, made)
    try:
        yield run
    finally:
        run.close()
