"""Is everything there that a build needs? Each thing missing is an error that says what to do."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import List, Mapping, NamedTuple, Optional, Tuple

from .command import ask
from .errors import NoBuildTool, NoTensorFlow, UnsuitablePython
from .probe import PythonFacts
from .recipe import release

PYTHONS = ((3, 8), (3, 13))
REQUIREMENTS = ("setuptools<80", "wheel", "packaging", "cffi", "pyyaml", "psutil", "cloudpickle")
"""For the build, and all but the first two for Horovod at run time too. setuptools 80 took away
the `setup.py` ways that Horovod's build needs."""
_CMAKE_SECONDS = 60
_OLDEST_CMAKE = (3, 13)  # horovod setup.py:72
_INSTALL_HINT = "On Debian or Ubuntu: sudo apt-get install build-essential cmake"


class Tools(NamedTuple):
    compiler: str
    cmake: str
    cmake_version: Tuple[int, int]


class Gpu(NamedTuple):
    """A CUDA toolkit and the folder whose include/nccl.h was found."""

    cuda_home: str
    nccl_home: str


def check_python(python: PythonFacts) -> None:
    """UnsuitablePython or NoTensorFlow, unless Horovod can be built for this Python."""
    oldest, newest = PYTHONS
    if not oldest <= python.version[:2] <= newest or not python.tag.startswith("cp"):
        raise UnsuitablePython(
            "%s is %s %s; Horovod is built for CPython 3.8 to 3.13. Make a virtual environment "
            "with one of those and give its Python with --python."
            % (python.executable, python.tag, ".".join(map(str, python.version)))
        )
    if "pip" not in python.packages:
        raise UnsuitablePython(
            "%s has no pip. Run: %s -m ensurepip --upgrade" % (python.executable, python.executable)
        )
    _check_tensorflow(python)


def _check_tensorflow(python: PythonFacts) -> None:
    version = python.tensorflow
    if version is None:
        raise NoTensorFlow(
            "%s has no TensorFlow. Run: %s -m pip install %s"
            % (python.executable, python.executable, _newest_tensorflow(python.version[:2]))
        )
    if release(version) < (2, 16):
        return
    keras = python.packages.get("tf-keras")
    if keras is None or release(keras) != release(version):
        wanted = "tf-keras==%d.%d.*" % release(version)
        raise NoTensorFlow(
            "TensorFlow %s comes with Keras 3, which Horovod cannot train; it needs %s (%s is "
            "there). Run: %s -m pip install '%s'"
            % (version, wanted, keras or "none", python.executable, wanted)
        )


def _newest_tensorflow(version: Tuple[int, ...]) -> str:
    """Of those that Horovod was built for, the newest that has a wheel for this Python."""
    if version >= (3, 10):
        return "'tensorflow==2.21.*' 'tf-keras==2.21.*'"
    return "'tensorflow==2.15.*'" if version == (3, 9) else "'tensorflow==2.13.*'"


def missing_requirements(packages: Mapping[str, str]) -> List[str]:
    """Those of REQUIREMENTS that have to be installed first."""
    missing = []
    for requirement in REQUIREMENTS:
        name, _, below = requirement.partition("<")
        version = packages.get(name)
        if version is None or (below and release(version + ".0") >= (int(below), 0)):
            missing.append(requirement)
    return missing


def find_tools(environ: Mapping[str, str]) -> Tools:
    """The compiler and CMake that the build will use; NoBuildTool when one is missing."""
    path = environ.get("PATH", os.defpath)
    compiler = _find((environ.get("CXX", ""), "c++", "g++", "clang++"), path)
    if compiler is None:
        raise NoBuildTool("There is no C++ compiler on PATH. " + _INSTALL_HINT)
    if shutil.which("make", path=path) is None:
        raise NoBuildTool("There is no 'make' on PATH. " + _INSTALL_HINT)
    cmake = _find((environ.get("HOROVOD_CMAKE", ""), "cmake"), path)
    if cmake is None:
        raise NoBuildTool(
            "There is no CMake on PATH (3.13 or newer is needed). %s, or: pip install cmake"
            % _INSTALL_HINT
        )
    return Tools(compiler, cmake, _cmake_version(cmake))


def _find(names: Tuple[str, ...], path: str) -> Optional[str]:
    found = (shutil.which(name, path=path) for name in names if name)
    return next((program for program in found if program), None)


def _cmake_version(cmake: str) -> Tuple[int, int]:
    try:
        text = ask([cmake, "--version"], _CMAKE_SECONDS).stdout.decode("utf-8", "replace")
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise NoBuildTool(
            "'%s' cannot be run (%s). Install CMake 3.13 or newer." % (cmake, exc)
        ) from exc
    match = re.search(r"version\s+(\d+)\.(\d+)", text)
    if match is None or (int(match.group(1)), int(match.group(2))) < _OLDEST_CMAKE:
        raise NoBuildTool(
            "'%s' is too old or broken (it says: %s). Install CMake 3.13 or newer, for example "
            "with: pip install cmake" % (cmake, text.strip().splitlines()[:1] or "nothing")
        )
    return int(match.group(1)), int(match.group(2))


def find_gpu(environ: Mapping[str, str], tensorflow_name: Optional[str]) -> Optional[Gpu]:
    """What an NCCL build needs, or None: then collectives go over Gloo."""
    path = environ.get("PATH", os.defpath)
    if tensorflow_name == "tensorflow-cpu" or shutil.which("nvidia-smi", path=path) is None:
        return None
    cuda = _cuda_home(environ, path)
    if cuda is None:
        return None
    homes = (environ.get("HOROVOD_NCCL_HOME"), environ.get("NCCL_HOME"), cuda, "/usr", "/usr/local")
    for home in homes:
        if home and (Path(home) / "include" / "nccl.h").is_file():
            return Gpu(cuda, home)
    return None


def _cuda_home(environ: Mapping[str, str], path: str) -> Optional[str]:
    """The folder whose bin/nvcc compiles Horovod's kernels."""
    for name in ("HOROVOD_CUDA_HOME", "CUDA_HOME"):
        home = environ.get(name)
        if home and (Path(home) / "bin" / "nvcc").is_file():
            return home
    nvcc = shutil.which("nvcc", path=path)
    if nvcc:
        return str(Path(nvcc).resolve().parent.parent)
    return "/usr/local/cuda" if Path("/usr/local/cuda/bin/nvcc").is_file() else None
