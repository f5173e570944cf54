"""For tests that need a Horovod of a certain build.

Each such Horovod lives in a virtual environment of its own that sees the packages of the
environment under test (a .pth file), so that building or installing one changes nothing else.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROVISION_SECONDS = 1200


def layered_python(folder: Path) -> Path:
    """A new environment on top of the running one; what is installed into it comes first."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout
    Path(site.strip(), "below.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return python


def provision(python: Path, *options: str | Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "trainer.provision", "--python", python, *options]
    return subprocess.run(
        [str(word) for word in words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PROVISION_SECONDS,
        check=False,
    )


def corrections_of(python: Path | str) -> set[str]:
    code = "import json; from trainer import corrections; print(json.dumps(sorted(corrections.installed())))"
    done = subprocess.run(
        [str(python), "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout))


def horovod_environment(**variables: str) -> dict[str, str]:
    """The environment of a worker process on the loopback interface."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("HOROVOD_")}
    return {
        **kept,
        "HOROVOD_GLOO_IFACE": "lo",
        "HOROVOD_CONTROLLER": "gloo",
        "HOROVOD_CPU_OPERATIONS": "gloo",
        "TF_USE_LEGACY_KERAS": "1",
        "TF_CPP_MIN_LOG_LEVEL": "2",
        "CUDA_VISIBLE_DEVICES": "-1",
        "PYTHONPATH": str(ROOT),
        **variables,
    }
