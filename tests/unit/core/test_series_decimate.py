"""Decimation keeps the lowest and the highest point of every pixel column."""

from __future__ import annotations

import numpy as np
import pytest

from core.decimate import decimate
from core.table import Floats

CASES = range(40)


def random_curve(seed: int) -> tuple[Floats, Floats]:
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 6000))
    gaps = random.choice([0.0, 0.5, 1.0, 1.0, 50.0], n)
    y = random.normal(size=n)
    y[random.random(n) < 0.002] *= 1000
    if seed % 3 == 0:
        y[random.random(n) < 0.1] = np.nan
    if seed % 5 == 0:
        y[random.random(n) < 0.05] = np.inf
    return np.cumsum(gaps), y


def window(x: Floats, seed: int) -> tuple[int, float, float]:
    random = np.random.default_rng(seed + 1000)
    a, b = np.sort(random.uniform(x[0] - 5, x[-1] + 5, 2))
    return int(random.integers(1, 800)), float(a), float(b) + 1e-3


def columns_of(x: Floats, columns: int, x0: float, x1: float) -> Floats:
    edges = x0 + (x1 - x0) * (np.arange(columns + 1) / columns)
    return np.searchsorted(edges[1:-1], x, "right")


@pytest.mark.parametrize("seed", CASES)
def test_that_each_column_keeps_its_extremes(seed: int) -> None:
    x, y = random_curve(seed)
    columns, x0, x1 = window(x, seed)
    dx, dy = decimate(x, y, columns, x0, x1)
    inside, kept = (x >= x0) & (x <= x1), (dx >= x0) & (dx <= x1)
    of, of_kept = columns_of(x[inside], columns, x0, x1), columns_of(dx[kept], columns, x0, x1)
    for column in np.unique(of):
        there, left = y[inside][of == column], dy[kept][of_kept == column]
        finite, finite_left = there[np.isfinite(there)], left[np.isfinite(left)]
        if len(finite):
            assert (finite.min(), finite.max()) == (finite_left.min(), finite_left.max())


@pytest.mark.parametrize("seed", CASES)
def test_that_what_comes_back_are_given_points_in_their_order(seed: int) -> None:
    x, y = random_curve(seed)
    columns, x0, x1 = window(x, seed)
    dx, dy = decimate(x, y, columns, x0, x1)
    given = iter(zip(x.tolist(), np.nan_to_num(y, nan=77.0).tolist(), strict=True))
    assert all(
        point in given
        for point in zip(dx.tolist(), np.nan_to_num(dy, nan=77.0).tolist(), strict=True)
    )


@pytest.mark.parametrize("seed", CASES)
def test_that_there_are_at_most_two_points_a_column_and_the_ends(seed: int) -> None:
    x, y = random_curve(seed)
    columns, x0, x1 = window(x, seed)
    dx, _ = decimate(x, y, columns, x0, x1)
    assert len(dx) <= 2 * columns + 4


@pytest.mark.parametrize("seed", CASES)
def test_that_the_line_reaches_both_edges(seed: int) -> None:
    x, y = random_curve(seed)
    columns, x0, x1 = window(x, seed)
    dx, _ = decimate(x, y, columns, x0, x1)
    before, after = x[x < x0], x[x > x1]
    assert not len(before) or dx[0] == before[-1]
    assert not len(after) or dx[-1] == after[0]


def test_that_the_first_and_the_last_point_stay() -> None:
    x, y = np.arange(10_000.0), np.sin(np.arange(10_000.0))
    dx, dy = decimate(x, y, 100, 0, 9_999)
    assert (dx[0], dx[-1], dy[0], dy[-1]) == (x[0], x[-1], y[0], y[-1])


def test_that_few_points_come_back_untouched() -> None:
    x, y = np.arange(100.0), np.arange(100.0)
    dx, dy = decimate(x, y, 50, 0, 99)
    assert np.array_equal(dx, x)
    assert np.array_equal(dy, y)


def test_that_a_column_of_nan_alone_stays_a_gap() -> None:
    x, y = np.arange(10_000.0), np.zeros(10_000)
    y[5000:6000] = np.nan
    dx, dy = decimate(x, y, 100, 0, 9_999)
    assert np.isnan(dy[(dx > 5200) & (dx < 5800)]).all()
    assert np.isnan(dy).any()


def test_that_nothing_and_an_empty_range_are_fine() -> None:
    nothing = np.empty(0)
    assert len(decimate(nothing, nothing, 100, 0, 1)[0]) == 0
    assert len(decimate(np.arange(9.0), np.arange(9.0), 100, 3, 3)[0]) == 3
