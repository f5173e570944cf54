"""Write a Keras model as a SavedModel that needs neither Horovod nor Keras to be used.

One way for every Keras that TensorFlow had: a plain module with one serving function in inference mode
and the variables and lookup tables that it uses. No optimizer, no training functions. Beside it go real
inputs with the live model's predictions (``verification.npz``), so that another process can compare,
and ``maypole.json``, which says what this is. trainer/verifying.py reads both.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import math
import os
import re
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional

MODEL_FACTS = "maypole.json"
VERIFICATION = "verification.npz"
FORMAT = 1
SIGNATURE = "serving_default"
SYNTHETIC_ROWS = 4
INPUT, OUTPUT = "input:", "output:"
"""Prefixes of the arrays' names in verification.npz."""


class ExportError(Exception):
    """The sentence says why the model could not be written."""


class Facts(NamedTuple):
    run: str
    worker: str
    step: int
    epoch: int
    metrics: Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Port:
    """One input or output of the serving function. ``shape``: None where any size will do."""

    name: str
    shape: List[Optional[int]]
    dtype: str


def export_model(model: Any, target: Path, inputs: Any, facts: Facts) -> None:
    """Writes the folder ``target`` whole or not at all. ``inputs``: real ones, or None.

    Raises ExportError, or OSError when the disk refuses."""
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=".%s." % target.name, dir=str(target.parent)))
    try:
        os.chmod(str(partial), 0o755)  # mkdtemp makes it private, and a model is to be taken away
        _write(model, partial, inputs, facts)
        _put_in_place(partial, target)
    finally:
        shutil.rmtree(str(partial), ignore_errors=True)


def _put_in_place(partial: Path, target: Path) -> None:
    if target.is_dir():
        old = Path(tempfile.mkdtemp(prefix=".%s.old." % target.name, dir=str(target.parent)))
        os.rename(str(target), str(old / "model"))
        os.rename(str(partial), str(target))
        shutil.rmtree(str(old))
    else:
        os.rename(str(partial), str(target))


def _write(model: Any, folder: Path, inputs: Any, facts: Facts) -> None:
    import numpy as np
    import tensorflow as tf

    plan = _plan(model, inputs)
    serving = plan.serving_function()
    try:
        concrete = serving.get_concrete_function()
        module = tf.Module()
        module.serve = serving
        module.resources = _resources(model, concrete)
        tf.saved_model.save(module, str(folder), signatures={SIGNATURE: concrete})
    except Exception as error:
        raise ExportError(
            "The model cannot be written as a SavedModel: %s. A layer or loss of your own that does things "
            "TensorFlow cannot trace is the usual reason." % _words(error)
        ) from error
    arrays = {INPUT + port.name: array for port, array in zip(plan.inputs, plan.samples)}
    live = plan.predict(plan.samples)
    arrays.update({OUTPUT + name: _plain(np.asarray(value)) for name, value in live.items()})
    np.savez_compressed(str(folder / VERIFICATION), **arrays)
    outputs = [
        Port(name, list(spec.shape), spec.dtype.name)
        for name, spec in concrete.structured_outputs.items()
    ]
    text = json.dumps(_facts(plan, outputs, facts), indent=2, sort_keys=True, ensure_ascii=False)
    (folder / MODEL_FACTS).write_text(text + "\n", encoding="utf-8")


# ---- the serving function -----------------------------------------------------------------------


class _Plan:
    """How the model is called: flat named inputs in, named outputs out."""

    def __init__(self, model: Any, structure: Any, inputs: List[Port], samples: List[Any]) -> None:
        self.model = model
        self.structure = structure
        """The model's own input structure, with any values in its places."""
        self.inputs = inputs
        self.samples = samples
        self.real = True

    def predict(self, flat: Any) -> Dict[str, Any]:
        import tensorflow as tf

        packed = tf.nest.pack_sequence_as(self.structure, [tf.convert_to_tensor(x) for x in flat])
        quiet = {"training": False} if _takes_training(self.model) else {}
        return self._named(self.model(packed, **quiet))

    def serving_function(self) -> Any:
        import tensorflow as tf

        specs = [tf.TensorSpec(port.shape, port.dtype, name=port.name) for port in self.inputs]
        return tf.function(lambda *flat: self.predict(flat), input_signature=specs, autograph=False)

    def _named(self, result: Any) -> Dict[str, Any]:
        import tensorflow as tf

        if isinstance(result, dict) and all(tf.is_tensor(value) for value in result.values()):
            names, flat = [str(key) for key in result], list(result.values())
        else:
            flat = tf.nest.flatten(result)
            names = [str(name) for name in getattr(self.model, "output_names", None) or ()]
        if len(names) != len(flat):
            names = ["output_%d" % index for index in range(len(flat))]
        return dict(zip(_identifiers(names), flat))


def _plan(model: Any, inputs: Any) -> _Plan:
    import tensorflow as tf

    structure = _input_structure(model, inputs)
    if structure is None:
        raise ExportError(
            "The model's inputs are unknown: it was not built from Input layers, and no real input could "
            "be had from what model.fit was given."
        )
    flat = tf.nest.flatten(structure)
    names = _input_names(model, structure, len(flat))
    ports = [
        Port(name, [None, *list(leaf.shape)[1:]], tf.as_dtype(leaf.dtype).name)
        for name, leaf in zip(names, flat)
    ]
    samples = _samples(inputs, ports, structure)
    plan = _Plan(model, structure, ports, samples or _synthetic(ports))
    plan.real = samples is not None
    return plan


