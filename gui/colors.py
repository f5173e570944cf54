"""The window's colours, for a light and for a dark screen. Plots take theirs from gui.plotting."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import Enum


class Tone(Enum):
    """What a colour means. It never stands alone: an icon and a word are always beside it."""

    GOOD = "good"
    WAITING = "waiting"
    QUIET = "quiet"
    BAD = "bad"
    BARRED = "barred"
    ACCENT = "accent"


@dataclass(frozen=True, slots=True)
class Colors:
    """#rrggbb. Text has at least 4.5:1 on what it stands on, signs at least 3:1 (tests measure it)."""

    dark: bool
    window: str
    surface: str
    raised: str
    border: str
    strong_border: str
    text: str
    muted: str
    accent: str
    accent_hover: str
    on_accent: str
    accent_soft: str
    hover: str
    good: str
    waiting: str
    quiet: str
    bad: str
    barred: str
    ranks: tuple[str, ...]
    """By rank, round and round: Okabe and Ito's hues, their lightness moved for this background."""

    def tone(self, tone: Tone) -> str:
        return str(getattr(self, tone.value))

    def of_rank(self, rank: int) -> str:
        return self.ranks[rank % len(self.ranks)] if rank >= 0 else self.muted

    def tokens(self) -> dict[str, str]:
        """For the style sheet's template."""
        return {key: value for key, value in asdict(self).items() if isinstance(value, str)}


LIGHT = Colors(
    dark=False,
    window="#f3f5f8",
    surface="#ffffff",
    raised="#ffffff",
    border="#dde2ea",
    strong_border="#8a94a3",
    text="#1f2733",
    muted="#5b6472",
    accent="#2563d6",
    accent_hover="#1d52b6",
    on_accent="#ffffff",
    accent_soft="#e6eefc",
    hover="#eef1f6",
    good="#00825f",
    waiting="#a86200",
    quiet="#667080",
    bad="#c62f1d",
    barred="#8348b8",
    ranks=("#0068a3", "#007a58", "#b34c00", "#9c4377", "#1f77a8", "#7a5600", "#6b6200", "#5b6472"),
)
DARK = Colors(
    dark=True,
    window="#12161c",
    surface="#1b2028",
    raised="#222932",
    border="#303843",
    strong_border="#77818f",
    text="#e6e9ee",
    muted="#9fa8b5",
    accent="#6c9fff",
    accent_hover="#8ab3ff",
    on_accent="#0d1420",
    accent_soft="#24344f",
    hover="#262e39",
    good="#2fbf95",
    waiting="#f0a630",
    quiet="#98a2b0",
    bad="#ff7a68",
    barred="#c493ee",
    ranks=("#56b4e9", "#2fbf95", "#f0a030", "#d68fb8", "#8cc8f0", "#e0b83c", "#f0e442", "#9fa8b5"),
)


def contrast(one: str, other: str) -> float:
    """WCAG 2's contrast ratio, 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    channels = (int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
