"""Which of our source corrections the installed Horovod carries.

`provision` builds Horovod 0.28.1 with a few small corrections (provisioning/patches.py) and writes
their names into `horovod/maypole.json` inside the wheel. This module reads that file: no
TensorFlow, no Horovod import, so anybody may ask at any time. A stock build has none.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any, Dict, FrozenSet, Mapping, Optional

GLOO_INTERFACE = "gloo-interface"
"""Collectives run over HOROVOD_GLOO_IFACE, not over whatever the host's own name resolves to."""

SOFT_INIT = "soft-init"
"""A Gloo initialisation that fails makes `hvd.init()` raise ValueError; stock aborts the process."""

CLEAN_REMOVAL = "clean-removal"
"""A worker that was removed from the job leaves with SystemExit(REMOVED_EXIT_CODE); stock aborts."""

RUNTIME_CORRECTIONS: FrozenSet[str] = frozenset({GLOO_INTERFACE, SOFT_INIT, CLEAN_REMOVAL})

REMOVED_EXIT_CODE = 79
"""Exit status of a removed worker on a CLEAN_REMOVAL build.

Never 0: when a host is removed and comes back at once, the driver may take the old worker's exit
for the new worker's, and one recorded success ends the job (runner/elastic/registration.py:137).
79 lies just above sysexits.h (64-78) and below what shells and signals use (126 and more).
"""

MARKER_NAME = "maypole.json"
MARKER_FORMAT = 1
_MARKER_SIZE_LIMIT = 64 * 1024


def symbol(correction: str) -> str:
    """The C function that a build with this correction exports from its mpi_lib."""
    return "horovod_maypole_" + correction.replace("-", "_")


def installed() -> FrozenSet[str]:
    """Names of the corrections in the Horovod that this Python would import; empty for stock."""
    names = read_marker(_horovod_folder()).get("corrections")
    if not isinstance(names, list):
        return frozenset()
    return frozenset(name for name in names if isinstance(name, str))


def was_removed() -> bool:
    """Whether the driver told this process that it is not part of the job any more.

    Only a CLEAN_REMOVAL build can know; it is False on any other and before Horovod is imported.
    """
    basics = sys.modules.get("horovod.tensorflow.mpi_ops")
    library = getattr(getattr(basics, "_basics", None), "MPI_LIB_CTYPES", None)
    if library is None or CLEAN_REMOVAL not in installed():
        return False
    removed = getattr(library, REMOVED_SYMBOL)
    removed.restype = ctypes.c_bool
    return bool(removed())


REMOVED_SYMBOL = "horovod_maypole_removed"


def read_marker(folder: Optional[Path]) -> Mapping[str, Any]:
    """The marker of the Horovod package in `folder`; empty where there is none of our format."""
    if folder is None:
        return {}
    try:
        with (folder / MARKER_NAME).open("rb") as file:
            raw = file.read(_MARKER_SIZE_LIMIT)
        marker: Dict[str, Any] = json.loads(raw)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return {}
    if not isinstance(marker, dict) or marker.get("format") != MARKER_FORMAT:
        return {}
    return marker


def _horovod_folder() -> Optional[Path]:
    spec = importlib.util.find_spec("horovod")
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(next(iter(spec.submodule_search_locations)))
