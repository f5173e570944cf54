"""Run the user's script as Python would run it, and tell how it ended."""

from __future__ import annotations

import dataclasses
import importlib.machinery
import importlib.util
import io
import os
import sys
import types
from typing import Any, List, Optional, Set

BUILT_IN = "maypole:"
"""``maypole:digits`` is the module ``digits`` of our own ``workloads``: it needs no file anywhere."""
PACKAGE = __name__.rpartition(".work.")[0]
"""Not from __package__: a zip of Python 3.8 and 3.9 has none while a module is imported."""


class ScriptMissing(Exception):
    """The sentence says which file was looked for and what to do."""


@dataclasses.dataclass(frozen=True)
class Script:
    """``module``: set for a built-in workload, which is a module of this package."""

    path: str
    module: str = ""


@dataclasses.dataclass(frozen=True)
class End:
    """``error``: one line about an uncaught exception, "" without one."""

    status: int
    error: str = ""
    stopped: bool = False


class TrainingStopped(SystemExit):
    """Somebody asked for a stop, and every rank leaves at the same commit. Ends the script with 0."""

    def __init__(self) -> None:
        super().__init__(0)


def find(word: str) -> Script:
    """Raises ScriptMissing."""
    if word.startswith(BUILT_IN):
        return _built_in(word[len(BUILT_IN) :])
    path = os.path.abspath(word)
    if os.path.isfile(path):
        return Script(path)
    if os.path.isdir(path):
        raise ScriptMissing("%s is a folder. Give the path of a Python script." % path)
    raise ScriptMissing(
        "The training script %s is not on this machine. It must exist at the same path on every host: "
        "copy it there, or put it on a shared folder." % path
    )


def _built_in(name: str) -> Script:
    module = "%s.workloads.%s" % (PACKAGE, name)
    spec = importlib.util.find_spec(module) if name.isidentifier() else None
    if spec is None or spec.origin is None:
        raise ScriptMissing(
            "Maypole has no training called %.60r. Try %sdigits." % (name, BUILT_IN)
        )
    return Script(spec.origin, module)


def run(script: Script, args: List[str]) -> End:
    """Runs to the end. What the script raised is printed as Python prints it, without our own frames."""
    try:
        execute(script, args)
    except SystemExit as leaving:
        return End(_status(leaving.code), stopped=isinstance(leaving, TrainingStopped))
    except KeyboardInterrupt as interrupt:
        _print(interrupt)
        return End(130, "KeyboardInterrupt")
    except BaseException as error:  # noqa: BLE001  told, like Python does at the top
        _print(error)
        return End(1, _one_line(error))
    return End(0)


def execute(script: Script, args: List[str]) -> None:
    """What ``python script args`` does: ``__main__`` is the script's module, now and afterwards, so
    that pickling and threads that outlive the script find their names."""
    module = types.ModuleType("__main__")
    module.__file__ = script.path
    if script.module:
        spec = importlib.util.find_spec(script.module)
        assert spec is not None and spec.loader is not None
        code = spec.loader.get_code(script.module)  # type: ignore[attr-defined]
        module.__loader__ = spec.loader
        module.__package__ = script.module.rpartition(".")[0]  # for relative imports (PEP 366)
    else:
        with io.open_code(script.path) as file:
            code = compile(file.read(), script.path, "exec", dont_inherit=True)
        module.__loader__ = importlib.machinery.SourceFileLoader("__main__", script.path)
        # Of the file behind a link, as Python does (config.c: _PyPathConfig_ComputeSysPath0).
        sys.path[0] = os.path.dirname(os.path.realpath(script.path))
    module.__dict__["__builtins__"] = sys.modules["builtins"]
    sys.argv = [script.path, *args]
    sys.modules["__main__"] = module
    exec(code, module.__dict__)


def _status(code: Any) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF
    sys.stderr.write("%s\n" % (code,))  # a tuple is one value here
    return 1


def _one_line(error: BaseException) -> str:
    text = str(error).strip().splitlines()
    return ("%s: %s" % (type(error).__name__, text[0] if text else ""))[:500]


def _print(error: BaseException) -> None:
    without_our_frames(error, set())
    sys.excepthook(type(error), error, error.__traceback__)
    sys.stderr.flush()


def without_our_frames(error: Optional[BaseException], seen: Set[int]) -> None:
    """Takes the frames of this package out of the tracebacks of ``error`` and of what caused it."""
    if error is None or id(error) in seen:
        return
    seen.add(id(error))
    error.__traceback__ = _filtered(error.__traceback__)
    without_our_frames(error.__cause__, seen)
    without_our_frames(error.__context__, seen)


def _filtered(trace: Optional[types.TracebackType]) -> Optional[types.TracebackType]:
    kept = []
    while trace is not None:
        if not _is_ours(trace.tb_frame):
            kept.append(trace)
        trace = trace.tb_next
    first: Optional[types.TracebackType] = None
    for entry in reversed(kept):
        entry.tb_next = first
        first = entry
    return first


def _is_ours(frame: types.FrameType) -> bool:
    module = str(frame.f_globals.get("__name__"))
    return module.startswith(PACKAGE + ".") and not module.startswith(PACKAGE + ".workloads.")
