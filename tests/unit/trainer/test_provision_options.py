"""The variables that Horovod's build is started with."""

from __future__ import annotations

from trainer.provisioning.options import options, parallel_jobs
from trainer.provisioning.toolchain import Gpu, Tools

TOOLS = Tools("/usr/bin/c++", "/usr/bin/cmake", (3, 25))
GIB = 1024**3


def built(
    environ: dict[str, str] | None = None,
    tools: Tools = TOOLS,
    tensorflow: str = "2.21.0",
    gpu: Gpu | None = None,
) -> dict[str, str]:
    return options(environ or {}, tools, tensorflow, "/site/tensorflow", gpu, 2)


def test_that_a_build_without_gpu_has_gloo_and_nothing_else() -> None:
    variables = built()
    assert variables["HOROVOD_WITH_TENSORFLOW"] == "1"
    assert variables["HOROVOD_WITH_GLOO"] == "1"
    assert variables["HOROVOD_CPU_OPERATIONS"] == "GLOO"
    assert all(variables["HOROVOD_WITHOUT_" + name] == "1" for name in ("MPI", "PYTORCH", "MXNET"))
    assert "HOROVOD_GPU_OPERATIONS" not in variables


def test_that_a_build_with_gpu_has_nccl() -> None:
    variables = built(gpu=Gpu("/cuda", "/nccl"))
    assert variables["HOROVOD_GPU_OPERATIONS"] == "NCCL"
    assert (variables["HOROVOD_CUDA_HOME"], variables["HOROVOD_NCCL_HOME"]) == ("/cuda", "/nccl")


def test_that_tensorflow_2_16_and_newer_get_two_more_include_folders() -> None:
    path = built({"CPLUS_INCLUDE_PATH": "/mine"})["CPLUS_INCLUDE_PATH"].split(":")
    assert path == [
        "/site/tensorflow/include/external/highwayhash",
        "/site/tensorflow/include/external/farmhash_archive/src",
        "/mine",
    ]
    assert "CPLUS_INCLUDE_PATH" not in built(tensorflow="2.15.1")


def test_that_cmake_4_is_told_to_accept_old_projects() -> None:
    assert "CMAKE_POLICY_VERSION_MINIMUM" not in built()
    four = built(tools=TOOLS._replace(cmake_version=(4, 0)))
    assert four["CMAKE_POLICY_VERSION_MINIMUM"] == "3.5"


def test_that_settings_of_a_running_job_do_not_reach_the_build() -> None:
    variables = built({"HOROVOD_WITH_MPI": "1", "HOROVOD_RANK": "3", "PATH": "/bin"})
    assert not {"HOROVOD_WITH_MPI", "HOROVOD_RANK"} & set(variables)
    assert variables["PATH"] == "/bin"


def test_that_the_memory_bounds_the_compilers_at_work() -> None:
    assert parallel_jobs(8, 64 * GIB) == 8
    assert parallel_jobs(8, 4 * GIB) == 2
    assert parallel_jobs(2, GIB // 2) == 1
    assert parallel_jobs(128, 512 * GIB) == 16
