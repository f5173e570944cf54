"""What a Python has, told without importing TensorFlow or Horovod.

The source of `facts_script.py` is run by the Python in question, which may be any version and need
not have this package.
"""

from __future__ import annotations

import json
import pkgutil
import subprocess
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from .command import ask
from .errors import UnsuitablePython

_PROBE_SECONDS = 60
TENSORFLOW_NAMES = ("tensorflow", "tensorflow-cpu", "tensorflow-intel", "tensorflow-macos",
                    "tensorflow-rocm", "intel-tensorflow", "tf-nightly")  # fmt: skip


class PythonFacts(NamedTuple):
    """One Python: `packages` maps distribution names, as we asked for them, to versions."""

    executable: str
    version: Tuple[int, ...]
    tag: str
    platform: str
    packages: Mapping[str, str]
    tensorflow_folder: Optional[str]
    marker: Mapping[str, Any]

    @property
    def tensorflow(self) -> Optional[str]:
        """The installed TensorFlow's version."""
        name = self.tensorflow_name
        return None if name is None else self.packages[name]

    @property
    def tensorflow_name(self) -> Optional[str]:
        if self.tensorflow_folder is None:
            return None
        return next((name for name in TENSORFLOW_NAMES if name in self.packages), None)


def look_at(executable: str) -> PythonFacts:
    """Ask a Python about itself; UnsuitablePython when it cannot be run."""
    answer = _run(executable)
    try:
        facts: Dict[str, Any] = json.loads(answer.splitlines()[-1])
    except (ValueError, IndexError):
        raise UnsuitablePython(
            "'%s' did not answer as Python 3 does. Give the path of a Python 3.8 to 3.13 with "
            "--python." % executable
        ) from None
    return PythonFacts(
        executable=facts["executable"] or executable,
        version=tuple(facts["version"]),
        tag=facts["tag"],
        platform=facts["platform"],
        packages=facts["packages"],
        tensorflow_folder=facts["tensorflow_folder"],
        marker=_marker(facts["horovod_folder"]),
    )


def _run(executable: str) -> str:
    source = pkgutil.get_data(__package__, "facts_script.py")
    assert source is not None  # it lies beside this file, in a folder or in a zip
    command: List[str] = [executable, "-c", source.decode("utf-8"), *TENSORFLOW_NAMES]
    try:
        done = ask(command, _PROBE_SECONDS, merged=False)
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise UnsuitablePython(
            "'%s' cannot be run (%s). Give the path of a Python 3.8 to 3.13 with --python."
            % (executable, exc.strerror if isinstance(exc, OSError) else "no answer")
        ) from exc
    if done.returncode != 0:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise UnsuitablePython(
            "'%s' is not a Python that can be used (%s). Give the path of a Python 3.8 to 3.13 "
            "with --python." % (executable, last[0][:200] if last else "no reason given")
        )
    return done.stdout.decode("utf-8", "replace")


def _marker(horovod_folder: Optional[str]) -> Mapping[str, Any]:
    from ..corrections import read_marker

    return read_marker(None if horovod_folder is None else Path(horovod_folder))
