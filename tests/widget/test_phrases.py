"""Sentences of core and trainer, in the window's language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from helpers.qtwindow import Desk, profile

from core.events import HostState, HostStateChanged
from gui import names, phrases
from gui.settings import LanguageChoice
from gui.toasts import error_note
from trainer.launchspec import LaunchSpec, problems

ROOT = Path(__file__).parents[2]
_PRINTF = re.compile(r"%(?:\.\d+)?[sdr]")


def sentences(folder: Path) -> Iterator[str]:
    """Every text in the source, with {} for what is filled in."""
    for file in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield _PRINTF.sub("{}", node.value)
            elif isinstance(node, ast.JoinedStr):
                parts = (p.value if isinstance(p, ast.Constant) else "{}" for p in node.values)
                yield "".join(map(str, parts))


def test_that_every_template_is_a_sentence_of_core_or_trainer() -> None:
    known = {*sentences(ROOT / "core"), *sentences(ROOT / "trainer")}
    plain = {template: re.sub(r"\{\d\}", "{}", template) for template in phrases.TEMPLATES}
    assert [template for template, text in plain.items() if text not in known] == []


def test_that_every_problem_of_the_launch_settings_has_a_template() -> None:
    spec = LaunchSpec(
        name="n", python="python", workdir="a b", script="", hosts={"-bad": 0}, np=0, min_np=-1,
        max_np=-2, elastic_timeout=0, gloo_timeout=0, reset_limit=0, blacklist_cooldown=(5, 1),
        network_interface="a,b", ssh_port=0, ssh_identity="a b", env={"1": "x"},
        extra_args=("--min-np",),
    )  # fmt: skip
    found = problems(spec)
    assert len(found) > 12
    assert [p.text for p in found if not phrases._known(p.text)[0]] == []


@pytest.mark.parametrize("text", ["", "gpu1 is on fire", "{0}", "100 %"])
def test_that_an_unknown_sentence_stays_as_it_came(text: str) -> None:
    assert phrases.said(text) == text


def test_that_a_mistake_and_a_reason_are_told_in_korean(desk: Desk) -> None:
    desk.application.wiring.choose_language(LanguageChoice.KOREAN)
    desk.use(profile())
    panel = desk.application.window.launch
    desk.application.store.update(min_np=5)
    desk.application.wiring.launch.start()
    desk.until(lambda: "5" in panel.fields["min_np"].error)
    assert "--min-np(5)" in panel.fields["min_np"].error
    assert "above" not in panel.fields["min_np"].error
    assert "above" not in desk.action(names.START_ACTION).toolTip()
    assert phrases.said("/x (status 3) is none of ours") == "/x (status 3) is none of ours"
    inner = "Give the full path of the working directory."
    outer = f"{inner} (It was taken from the script's folder, as it is empty.)"
    assert "full path" not in phrases.said(outer)
    told = HostStateChanged("demo-1", HostState.BLACKLISTED, "a worker failed there")
    assert phrases.said(told.reason) != told.reason


def test_that_a_refusal_of_the_supervisor_is_told_in_korean(desk: Desk) -> None:
    desk.application.wiring.choose_language(LanguageChoice.KOREAN)
    told = error_note(
        "That leaves 1 slots, but --min-np is 2: training would wait. Confirm to do it."
    )
    assert "training would wait" not in told.text
    assert "--min-np" in told.text
    assert told.severity == "error"
