"""Ticks are few, round and tell neighbours apart."""

from __future__ import annotations

import math

import numpy as np
import pytest

from gui.plotting import ticks
from gui.plotting.plotbox import zoomed
from gui.plotting.viewport import History, Viewport, padded


@pytest.mark.parametrize("seed", range(50))
def test_that_tick_labels_differ_and_read_back_as_their_values(seed: int) -> None:
    random = np.random.default_rng(seed)
    low = random.normal() * 10.0 ** random.integers(-8, 9)
    high = low + 10.0 ** random.uniform(-3, 3) * max(abs(low), 1e-9) * random.uniform(0.1, 1)
    step = ticks.nice_step(high - low, random.integers(2, 12))
    values = ticks.multiples(low, high, step)
    texts = [ticks.number_text(value, step) for value in values]
    assert len(set(texts)) == len(texts)
    for value, text in zip(values, texts, strict=True):
        assert float(text.replace(",", "")) == pytest.approx(value, abs=step * 1e-3, rel=1e-9)


@pytest.mark.parametrize(("span", "count"), [(1, 5), (0.03, 4), (1400, 9), (7e9, 3)])
def test_that_steps_are_one_two_or_five(span: float, count: int) -> None:
    step = ticks.nice_step(span, count)
    assert round(step / 10 ** math.floor(math.log10(step) + 1e-9)) in (1, 2, 5, 10)
    assert span / step <= count * (1 + 1e-9)


@pytest.mark.parametrize(
    ("seconds", "step", "text"),
    [
        (0, 10, "0:00"),
        (75, 15, "1:15"),
        (3725, 60, "1:02:05"),
        (0.25, 0.05, "0:00.25"),
        (-5, 1, "−0:05"),
    ],
)
def test_that_durations_read_as_clocks(seconds: float, step: float, text: str) -> None:
    assert ticks.duration_text(seconds, step) == text


@pytest.mark.parametrize(("low", "high"), [(-3, 2), (0.1, 0.3), (-12, 12), (0, 1)])
def test_that_a_log_axis_has_a_few_ticks_within_its_range(low: float, high: float) -> None:
    found = ticks.log_ticks(low, high, 6)
    assert 1 <= len(found) <= 14
    assert all(low <= tick <= high for tick in found)


def test_that_impossible_ranges_give_no_ticks_instead_of_an_endless_list() -> None:
    assert ticks.multiples(0, 1e9, 1) == []
    assert ticks.nice_step(0, 5) == 1
    assert ticks.nice_step(math.inf, 5) == 1


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.5, "0.5"), (0.123456, "0.1235"), (12345.6, "12,346"), (math.nan, "NaN"), (-math.inf, "−∞")],
)
def test_that_values_read_at_a_glance(value: float, text: str) -> None:
    assert ticks.value_text(value) == text


def test_that_exact_values_lose_nothing() -> None:
    assert float(ticks.exact_text(1 / 3)) == 1 / 3
    assert ticks.exact_text(3.0) == "3"


def test_that_a_zoom_keeps_its_centre_and_never_ends_in_nothing() -> None:
    assert zoomed((0, 10), 0.5) == (2.5, 7.5)
    assert zoomed((0, 10), 0.5, 0) == (0, 5)
    span = (0.0, 10.0)
    for _ in range(1000):
        span = zoomed(span, 0.5, 3.0)
    assert span[0] < 3.0 < span[1]


def test_that_a_viewport_shows_all_or_what_was_chosen_or_the_newest() -> None:
    whole = Viewport()
    low, high = whole.span((0, 100))
    assert low < 0
    assert high > 100
    chosen = whole.chosen((10, 20), None, "loss")
    assert chosen.span((0, 500)) == (10, 20)
    following = Viewport((10, 20), follow=True)
    assert following.span((0, 500)) == pytest.approx((490.2, 500.2))
    assert Viewport().span(None) == (0, 1)


def test_that_history_goes_back_and_forward() -> None:
    history, first, second = History(), Viewport(), Viewport((1, 2))
    history.push(first)
    assert history.back(second) == first
    assert history.forward(first) == second
    assert history.forward(second) == second


def test_that_a_flat_line_gets_room() -> None:
    low, high = padded(0.5, 0.5)
    assert low < 0.5 < high
    assert padded(0, 0)[0] < 0
