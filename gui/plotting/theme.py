"""Colours of the curves, for a light and for a dark window."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Theme:
    """Colours as #rrggbb. ``series`` go to metrics without a colour of their own, in order."""

    background: str
    foreground: str
    muted: str
    grid: str
    accent: str
    mark: str
    problem: str
    loss: str
    accuracy: str
    validation: str
    learning_rate: str
    world_size: str
    world_size_fill: str
    series: tuple[str, ...]


# The hues are those of Okabe and Ito (2008), safe for the colour-blind; where one of them has less
# than 3:1 against the background its lightness was moved until it had.
LIGHT = Theme(
    background="#ffffff",
    foreground="#1f2733",
    muted="#5b6472",
    grid="#5b6472",
    accent="#2f6fdf",
    mark="#5b6472",
    problem="#c62828",
    loss="#0072b2",
    accuracy="#008a64",
    validation="#d55e00",
    learning_rate="#b0568a",
    world_size="#2b8cc4",
    world_size_fill="#d6ecf9",
    series=("#a87400", "#0072b2", "#008a64", "#b0568a", "#2b8cc4", "#6b6200"),
)
DARK = Theme(
    background="#1b2028",
    foreground="#e6e9ee",
    muted="#9aa3b0",
    grid="#9aa3b0",
    accent="#6c9fff",
    mark="#9aa3b0",
    problem="#ff6b6b",
    loss="#4aa8e0",
    accuracy="#1fb58a",
    validation="#f0a030",
    learning_rate="#d68fb8",
    world_size="#56b4e9",
    world_size_fill="#2a4a60",
    series=("#f0e442", "#56b4e9", "#1fb58a", "#cc79a7", "#e69f00", "#d55e00"),
)


def mix(color: str, background: str, share: float) -> str:
    """``share`` of a colour over a background, opaque: transparent pens are slow to draw."""
    parts = [(int(color[i : i + 2], 16), int(background[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in parts)
