"""Do something with a module right after it was imported, whenever that is, and only if it is.

So a script that never imports Horovod or Keras pays nothing, and one that does finds them corrected
before the first name is taken out of them.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from types import ModuleType
from typing import Any, Callable, Dict, List, Optional, Sequence

Hook = Callable[[ModuleType], None]


class ImportHooks(importlib.abc.MetaPathFinder):
    """``complain(what, error)`` is called when a hook raises: that must not stop a training."""

    def __init__(self, complain: Callable[[str, BaseException], None]) -> None:
        self._complain = complain
        self._hooks: Dict[str, List[Hook]] = {}
        self._searching: List[str] = []

    def after(self, name: str, hook: Hook) -> None:
        """``hook(module)`` once ``name`` has been imported; at once when it already is."""
        if name in sys.modules:
            self._call(hook, sys.modules[name])
        else:
            self._hooks.setdefault(name, []).append(hook)

    def install(self) -> None:
        sys.meta_path.insert(0, self)

    def remove(self) -> None:
        sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Optional[Sequence[str]], target: Optional[ModuleType] = None
    ) -> Optional[importlib.machinery.ModuleSpec]:
        if fullname not in self._hooks or fullname in self._searching:
            return None
        self._searching.append(fullname)
        try:
            spec = _find(self, fullname, path, target)
        finally:
            self._searching.remove(fullname)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            spec.loader = _Loader(spec.loader, self)
        return spec

    def imported(self, module: ModuleType) -> None:
        for hook in self._hooks.pop(module.__name__, ()):
            self._call(hook, module)

    def _call(self, hook: Hook, module: ModuleType) -> None:
        try:
            hook(module)
        except Exception as error:  # noqa: BLE001  told; the training goes on without this correction
            self._complain("could not prepare %s" % module.__name__, error)


def _find(
    self: ImportHooks, name: str, path: Optional[Sequence[str]], target: Optional[ModuleType]
) -> Optional[importlib.machinery.ModuleSpec]:
    for finder in list(sys.meta_path):
        if finder is self or not hasattr(finder, "find_spec"):
            continue
        spec = finder.find_spec(name, path, target)
        if spec is not None:
            return spec
    return None


class _Loader(importlib.abc.Loader):
    """The module's own loader, plus the hooks at the end. It takes itself out again."""

    def __init__(self, loader: Any, hooks: ImportHooks) -> None:
        self._loader = loader
        self._hooks = hooks

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> Optional[ModuleType]:
        module: Optional[ModuleType] = self._loader.create_module(spec)
        return module

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._hooks.imported(module)
