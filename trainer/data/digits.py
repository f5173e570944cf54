"""1,797 real handwritten digits (see DIGITS.md: UCI, CC BY 4.0), also from inside a zip application."""

from __future__ import annotations

import pkgutil
import zlib
from typing import Any, Tuple

import numpy as np

COUNT, SIDE, DARKEST = 1797, 8, 16
TRAIN = 1437
"""Images for training; the other 360 are for testing."""
_ORDER_SEED = 20

Arrays = Tuple[Any, Any]


def load() -> Tuple[Arrays, Arrays]:
    """((x, y) for training, (x, y) for testing): x float32 (n, 8, 8, 1) in 0..1, y int64 (n,).

    The split is the same everywhere and always. The original order goes writer by writer, so that its
    tail is unlike its head; here every writer is in both parts.
    """
    rows = _rows()[np.random.RandomState(_ORDER_SEED).permutation(COUNT)]
    images = rows[:, :-1].reshape(COUNT, SIDE, SIDE, 1).astype(np.float32) / np.float32(DARKEST)
    digits = rows[:, -1].astype(np.int64)
    return (images[:TRAIN], digits[:TRAIN]), (images[TRAIN:], digits[TRAIN:])


def _rows() -> Any:
    packed = pkgutil.get_data(__package__, "digits.bin")
    if packed is None:
        raise FileNotFoundError(
            "digits.bin is missing beside %s: this bundle is damaged" % __name__
        )
    values = np.frombuffer(zlib.decompress(packed), dtype=np.uint8)
    return values.reshape(COUNT, SIDE * SIDE + 1)
