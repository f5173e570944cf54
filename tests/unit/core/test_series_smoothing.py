"""Smoothing is TensorBoard's, whatever the values and however they come."""

from __future__ import annotations

import math

import numpy as np
import pytest

from core.smoothing import Smoother, scan, smooth
from core.table import Floats

WEIGHTS = (0.0, 0.3, 0.6, 0.9, 0.99, 0.999)


def classic(values: Floats, weight: float) -> list[float]:
    """TensorBoard's classicSmoothing (data_transformer.ts), word for word."""
    last = 0.0 if len(values) else math.nan
    accumulated = 0
    constant = all(v == values[0] for v in values)
    smoothed = []
    for value in values.tolist():
        if constant or not math.isfinite(value):
            smoothed.append(value)
            continue
        last = last * weight + (1 - weight) * value
        accumulated += 1
        debias = 1.0
        if weight != 1:
            debias = 1.0 - math.pow(weight, accumulated)
        smoothed.append(last / debias)
    return smoothed


def series(seed: int) -> Floats:
    random = np.random.default_rng(seed)
    values = random.normal(size=int(random.integers(1, 5000))) * 10.0 ** random.integers(-6, 6)
    if seed % 2:
        values[random.random(len(values)) < 0.1] = np.nan
    if seed % 3 == 0:
        values[random.random(len(values)) < 0.02] = np.inf
    return values


@pytest.mark.parametrize("weight", WEIGHTS)
@pytest.mark.parametrize("seed", range(8))
def test_that_smoothing_equals_tensorboards(seed: int, weight: float) -> None:
    values = series(seed)
    np.testing.assert_allclose(
        smooth(values, weight), classic(values, weight), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("weight", WEIGHTS)
def test_that_points_one_by_one_and_in_lumps_give_the_same(weight: float) -> None:
    values = series(3)
    smoother, end = Smoother(weight), 0
    lumps = np.random.default_rng(1)
    while end < len(values):
        end += int(lumps.choice([1, 1, 2, 15, 17, 400]))
        shown = smoother.update(values[:end])
    np.testing.assert_allclose(shown, classic(values, weight), rtol=1e-9, atol=1e-12)


def test_that_a_constant_is_not_touched() -> None:
    values = np.full(500, 0.1)
    assert np.array_equal(smooth(values, 0.97), values)


def test_that_one_nan_poisons_nothing() -> None:
    values = np.array([1.0, np.nan, 1.0, 2.0])
    shown = smooth(values, 0.5)
    assert np.isnan(shown).tolist() == [False, True, False, False]


def test_that_a_series_of_nan_stays_one() -> None:
    assert np.isnan(smooth(np.full(40, np.nan), 0.9)).all()


def test_that_nothing_smooths_to_nothing() -> None:
    assert len(smooth(np.empty(0), 0.5)) == 0


def test_that_a_shorter_series_starts_anew() -> None:
    smoother = Smoother(0.9)
    smoother.update(np.arange(100.0))
    np.testing.assert_allclose(
        smoother.update(np.array([5.0, 1.0])), classic(np.array([5.0, 1.0]), 0.9)
    )


@pytest.mark.parametrize("weight", [-0.1, 1.0, math.nan])
def test_that_a_weight_outside_its_range_is_refused(weight: float) -> None:
    with pytest.raises(ValueError, match="weight"):
        Smoother(weight)


@pytest.mark.parametrize("length", [0, 1, 15, 16, 17, 1000])
def test_that_the_scan_carries_over(length: int) -> None:
    values = np.random.default_rng(length).normal(size=length)
    expected, carry = [], 3.0
    for value in values:
        carry = value + 0.8 * carry
        expected.append(carry)
    np.testing.assert_allclose(scan(values, 0.8, 3.0), expected, rtol=1e-12)
