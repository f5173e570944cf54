"""The proof: a fresh process initialises Horovod by itself and reduces a tensor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any, Dict, List, Mapping, NamedTuple, Sequence

from ..corrections import symbol
from .command import ask
from .errors import VerifyFailed
from .recipe import Recipe, release

_VERIFY_SECONDS = 300  # a cold import of TensorFlow from a slow disk can take a minute
_TAG = "maypole-verify "

# One process: Gloo needs no rendezvous server then (gloo_context.cc: MemoryStore).
_SCRIPT = """\
import json, sys
import tensorflow as tf
import horovod, horovod.tensorflow as hvd
from horovod.tensorflow.mpi_ops import _basics
hvd.init()
reduced = hvd.allreduce(tf.constant([1.5, -2.0]), op=hvd.Sum).numpy().tolist()
library = _basics.MPI_LIB_CTYPES
print(%r + json.dumps({
    "size": hvd.size(), "reduced": reduced, "horovod": horovod.__version__,
    "tensorflow": tf.__version__, "gloo": bool(hvd.gloo_built()), "nccl": bool(hvd.nccl_built()),
    "symbols": [name for name in sys.argv[1:] if hasattr(library, name)],
}), flush=True)
hvd.shutdown()
"""


class Verified(NamedTuple):
    horovod: str
    tensorflow: str


def verify_environment(environ: Mapping[str, str], tensorflow: str) -> Dict[str, str]:
    """`environ` without a job's Horovod variables; the loopback, so that no host name matters."""
    kept = {name: value for name, value in environ.items() if not name.startswith("HOROVOD_")}
    kept.update(
        HOROVOD_GLOO_IFACE="lo0" if sys.platform == "darwin" else "lo",
        HOROVOD_CONTROLLER="gloo",
        HOROVOD_CPU_OPERATIONS="gloo",
        TF_CPP_MIN_LOG_LEVEL="2",
    )
    if release(tensorflow) >= (2, 16):
        kept["TF_USE_LEGACY_KERAS"] = "1"
    return kept


def verify(python: str, recipe: Recipe) -> Verified:
    """Run the proof with the installed Horovod; VerifyFailed says what was wrong."""
    symbols = [symbol(name) for name in recipe.runtime_corrections]
    # The script goes through -c, and -c looks into the current folder first: start elsewhere.
    command = [python, "-c", _SCRIPT % _TAG, *symbols]
    try:
        environ = verify_environment(os.environ, recipe.tensorflow)
        done = ask(command, _VERIFY_SECONDS, merged=False, env=environ, cwd="/")
    except subprocess.TimeoutExpired as exc:
        raise VerifyFailed(
            "Horovod was built, but a one-process allreduce did not end within %d s. Is the "
            "machine very busy? Then run provision again." % _VERIFY_SECONDS
        ) from exc
    answer = _answer(done.stdout.decode("utf-8", "replace"))
    problem = (
        _problem(answer, symbols) if done.returncode == 0 else "it ended with %d" % done.returncode
    )
    if problem:
        tail = done.stderr.decode("utf-8", "replace").strip().splitlines()[-8:]
        raise VerifyFailed(
            "Horovod was built, but its one-process allreduce failed: %s. Run provision again "
            "with --rebuild; if it fails again, this is what it said:\n%s"
            % (problem, "\n".join("    " + line[:300] for line in tail))
        )
    return Verified(answer["horovod"], answer["tensorflow"])


def _answer(output: str) -> Dict[str, Any]:
    lines: List[str] = [line for line in output.splitlines() if line.startswith(_TAG)]
    return dict(json.loads(lines[-1][len(_TAG) :])) if lines else {}


def _problem(answer: Mapping[str, Any], symbols: Sequence[str]) -> str:
    if not answer:
        return "it printed no result"
    if answer["size"] != 1 or answer["reduced"] != [1.5, -2.0]:
        return "the result was %r at size %r" % (answer["reduced"], answer["size"])
    if not answer["gloo"]:
        return "this Horovod has no Gloo"
    lost = sorted(set(symbols) - set(answer["symbols"]))
    return "the library lacks %s" % ", ".join(lost) if lost else ""
