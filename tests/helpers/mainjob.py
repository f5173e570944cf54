"""The main job, end to end, as the issue tells it; by events off screen and by a real mouse under Xvfb."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from helpers.player import Player

from core.events import RunState
from gui import names


@dataclass
class Facts:
    """What was seen on the way."""

    sizes: list[int] = field(default_factory=list)
    cards: dict[str, list[str]] = field(default_factory=dict)
    leaver: str = ""
    repeated: int = 0
    steps: list[int] = field(default_factory=list)
    saved: Path = Path()
    max_difference: float | None = None
    outcome: RunState | None = None


def perform(player: Player, pictures: Path, prefix: str = "") -> Facts:
    """Start on 2, grow to 3, drop the host of rank 0, export, stop. Raises Waited."""
    facts = Facts()
    player.start(2)
    player.batches(5)
    facts.sizes.append(player.view.world_size)
    player.grow("demo-3")
    facts.sizes.append(player.view.world_size)
    facts.cards["demo-3"] = player.card("demo-3")
    player.batches(5)
    facts.leaver = player.drop_rank_zero()
    facts.sizes.append(player.view.world_size)
    player.batches(5)
    facts.cards[facts.leaver] = player.card(facts.leaver)
    player.screenshot(pictures / f"{prefix}main-job.png")
    export(player, facts)
    player.press(names.STOP_ACTION)
    player.over(180)
    assert player.view.over is not None
    facts.outcome = player.view.over.outcome
    facts.steps = player.steps
    facts.repeated = sum(resize.repeated_steps for resize in player.view.resizes)
    return facts


def export(player: Player, facts: Facts) -> None:
    saved: list[str] = []
    player.application.wiring.export.saved.connect(saved.append)
    player.press(names.EXPORT_ACTION)
    player.wait(lambda: bool(saved), 180, "the export")
    facts.saved = Path(saved[0])
    facts.max_difference = player.view.exports[0].max_difference


def missing_and_double(steps: list[int]) -> tuple[list[int], list[int]]:
    """Steps that an x axis from 1 to its end lacks, and those that it has more than once."""
    counts = Counter(steps)
    missing = [step for step in range(1, max(counts, default=0) + 1) if step not in counts]
    return missing, [step for step, count in counts.items() if count > 1]
