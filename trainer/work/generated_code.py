"""TensorFlow's generated functions live in memory, and leave no file behind.

AutoGraph writes each function that it converts to ``__autograph_generated_file*.py`` in the temp folder and
imports it from there (autograph/pyct/loader.py). It takes the file away at exit, but never the
``.pyc`` that the import makes, and neither when the process is killed: the usual end of a worker that the
driver removes. Years of runs would pile up in a folder that everybody shares.

Not solved by another temp folder: a script may rely on its own TMPDIR, and sockets in the run directory could
get paths that are too long.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import linecache
import os
import secrets
import sys
import tempfile
from types import ModuleType
from typing import Any, Tuple

from .import_hooks import ImportHooks

LOADER = "tensorflow.python.autograph.pyct.loader"
_PREFIX = "__autograph_generated_file"


def install(hooks: ImportHooks) -> None:
    hooks.after(LOADER, keep_in_memory)


def keep_in_memory(loader: Any) -> None:
    plain = loader.load_source

    def load_source(source: str, delete_on_exit: bool) -> Tuple[ModuleType, str]:
        return load(source) if delete_on_exit else plain(source, delete_on_exit)

    loader.load_source = load_source


def load(source: str) -> Tuple[ModuleType, str]:
    """The module, and the name that stands in its tracebacks."""
    name = _PREFIX + secrets.token_hex(8)
    path = os.path.join(tempfile.gettempdir(), name + ".py")
    spec = importlib.util.spec_from_file_location(name, path, loader=_Source(path, source))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # For inspect, pdb and tracebacks. Without a time, checkcache does not look for the file.
    linecache.cache[path] = (len(source), None, source.splitlines(True), path)
    spec.loader.exec_module(module)
    sys.modules[name] = module  # as AutoGraph does
    return module, path


class _Source(importlib.abc.SourceLoader):
    def __init__(self, path: str, source: str) -> None:
        self._path = path
        self._source = source

    def get_filename(self, fullname: str) -> str:  # noqa: ARG002  it is one module's loader
        return self._path

    def get_data(self, path: str) -> bytes:
        if path != self._path:
            raise FileNotFoundError(path)
        return self._source.encode("utf-8")
