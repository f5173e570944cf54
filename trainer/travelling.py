"""The file that this code runs from: ``maypole-<hash>.pyz``, which starts the other commands too."""

from __future__ import annotations

from pathlib import Path


class NotBundled(RuntimeError):
    pass


def bundle_path() -> str:
    """Raises NotBundled when this runs from a folder of sources: other machines could not start it."""
    for parent in Path(__file__).absolute().parents:
        if parent.is_file():
            return str(parent)
    raise NotBundled("This command runs from maypole-<hash>.pyz only. Start it through maypole.")
