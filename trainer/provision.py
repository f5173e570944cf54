"""`provision`: build and install the Horovod that goes with this machine's TensorFlow.

Horovod has no wheels: each one is compiled for one TensorFlow and one Python, from source that
TensorFlow >= 2.16 does not compile, and with faults that end jobs (provisioning/patches.py). This
command does all of it, once; when the right Horovod is there it says so within half a second.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable, Iterator, List, Mapping, NamedTuple, Optional

from .corrections import MARKER_NAME
from .provisioning import build, install, options, patches, probe, sdist, toolchain, verify
from .provisioning.errors import ProvisionError
from .provisioning.probe import PythonFacts
from .provisioning.recipe import GLOO, HOROVOD, NCCL, Recipe, corrections_for
from .provisioning.wheelcache import WheelCache, default_folder

Say = Callable[[str], None]


class Wish(NamedTuple):
    """What was asked for on the command line."""

    python: str
    cache: Path
    sdist: Optional[Path] = None
    stock: bool = False
    rebuild: bool = False
    check: bool = False


def main(argv: List[str]) -> int:
    """0: the right Horovod is there now. 1: it is not, and standard error says why."""
    wish = parse(argv, os.environ)
    # A build that is asked to end must take its compilers and its folder with it.
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        return 0 if provision(wish, os.environ, _print) else 1
    except ProvisionError as exc:
        sys.stderr.write("provision: %s\n" % exc)
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("provision: interrupted; nothing half-done is left installed.\n")
        return 130


def _interrupt(_signal: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _print(line: str) -> None:
    print(line, flush=True)


def parse(argv: List[str], environ: Mapping[str, str]) -> Wish:
    parser = argparse.ArgumentParser(
        prog="provision",
        description="Build and install Horovod %s for the TensorFlow of a Python." % HOROVOD,
    )
    parser.add_argument(
        "--python", default=sys.executable, help="the Python to provision (this one)"
    )
    parser.add_argument(
        "--check", action="store_true", help="change nothing; status 0 if all is there"
    )
    parser.add_argument(
        "--cache", type=Path, help="folder for built wheels (~/.cache/maypole/wheels)"
    )
    parser.add_argument(
        "--sdist", type=Path, help="Horovod's source archive, if pip cannot fetch it"
    )
    parser.add_argument(
        "--stock", action="store_true", help="only the corrections that compiling needs"
    )
    parser.add_argument("--rebuild", action="store_true", help="compile even if a wheel is there")
    given = parser.parse_args(argv)
    return Wish(
        python=given.python,
        cache=(given.cache or default_folder(environ)).absolute(),
        sdist=given.sdist,
        stock=given.stock,
        rebuild=given.rebuild,
        check=given.check,
    )


def provision(wish: Wish, environ: Mapping[str, str], say: Say) -> bool:
    """Make the wish true; with `check`, only tell whether it is true already."""
    python = probe.look_at(wish.python)
    recipe = recipe_for(python, environ, wish.stock)
    if python.marker == recipe.marker() and not wish.rebuild:
        say("%s is installed in %s." % (describe(recipe), python.executable))
        return True
    cache = WheelCache(wish.cache)
    if wish.check:
        return _tell_what_is_missing(python, recipe, cache, environ, say)
    cache.prepare()
    with cache.locked(say):
        python = probe.look_at(wish.python)  # another provision may have done it meanwhile
        if python.marker != recipe.marker() or wish.rebuild:
            _install(python, recipe, cache, wish, environ, say)
    return True


def recipe_for(python: PythonFacts, environ: Mapping[str, str], stock: bool) -> Recipe:
    """What this Python needs; UnsuitablePython or NoTensorFlow if nothing can be built for it."""
    toolchain.check_python(python)
    assert python.tensorflow is not None  # check_python saw to it
    gpu = toolchain.find_gpu(environ, python.tensorflow_name)
    return Recipe(
        tensorflow=python.tensorflow,
        python_tag=python.tag,
        platform=python.platform,
        operations=GLOO if gpu is None else NCCL,
        corrections=corrections_for(python.tensorflow, stock),
    )


def describe(recipe: Recipe) -> str:
    names = ", ".join(recipe.runtime_corrections)
    return "Horovod %s for TensorFlow %s (%s, %s, %s)" % (
        HOROVOD,
        recipe.tensorflow,
        recipe.python_tag,
        recipe.operations,
        "corrections: " + names if names else "stock",
    )


def _tell_what_is_missing(
    python: PythonFacts,
    recipe: Recipe,
    cache: WheelCache,
    environ: Mapping[str, str],
    say: Say,
) -> bool:
    there = python.packages.get("horovod")
    state = "another Horovod (%s) is" % there if there else "no Horovod is"
    say("%s is needed in %s, but %s installed." % (describe(recipe), python.executable, state))
    if cache.find(recipe.key, recipe.marker()) is not None:
        say("It is in the wheel cache: provision would install it within seconds.")
        return False
    tools = toolchain.find_tools(environ)
    say(
        "It would be compiled with %s and %s, which takes some minutes."
        % (tools.compiler, tools.cmake)
    )
    return False


def _install(
    python: PythonFacts,
    recipe: Recipe,
    cache: WheelCache,
    wish: Wish,
    environ: Mapping[str, str],
    say: Say,
) -> None:
    missing = toolchain.missing_requirements(python.packages)
    wheel = None if wish.rebuild else cache.find(recipe.key, recipe.marker())
    if wheel is None:
        toolchain.find_tools(environ)  # before anything is installed
    if missing:
        say("Installing what Horovod needs: %s." % ", ".join(missing))
        install.install_requirements(python.executable, missing)
    if wheel is not None:
        say("Taking %s from the cache." % describe(recipe))
    else:
        wheel = _build(python, recipe, cache, wish, environ, say)
    install.install_wheel(python.executable, wheel)
    with _nothing_unproven(python.executable, say):
        say("Installed; verifying it with an allreduce in a fresh process.")
        verified = verify.verify(python.executable, recipe)
    say(
        "Horovod %s works with TensorFlow %s in %s."
        % (verified.horovod, verified.tensorflow, python.executable)
    )


@contextlib.contextmanager
def _nothing_unproven(python: str, say: Say) -> Iterator[None]:
    """The marker alone makes later provisions skip, so an unproven Horovod must not stay."""
    try:
        yield
    except BaseException:
        say("Taking the Horovod that was not proven away again.")
        install.uninstall(python)
        raise


def _build(
    python: PythonFacts,
    recipe: Recipe,
    cache: WheelCache,
    wish: Wish,
    environ: Mapping[str, str],
    say: Say,
) -> Path:
    tools = toolchain.find_tools(environ)
    gpu = toolchain.find_gpu(environ, python.tensorflow_name)
    assert python.tensorflow_folder is not None  # check_python saw to it
    source = sdist.obtain(python.executable, cache.folder, wish.sdist)
    jobs = options.machine_jobs()
    variables = options.options(
        environ, tools, recipe.tensorflow, python.tensorflow_folder, gpu, jobs
    )
    log = cache.folder / (recipe.key + ".log")
    start = time.monotonic()
    say(
        "Building %s with %d jobs; this takes some minutes. Log: %s" % (describe(recipe), jobs, log)
    )
    with tempfile.TemporaryDirectory(prefix="maypole-horovod-") as scratch:
        # Always a fresh tree: Horovod's CMake rewrites its own third_party sources, and a second
        # configure in the same tree fails.
        tree = sdist.unpack(source, Path(scratch))
        patches.apply(tree, recipe.corrections)
        (tree / "horovod" / MARKER_NAME).write_text(
            json.dumps(recipe.marker(), indent=1, sort_keys=True) + "\n", encoding="utf-8"
        )
        out, temporary = Path(scratch) / "wheel", Path(scratch) / "tmp"
        out.mkdir()
        temporary.mkdir()
        variables["TMPDIR"] = str(temporary)  # pip leaves files there when it is killed
        built = build.build(python.executable, tree, out, variables, log, say)
        wheel = cache.store(recipe.key, built)
    say("Built in %s." % build.duration(time.monotonic() - start))
    return wheel


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
