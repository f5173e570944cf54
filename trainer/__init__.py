"""Maypole's travelling half. On a training machine this package is called ``maypole``.

A user's script may ``import maypole`` and call :func:`log`; nothing is imported before that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api import log

__all__ = ["log"]


def __getattr__(name: str) -> object:
    if name == "log":
        from .api import log

        return log
    raise AttributeError("module %r has no attribute %r" % (__name__, name))
