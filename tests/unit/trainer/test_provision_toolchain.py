"""What is looked for before a build, and what each missing thing says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trainer.provisioning.errors import NoBuildTool, NoTensorFlow, UnsuitablePython
from trainer.provisioning.probe import PythonFacts
from trainer.provisioning.toolchain import (
    Gpu,
    check_python,
    find_gpu,
    find_tools,
    missing_requirements,
)

READY = {"pip": "24.0", "tensorflow": "2.21.0", "tf-keras": "2.21.0"}


def python(**changes: Any) -> PythonFacts:
    facts = PythonFacts(
        executable="/venv/bin/python",
        version=(3, 11, 7),
        tag="cp311",
        platform="linux_x86_64",
        packages=READY,
        tensorflow_folder="/venv/tensorflow",
        marker={},
    )
    return facts._replace(**changes)


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


def put(folder: Path, name: str, says: str = "") -> Path:
    program = folder / name
    program.write_text(f"#!/bin/sh\necho '{says}'\n")
    program.chmod(0o755)
    return program


def test_that_a_python_with_all_it_needs_is_taken() -> None:
    check_python(python())
    check_python(python(packages={"pip": "24", "tensorflow": "2.15.1"}))


@pytest.mark.parametrize(
    ("version", "tag"), [((3, 7, 9), "cp37"), ((3, 14, 0), "cp314"), ((3, 10, 1), "pypy310")]
)
def test_that_another_python_is_refused_with_the_versions_that_work(
    version: tuple[int, ...], tag: str
) -> None:
    with pytest.raises(UnsuitablePython, match=r"CPython 3\.8 to 3\.13.*--python"):
        check_python(python(version=version, tag=tag))


def test_that_a_python_without_pip_is_told_how_to_get_it() -> None:
    with pytest.raises(UnsuitablePython, match="/venv/bin/python -m ensurepip"):
        check_python(python(packages={}))


@pytest.mark.parametrize("changes", [{"packages": {"pip": "24"}}, {"tensorflow_folder": None}])
def test_that_a_missing_tensorflow_is_told_with_the_command_that_installs_it(
    changes: dict[str, Any],
) -> None:
    with pytest.raises(NoTensorFlow, match=r"/venv/bin/python -m pip install 'tensorflow=="):
        check_python(python(**changes))


@pytest.mark.parametrize(
    ("version", "wanted"), [((3, 8, 18), "2.13"), ((3, 9, 1), "2.15"), ((3, 13, 0), "2.21")]
)
def test_that_the_tensorflow_to_install_is_one_that_this_python_can_have(
    version: tuple[int, ...], wanted: str
) -> None:
    with pytest.raises(NoTensorFlow, match=f"'tensorflow=={wanted}"):
        check_python(python(version=version, packages={"pip": "24"}))


@pytest.mark.parametrize("keras", [{}, {"tf-keras": "2.19.0"}])
def test_that_keras_3_alone_is_not_enough(keras: dict[str, str]) -> None:
    packages = {"pip": "24", "tensorflow": "2.21.0", **keras}
    with pytest.raises(NoTensorFlow, match=r"pip install 'tf-keras==2\.21\.\*'"):
        check_python(python(packages=packages))


def test_that_only_what_is_missing_or_too_new_is_installed() -> None:
    there = dict.fromkeys(["wheel", "packaging", "cffi", "pyyaml", "psutil"], "1.0")
    assert missing_requirements({**there, "setuptools": "79.0.1"}) == ["cloudpickle"]
    assert missing_requirements({**there, "cloudpickle": "3", "setuptools": "80"}) == [
        "setuptools<80"
    ]
    assert missing_requirements({**there, "cloudpickle": "3"}) == ["setuptools<80"]


def test_that_the_tools_on_path_are_found(bin_folder: Path) -> None:
    compiler, cmake = put(bin_folder, "g++"), put(bin_folder, "cmake", "cmake version 4.1.2")
    put(bin_folder, "make")
    tools = find_tools({"PATH": str(bin_folder)})
    assert tools == (str(compiler), str(cmake), (4, 1))


@pytest.mark.parametrize(
    ("present", "missing"),
    [
        (["cmake", "make"], r"no C\+\+ compiler.*apt-get install build-essential cmake"),
        (["c++", "cmake"], "no 'make'"),
        (["c++", "make"], "no CMake on PATH.*pip install cmake"),
    ],
)
def test_that_each_missing_tool_is_named(
    bin_folder: Path, present: list[str], missing: str
) -> None:
    for name in present:
        put(bin_folder, name, "cmake version 3.25.1")
    with pytest.raises(NoBuildTool, match=missing):
        find_tools({"PATH": str(bin_folder)})


@pytest.mark.parametrize("says", ["cmake version 3.10.2", "cannot find libstdc++"])
def test_that_an_old_or_broken_cmake_is_told_before_minutes_are_spent(
    bin_folder: Path, says: str
) -> None:
    for name in ("c++", "make"):
        put(bin_folder, name)
    put(bin_folder, "cmake", says)
    with pytest.raises(NoBuildTool, match=r"too old or broken.*3\.13 or newer"):
        find_tools({"PATH": str(bin_folder)})


def machine_with_gpu(bin_folder: Path, tmp_path: Path) -> dict[str, str]:
    put(bin_folder, "nvidia-smi")
    cuda = tmp_path / "cuda"
    (cuda / "bin").mkdir(parents=True)
    put(cuda / "bin", "nvcc")
    (cuda / "include").mkdir()
    (cuda / "include" / "nccl.h").touch()
    return {"PATH": str(bin_folder), "CUDA_HOME": str(cuda)}


def test_that_nccl_is_used_where_driver_toolkit_and_headers_are(
    bin_folder: Path, tmp_path: Path
) -> None:
    environ = machine_with_gpu(bin_folder, tmp_path)
    cuda = environ["CUDA_HOME"]
    assert find_gpu(environ, "tensorflow") == Gpu(cuda, cuda)


def test_that_gloo_is_used_without_a_driver_or_with_tensorflow_for_cpus(
    bin_folder: Path, tmp_path: Path
) -> None:
    environ = machine_with_gpu(bin_folder, tmp_path)
    assert find_gpu(environ, "tensorflow-cpu") is None
    (bin_folder / "nvidia-smi").unlink()
    assert find_gpu(environ, "tensorflow") is None
