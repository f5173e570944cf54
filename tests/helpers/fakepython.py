"""A Python for profiles and run.json that plays `start` and `attach`: see helpers/fakeattach.py."""

from __future__ import annotations

import json
import os
import shlex
import sys
from pathlib import Path

from helpers import fakeattach


def make_python(folder: Path, run_dir: Path | None = None, start: str = "") -> Path:
    """A program that attaches as planned in the run's folder; `start` answers with ``run_dir``.

    ``start``: a line for the shell that it runs instead.
    """
    path = os.pathsep.join(sys.path)
    answer = start or "echo " + shlex.quote(json.dumps({"run_dir": str(run_dir)}))
    program = folder / "fake-python"
    program.write_text(
        "#!/bin/sh\n"
        f'if [ "$2" = start ]; then cat > {shlex.quote(str(folder / "started.json"))}; {answer}; '
        "exit; fi\n"
        f"export PYTHONPATH={shlex.quote(path)}\n"
        f'exec {sys.executable} {shlex.quote(fakeattach.__file__)} "$2" "$3"\n'
    )
    program.chmod(0o755)
    return program
