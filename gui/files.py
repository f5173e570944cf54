"""Where the files of resources/ lie. The package is always unpacked, so they have real paths."""

from __future__ import annotations

from pathlib import Path

import resources

_ROOT = Path(next(iter(resources.__path__)))
ICONS = _ROOT / "icons"
THEMES = _ROOT / "themes"
TRANSLATIONS = _ROOT / "translations"
