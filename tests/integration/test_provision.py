"""`provision` on real environments: cache, installation, proof, and what goes wrong on the way."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from helpers.horovod_builds import ROOT, corrections_of, layered_python, provision

from trainer.corrections import RUNTIME_CORRECTIONS
from trainer.provision import recipe_for
from trainer.provisioning import patches, probe, sdist
from trainer.provisioning.recipe import corrections_for
from trainer.provisioning.wheelcache import WheelCache, default_folder, marker_in

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

needs_tensorflow = pytest.mark.skipif(
    probe.look_at(sys.executable).tensorflow is None,
    reason="no TensorFlow in this environment: pip install -e '.[train]'",
)


@pytest.fixture(scope="session")
def source() -> Path:
    """Horovod's source archive, kept in the usual cache."""
    cache = WheelCache(default_folder(os.environ))
    cache.prepare()
    with cache.locked(print):
        return sdist.obtain(sys.executable, cache.folder, None)


@pytest.fixture
def python(tmp_path: Path) -> Path:
    return layered_python(tmp_path / "venv")


@pytest.fixture(scope="session")
def built_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The corrected wheel for the TensorFlow of this environment; compiled at most once."""
    python = layered_python(tmp_path_factory.mktemp("built") / "venv")
    done = provision(python)
    assert done.returncode == 0, done.stderr
    recipe = recipe_for(probe.look_at(str(python)), os.environ, stock=False)
    wheel = WheelCache(default_folder(os.environ)).find(recipe.key, recipe.marker())
    if wheel is None:  # the layer below has the right Horovod already, so nothing was to be done
        done = provision(python, "--rebuild")
        assert done.returncode == 0, done.stderr
        wheel = WheelCache(default_folder(os.environ)).find(recipe.key, recipe.marker())
    assert wheel is not None
    return wheel


def hide_horovod_below(python: Path) -> None:
    """Give the environment a Horovod of its own that is not the one wanted."""
    site = next((python.parents[1] / "lib").glob("python*/site-packages"))
    (site / "horovod").mkdir()
    (site / "horovod" / "__init__.py").write_text("__version__ = '0.0'\n")


def test_that_every_correction_finds_its_place_in_the_published_source(
    source: Path, tmp_path: Path
) -> None:
    tree = sdist.unpack(source, tmp_path)
    patches.apply(tree, corrections_for("2.21.0", stock=False))
    assert "horovod_maypole_soft_init" in (tree / patches.OPERATIONS).read_text()


@needs_tensorflow
@pytest.mark.horovod
def test_that_a_cached_wheel_is_installed_and_proven_within_seconds(
    built_wheel: Path, python: Path
) -> None:
    hide_horovod_below(python)
    done = provision(python)
    assert done.returncode == 0, done.stderr
    said = done.stdout.splitlines()
    assert said[0].startswith("Taking Horovod 0.28.1 for TensorFlow ")
    assert said[1] == "Installed; verifying it with an allreduce in a fresh process."
    assert said[2].startswith("Horovod 0.28.1 works with TensorFlow ")
    assert corrections_of(python) == RUNTIME_CORRECTIONS


@needs_tensorflow
@pytest.mark.horovod
def test_that_the_second_provision_only_looks(built_wheel: Path, python: Path) -> None:
    hide_horovod_below(python)
    assert provision(python).returncode == 0
    start = time.monotonic()
    done = provision(python, "--cache", "/proc/nowhere")
    took = time.monotonic() - start
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(f"is installed in {python}.\n")
    assert took < 2  # 0.2 s on an idle machine; a look at TensorFlow itself would take longer


@needs_tensorflow
def test_that_a_check_tells_what_is_missing_and_changes_nothing(
    python: Path, tmp_path: Path
) -> None:
    hide_horovod_below(python)
    done = provision(python, "--check", "--cache", tmp_path / "cache")
    assert done.returncode == 1
    assert "is needed in" in done.stdout
    assert "It would be compiled with" in done.stdout
    assert not (tmp_path / "cache").exists()


@needs_tensorflow
@pytest.mark.horovod
def test_that_two_provisions_at_once_install_once(built_wheel: Path, python: Path) -> None:
    hide_horovod_below(python)
    command = [sys.executable, "-m", "trainer.provision", "--python", str(python)]
    both = [
        subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        for _ in range(2)
    ]
    said = [process.communicate(timeout=300)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert sum("Taking Horovod" in text for text in said) == 1, said
    assert corrections_of(python) == RUNTIME_CORRECTIONS


def with_broken_library(wheel: Path, target: Path) -> Path:
    """A copy of a wheel whose compiled library is not one, as a wrong build would be."""
    with zipfile.ZipFile(wheel) as whole, zipfile.ZipFile(target / wheel.name, "w") as broken:
        for entry in whole.infolist():
            content = whole.read(entry)
            broken.writestr(entry, b"not a library" if "mpi_lib" in entry.filename else content)
    return target / wheel.name


@needs_tensorflow
@pytest.mark.horovod
def test_that_a_horovod_that_fails_its_proof_does_not_stay(
    built_wheel: Path, python: Path, tmp_path: Path
) -> None:
    hide_horovod_below(python)
    cache = WheelCache(tmp_path / "cache")
    cache.prepare()
    cache.store(built_wheel.parent.name, with_broken_library(built_wheel, tmp_path))
    assert marker_in(cache.folder / built_wheel.parent.name / built_wheel.name) is not None
    done = provision(python, "--cache", cache.folder)
    assert done.returncode == 1
    assert "its one-process allreduce failed: it ended with 1" in done.stderr
    assert "--rebuild" in done.stderr
    site = next((python.parents[1] / "lib").glob("python*/site-packages"))
    assert not list(site.glob("horovod-*.dist-info"))
    assert not (site / "horovod" / "maypole.json").exists()


@pytest.fixture
def building(
    python: Path, source: Path, tmp_path: Path
) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A provision that has begun to compile, and the folder of its temporary files."""
    hide_horovod_below(python)
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    command = [sys.executable, "-m", "trainer.provision", "--python", str(python),
               "--cache", str(tmp_path / "cache"), "--sdist", str(source)]  # fmt: skip
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(scratch)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_until(lambda: compiling_in(scratch) or process.poll() is not None, 120)
        yield process, scratch
    finally:
        process.kill()
        process.communicate()


def wait_until(condition: Callable[[], object], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


def compiling_in(folder: Path) -> list[str]:
    """Command lines of the processes of a build whose files lie in `folder`."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except (FileNotFoundError, ProcessLookupError):
            continue
        if str(folder) in words and "cc1plus" in words:
            found.append(words)
    return found


@needs_tensorflow
@pytest.mark.skipif(shutil.which("cmake") is None, reason="no CMake on this machine")
def test_that_a_build_that_is_asked_to_end_takes_its_compilers_and_files_with_it(
    building: tuple[subprocess.Popen[str], Path],
) -> None:
    process, scratch = building
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    _, stderr = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "nothing half-done is left" in stderr
    wait_until(lambda: not compiling_in(scratch), 10)
    assert list(scratch.iterdir()) == []


@pytest.mark.provision215
@pytest.mark.horovod
@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="TensorFlow 2.15 has no build for it")
def test_that_tensorflow_2_15_gets_a_corrected_horovod_too(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "venv"], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "tensorflow==2.15.1"]
    subprocess.run([str(word) for word in pip], check=True)
    done = provision(python)
    assert done.returncode == 0, done.stderr
    assert "works with TensorFlow 2.15.1" in done.stdout
    assert corrections_of(python) == RUNTIME_CORRECTIONS