def _input_structure(model: Any, inputs: Any) -> Any:
    """The symbolic inputs of a functional or sequential model; else those that it was trained with."""
    try:
        symbolic = model.input
    except (AttributeError, ValueError):
        symbolic = None
    if symbolic is not None:
        return symbolic
    return inputs


def _input_names(model: Any, structure: Any, count: int) -> List[str]:
    if isinstance(structure, dict):
        names = [str(key) for key in sorted(structure)]  # tf.nest flattens dicts in this order
    else:
        names = [str(name) for name in getattr(model, "input_names", None) or ()]
    if len(names) != count:
        names = ["inputs"] if count == 1 else ["input_%d" % index for index in range(count)]
    return _identifiers(names)


def _identifiers(names: List[str]) -> List[str]:
    """What may name a TensorSpec, each once."""
    found: List[str] = []
    for name in names:
        word = re.sub(r"[^A-Za-z0-9_]", "_", name)
        word = word if word[:1].isalpha() else "x" + word
        while word in found:
            word += "_"
        found.append(word)
    return found


def _samples(inputs: Any, ports: List[Port], structure: Any) -> Optional[List[Any]]:
    """Real inputs in the order and types of the ports; None when they do not fit."""
    import numpy as np
    import tensorflow as tf

    if inputs is None:
        return None
    if isinstance(inputs, dict) and not isinstance(structure, dict):
        flat = [inputs.get(port.name) for port in ports]
    else:
        flat = tf.nest.flatten(inputs)
    if len(flat) != len(ports) or any(array is None for array in flat):
        return None
    arrays = [_as_type(_plain(np.asarray(a)), port.dtype) for a, port in zip(flat, ports)]
    fits = all(_fits(array.shape, port.shape) for array, port in zip(arrays, ports))
    return arrays if fits else None


def _plain(array: Any) -> Any:
    """Texts of TensorFlow come as Python objects, which could only be stored pickled."""
    return array.astype("S") if array.dtype.kind == "O" else array


def _as_type(array: Any, dtype: str) -> Any:
    return array if dtype == "string" else array.astype(dtype)


def _fits(shape: Any, wanted: List[Optional[int]]) -> bool:
    pairs = zip(shape[1:], wanted[1:])
    return len(shape) == len(wanted) and all(want in (None, have) for have, want in pairs)


def _synthetic(ports: List[Port]) -> List[Any]:
    """Numbers from nowhere, when nothing real is to be had: still the same model on both sides."""
    import numpy as np

    source = np.random.RandomState(0)
    found = []
    for port in ports:
        shape = [SYNTHETIC_ROWS] + [size or 1 for size in port.shape[1:]]
        if port.dtype == "string":
            found.append(np.full(shape, b"maypole"))
        elif port.dtype.startswith(("int", "uint", "bool")):
            found.append(np.zeros(shape, dtype=port.dtype))
        else:
            found.append(source.uniform(0.0, 1.0, shape).astype(port.dtype))
    return found


def _takes_training(model: Any) -> bool:
    try:
        parameters = inspect.signature(model.call).parameters
    except (TypeError, ValueError):
        return True
    return "training" in parameters or any(
        parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values()
    )


def _resources(model: Any, concrete: Any) -> List[Any]:
    """What the function captures and must be saved: its variables, and lookup tables of text layers."""
    import tensorflow as tf

    found: List[Any] = list(concrete.graph.variables)
    view = getattr(tf.train, "TrackableView", None)
    if view is not None:
        kind = tf.saved_model.experimental.TrackableResource
        tables = (kind, tf.lookup.StaticHashTable, tf.lookup.experimental.MutableHashTable)
        found += [item for item in view(model).descendants() if isinstance(item, tables)]
    return found


# ---- what is told about it ----------------------------------------------------------------------


def _facts(plan: _Plan, outputs: List[Port], facts: Facts) -> Dict[str, Any]:
    return {
        "format": FORMAT,
        "run": facts.run,
        "worker": facts.worker,
        "step": facts.step,
        "epoch": facts.epoch,
        "metrics": _finite_numbers(facts.metrics),
        "model": str(getattr(plan.model, "name", type(plan.model).__name__)),
        "signature": {
            "name": SIGNATURE,
            "inputs": [dataclasses.asdict(port) for port in plan.inputs],
            "outputs": [dataclasses.asdict(port) for port in outputs],
        },
        "verification": {"rows": len(plan.samples[0]), "real": plan.real},
        "versions": {
            name: _version(name) for name in ("tensorflow", "tf_keras", "keras", "horovod")
        },
        "python": "%d.%d.%d" % sys.version_info[:3],
        "created": time.time(),
    }


def _finite_numbers(metrics: Mapping[str, Any]) -> Dict[str, Any]:
    found: Dict[str, Any] = {}
    for name, value in (metrics or {}).items():
        try:
            number = float(value)
        except (TypeError, ValueError):
            continue
        found[str(name)] = number if math.isfinite(number) else str(number)
    return found


def _version(module: str) -> str:
    """Of a module that is in use here; "" for one that is not."""
    if module not in sys.modules:
        return ""
    return str(getattr(importlib.import_module(module), "__version__", ""))


def _words(error: BaseException) -> str:
    """The first two lines: Keras says in the first which layer it was, in the second what happened."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return ": ".join(line.rstrip(".") for line in lines[:2])[:400] or type(error).__name__
