"""What is to be built: the values that tell one Horovod wheel from another.

pip's and uv's own wheel caches do not know which TensorFlow a Horovod was compiled for, so the
recipe has a key of its own for our cache, and a marker that travels in the wheel.
"""

from __future__ import annotations

import re
from typing import Any, Dict, NamedTuple, Tuple

from ..corrections import MARKER_FORMAT, RUNTIME_CORRECTIONS
from . import patches
from .patches import Correction

HOROVOD = "0.28.1"
GLOO = "gloo"
NCCL = "nccl"


class Recipe(NamedTuple):
    """`operations`: what carries the collectives, "gloo" or (on GPUs) "nccl"."""

    tensorflow: str
    python_tag: str
    platform: str
    operations: str
    corrections: Tuple[Correction, ...]

    @property
    def key(self) -> str:
        parts = ("horovod", HOROVOD, "tf" + self.tensorflow, self.python_tag, self.platform,
                 self.operations, patches.digest(self.corrections))  # fmt: skip
        return re.sub(r"[^A-Za-z0-9._+-]", "_", "-".join(parts))

    @property
    def is_stock(self) -> bool:
        return not self.runtime_corrections

    @property
    def runtime_corrections(self) -> Tuple[str, ...]:
        return tuple(c.name for c in self.corrections if c.name in RUNTIME_CORRECTIONS)

    def marker(self) -> Dict[str, Any]:
        """The content of `horovod/maypole.json`; equal markers mean the same build."""
        return {
            "format": MARKER_FORMAT,
            "horovod": HOROVOD,
            "tensorflow": self.tensorflow,
            "python": self.python_tag,
            "platform": self.platform,
            "operations": self.operations,
            "corrections": sorted(self.runtime_corrections),
            "digest": patches.digest(self.corrections),
        }


def release(version: str) -> Tuple[int, int]:
    """Major and minor number: "2.21.0" -> (2, 21)."""
    match = re.match(r"(\d+)\.(\d+)", version)
    return (int(match.group(1)), int(match.group(2))) if match else (0, 0)


def corrections_for(tensorflow: str, stock: bool) -> Tuple[Correction, ...]:
    """What compiling needs, then the run-time corrections unless `stock`, then our marker."""
    compiling = (patches.NO_XLA_OPS,) if release(tensorflow) >= (2, 16) else ()
    runtime = () if stock else patches.RUNTIME
    return compiling + runtime + (patches.CARRY_MARKER,)
