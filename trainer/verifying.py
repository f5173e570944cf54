"""``maypole.pyz verify DIR``: load an exported SavedModel in a fresh process and compare its predictions.

Prints one line of JSON: {"ok", "max_difference", "signature", "size_bytes", "error"}. Needs TensorFlow
only: whoever takes the model home has no Horovod and perhaps no Keras.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from pathlib import Path
from typing import Any, Dict, List

from .exporting import INPUT, MODEL_FACTS, OUTPUT, SIGNATURE, VERIFICATION

TOLERANCE = 1e-4
"""Largest difference, relative to the largest prediction, that is still the same model: a graph may
fuse what the live model did step by step, and another kind of device rounds otherwise."""


class NotVerified(Exception):
    """The sentence says what is wrong with the export."""


def main(argv: List[str]) -> int:
    parser = argparse.ArgumentParser(prog="maypole.pyz verify", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="DIR")
    answer = verify(parser.parse_args(argv).folder)
    print(json.dumps(answer, ensure_ascii=False), flush=True)
    return 0 if answer["ok"] else 1


def verify(folder: Path) -> Dict[str, Any]:
    """Never raises: what goes wrong is the answer's ``error``."""
    answer: Dict[str, Any] = {
        "ok": False,
        "max_difference": None,
        "signature": "",
        "size_bytes": 0,
        "error": "",
    }
    try:
        _verify(folder, answer)
        answer["ok"] = True
    except NotVerified as error:
        answer["error"] = str(error)
    except Exception as error:  # noqa: BLE001  whatever it is, the export cannot be used as it is
        answer["error"] = "The SavedModel cannot be loaded: %s" % _first_line(error)
    return answer


def _verify(folder: Path, answer: Dict[str, Any]) -> None:
    if not (folder / "saved_model.pb").is_file():
        raise NotVerified("%s holds no SavedModel. Export again." % folder)
    answer["size_bytes"] = size_of(folder)
    answer["signature"] = signature_text(folder)
    arrays = _arrays(folder)
    inputs = {name[len(INPUT) :]: value for name, value in arrays.items() if name.startswith(INPUT)}
    expected = {
        name[len(OUTPUT) :]: value for name, value in arrays.items() if name.startswith(OUTPUT)
    }
    difference = largest_difference(expected, _predict(folder, inputs))
    answer["max_difference"] = difference if math.isfinite(difference) else str(difference)
    largest = max((_largest(value) for value in expected.values()), default=0.0)
    if not difference <= TOLERANCE * max(1.0, largest):
        raise NotVerified(
            "The reloaded model predicts something else: the largest difference is %g. Do not use this "
            "export; export again." % difference
        )


def _predict(folder: Path, inputs: Dict[str, Any]) -> Dict[str, Any]:
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    import tensorflow as tf

    function = tf.saved_model.load(str(folder)).signatures[SIGNATURE]
    result = function(**{name: tf.constant(value) for name, value in inputs.items()})
    if any(name.partition(".")[0] == "horovod" for name in sys.modules):
        raise NotVerified("Loading this model imported Horovod, so it would not load without it.")
    return {name: value.numpy() for name, value in result.items()}


def largest_difference(expected: Dict[str, Any], found: Dict[str, Any]) -> float:
    """Infinite where one is a number and the other is not, or where names or shapes differ."""
    import numpy as np

    if set(expected) != set(found):
        raise NotVerified(
            "The reloaded model has the outputs %s instead of %s. Export again."
            % (sorted(found), sorted(expected))
        )
    worst = 0.0
    for name, wanted in expected.items():
        have = np.asarray(found[name])
        if have.shape != wanted.shape:
            return math.inf
        if wanted.dtype.kind not in "fiub":
            worst = max(worst, 0.0 if np.array_equal(have, wanted) else math.inf)
        elif wanted.size:
            with np.errstate(invalid="ignore"):
                apart = np.abs(have.astype(np.float64) - wanted.astype(np.float64))
            same = (have == wanted) | (np.isnan(apart) & (np.isnan(have) == np.isnan(wanted)))
            apart = np.where(same, 0.0, np.where(np.isnan(apart), math.inf, apart))
            worst = max(worst, float(apart.max()))
    return worst


def _largest(values: Any) -> float:
    import numpy as np

    if values.dtype.kind not in "fiub" or not values.size:
        return 0.0
    finite = np.where(np.isfinite(values), values, 0)
    return float(np.abs(finite.astype(np.float64)).max())


def _arrays(folder: Path) -> Dict[str, Any]:
    import numpy as np

    try:
        with np.load(str(folder / VERIFICATION), allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except FileNotFoundError as error:
        raise NotVerified(
            "%s is missing in %s: this is no export of Maypole." % (VERIFICATION, folder)
        ) from error


def size_of(folder: Path) -> int:
    """Bytes of everything that is copied when the model is taken home."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def signature_text(folder: Path) -> str:
    """``image: float32 (?, 8, 8, 1) -> dense: float32 (?, 10)``."""
    try:
        facts = json.loads((folder / MODEL_FACTS).read_text(encoding="utf-8"))
        sides = [facts["signature"][side] for side in ("inputs", "outputs")]
        return " -> ".join(", ".join(_port(port) for port in side) for side in sides)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotVerified("%s in %s cannot be read: %s" % (MODEL_FACTS, folder, error)) from error


def _port(port: Dict[str, Any]) -> str:
    shape = ", ".join("?" if size is None else str(size) for size in port["shape"])
    return "%s: %s (%s)" % (port["name"], port["dtype"], shape)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:300] if lines else type(error).__name__
