"""Horovod 0.28.1 needs Keras 2. TensorFlow from 2.16 on brings Keras 3 unless it is told otherwise.

Nothing is imported to find out: versions come from the installed packages' metadata.
"""

from __future__ import annotations

import re
from importlib import metadata
from typing import Callable, MutableMapping, Optional, Tuple

SWITCH = "TF_USE_LEGACY_KERAS"
FIRST_WITH_KERAS_3 = (2, 16)
_DISTRIBUTIONS = (
    "tensorflow", "tensorflow-cpu", "tensorflow-gpu", "tensorflow-macos", "tensorflow-rocm",
    "tensorflow-intel", "tf-nightly",
)  # fmt: skip
Version = Callable[[str], Optional[str]]


def installed_version(distribution: str) -> Optional[str]:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def tensorflow_version(version: Version = installed_version) -> str:
    """Empty when no TensorFlow is installed."""
    for name in _DISTRIBUTIONS:
        found = version(name)
        if found:
            return found
    return ""


def keras_version(environ: MutableMapping[str, str], version: Version = installed_version) -> str:
    """The version of the Keras that ``tf.keras`` will be."""
    if uses_legacy_keras(environ):
        return version("tf-keras") or ""
    return version("keras") or ""


def uses_legacy_keras(environ: MutableMapping[str, str]) -> bool:
    return environ.get(SWITCH, "").lower() in ("1", "true")


def choose(environ: MutableMapping[str, str], version: Version = installed_version) -> str:
    """Switches ``environ`` to Keras 2 where that is right; gives the sentence to print, or ""."""
    tensorflow = tensorflow_version(version)
    if not tensorflow or _major_minor(tensorflow) < FIRST_WITH_KERAS_3:
        return ""
    if environ.get(SWITCH) and not uses_legacy_keras(environ):
        return ""  # somebody wants Keras 3
    if version("tf-keras") is None:
        environ.pop(SWITCH, None)  # with the switch on, importing Keras would fail
        return (
            "TensorFlow %s comes with Keras 3, which Horovod cannot train. Install Keras 2 for it: "
            "pip install 'tf-keras==%d.%d.*'" % ((tensorflow,) + _major_minor(tensorflow))
        )
    if uses_legacy_keras(environ):
        return ""
    environ[SWITCH] = "1"
    return (
        "TensorFlow %s: using Keras 2 (tf-keras), because Horovod cannot train Keras 3."
        % tensorflow
    )


def _major_minor(version: str) -> Tuple[int, int]:
    match = re.match(r"(\d+)\.(\d+)", version)
    return (int(match[1]), int(match[2])) if match else (0, 0)
