"""The environment that Horovod's setup.py is run with: pure, from facts to variables."""

from __future__ import annotations

import os
from typing import Dict, Mapping, Optional

from .recipe import release
from .toolchain import Gpu, Tools

_GIB = 1024**3
_MEMORY_PER_JOB = 1.5 * _GIB  # a file that includes TensorFlow's headers takes a good GiB
MAX_JOBS = 16
_EXTRA_INCLUDES = ("external/highwayhash", "external/farmhash_archive/src")
"""TensorFlow >= 2.16's own headers include these, but its compile flags do not name them."""


def options(
    environ: Mapping[str, str],
    tools: Tools,
    tensorflow: str,
    tensorflow_folder: str,
    gpu: Optional[Gpu],
    jobs: int,
) -> Dict[str, str]:
    """`environ` without its HOROVOD_ variables, with what the build of this Horovod needs."""
    built = {name: value for name, value in environ.items() if not name.startswith("HOROVOD_")}
    built.update(
        HOROVOD_WITH_TENSORFLOW="1",
        HOROVOD_WITHOUT_PYTORCH="1",
        HOROVOD_WITHOUT_MXNET="1",
        HOROVOD_WITHOUT_MPI="1",
        HOROVOD_WITH_GLOO="1",
        HOROVOD_CPU_OPERATIONS="GLOO",
        HOROVOD_CMAKE=tools.cmake,
        MAKEFLAGS="-j%d" % jobs,
    )
    if gpu is not None:
        built.update(
            HOROVOD_GPU_OPERATIONS="NCCL",
            HOROVOD_CUDA_HOME=gpu.cuda_home,
            HOROVOD_NCCL_HOME=gpu.nccl_home,
        )
    if tools.cmake_version >= (4, 0):
        # CMake 4 refuses projects that ask for CMake < 3.5, as Horovod's third parties do.
        built["CMAKE_POLICY_VERSION_MINIMUM"] = "3.5"
    if release(tensorflow) >= (2, 16):
        built["CPLUS_INCLUDE_PATH"] = _include_path(environ, tensorflow_folder)
    return built


def _include_path(environ: Mapping[str, str], tensorflow_folder: str) -> str:
    folders = [os.path.join(tensorflow_folder, "include", extra) for extra in _EXTRA_INCLUDES]
    present = environ.get("CPLUS_INCLUDE_PATH")
    return os.pathsep.join(folders + ([present] if present else []))


def parallel_jobs(cores: int, memory_bytes: int) -> int:
    """Compiler processes at once: what the cores and the memory bear."""
    return max(1, min(cores, int(memory_bytes // _MEMORY_PER_JOB), MAX_JOBS))


def machine_jobs() -> int:
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return parallel_jobs(os.cpu_count() or 1, memory)
