"""How quick the window is, with a real supervisor, horovodrun and training behind it.

One run gives both figures. Its --max-np is full, so hosts dragged in are on standby: a drop takes its whole
way while the training, whose points are timed too, is not reset each time.
"""

from __future__ import annotations

import functools
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

DROPS = 60
BATCHES = 600
"""At 0.05 s a batch this takes half a minute, and is about three frames a point."""

PROFILE = """format = 1
name = "bench"
script = "maypole:digits"
script_args = ["--pace", "0.05", "--epochs", "1000"]
np = 2
max_np = 2
network_interface = "lo"
rehearsal = true
[env]
CUDA_VISIBLE_DEVICES = "-1"
OMP_NUM_THREADS = "1"
TF_CPP_MIN_LOG_LEVEL = "2"
TF_NUM_INTEROP_THREADS = "1"
TF_NUM_INTRAOP_THREADS = "1"
"""
_HOST = '[[hosts]]\nname = "demo-{0}"\nslots = 1\nin_job = {1}\n'


@functools.lru_cache
def measured() -> tuple[list[float], list[float]]:
    """Milliseconds from drop to script, and from batch end to pixel."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from helpers.fakeprompter import FakePrompter
    from helpers.player import Player

    from gui import names
    from gui.app import Options, make_app

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        profile = folder / "bench.toml"
        hosts = [_HOST.format(n, "true" if n < 3 else "false") for n in (1, 2, 3, 4)]
        profile.write_text(PROFILE + "".join(hosts), encoding="utf-8")
        player = Player(make_app([]), folder, FakePrompter(), Options(profile=str(profile)))
        try:
            player.start(2)
            pixels = _pixels(player)
            drops = [_drop(player, place) for place in range(DROPS)]
            player.wait(lambda: len(pixels) >= BATCHES, 240, "enough points")
            player.press(names.STOP_ACTION)
            player.over(180)
        finally:
            player.close()
    return drops, pixels


def _pixels(player: Any) -> list[float]:
    """Filled while the run goes on: every batch, once, when the frame that shows it has been painted."""
    from core.events import Batch

    waiting: list[tuple[int, float]] = []
    found: list[float] = []

    def arrived(records: Any) -> None:
        waiting.extend((r.seq, r.event.wall) for r in records if isinstance(r.event, Batch))

    def painted(seq: int) -> None:
        now = time.time()
        while waiting and waiting[0][0] <= seq:
            found.append((now - waiting.pop(0)[1]) * 1e3)

    player.application.session.records.connect(arrived)
    player.window.curves.frame_painted.connect(painted)
    return found


def _drop(player: Any, place: int) -> float:
    """Drags a host in or out; the time until the supervisor says that the new script is in place."""
    from core.events import ScriptWritten

    written: list[float] = []

    def arrived(records: Any) -> None:
        written.extend(r.time for r in records if isinstance(r.event, ScriptWritten))

    player.application.session.records.connect(arrived)
    host = f"demo-{3 + place // 2 % 2}"
    began = time.time()
    player.drag(host, to_job=place % 2 == 0)
    player.wait(lambda: bool(written), 30, "the script")
    player.application.session.records.disconnect(arrived)
    shown = player.column(place % 2 == 0).hosts
    player.wait(lambda: shown.row_of(host) >= 0, 10, "the card")
    return (written[0] - began) * 1e3


def _p95(name: str, values: Callable[[], list[float]]) -> Callable[[], dict[str, Any]]:
    def bench() -> dict[str, Any]:
        found = values()
        return {
            "name": name,
            "value": round(float(np.percentile(found, 95)), 2),
            "unit": "ms",
            "n": len(found),
        }

    return bench


BENCHES = {
    "drop_to_script_p95_ms": _p95("drop_to_script_p95_ms", lambda: measured()[0]),
    "batch_to_pixel_p95_ms": _p95("batch_to_pixel_p95_ms", lambda: measured()[1]),
}
