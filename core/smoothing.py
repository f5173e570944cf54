"""The smoothing that TensorBoard draws: an exponential moving average without its bias at the start.

After tensorboard/components/vz_line_chart2 and webapp's data_transformer.ts (``classicSmoothing``):
values that are not finite come out as they are and leave no trace; a series of one constant is not touched.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def smooth(values: Floats, weight: float) -> Floats:
    """``weight`` from 0 (nothing) to below 1."""
    return Smoother(weight).update(values)


class Smoother:
    """Smooths a series that grows: each update works on the new values alone."""

    def __init__(self, weight: float) -> None:
        if not 0 <= weight < 1:
            raise ValueError(f"a smoothing weight lies in [0, 1), not at {weight}")
        self.weight = weight
        self.reset()

    def reset(self) -> None:
        """Forget all; for a series that was rewritten instead of extended."""
        self._out = np.empty(0)
        self._done = 0
        self._accumulated = 0.0
        self._count = 0
        self._constant: float | None = None
        self._varies = False

    def update(self, values: Floats) -> Floats:
        """The smoothed form of all of ``values``; what was given before must be their beginning."""
        if len(values) < self._done:
            self.reset()
        fresh = values[self._done :]
        if not len(fresh):
            return self._out[: self._done]
        self._reserve(len(values))
        self._out[self._done : len(values)] = self._smooth(fresh)
        self._done = len(values)
        self._watch_constant(fresh)
        return self._out[: self._done] if self._varies else values

    def _smooth(self, fresh: Floats) -> Floats:
        finite = np.isfinite(fresh)
        plain = fresh if finite.all() else fresh[finite]
        accumulated = scan((1 - self.weight) * plain, self.weight, self._accumulated)
        counts = self._count + np.arange(1, len(plain) + 1)
        result = fresh.copy()
        result[finite] = accumulated / (1 - np.power(self.weight, counts))
        if len(plain):
            self._accumulated = float(accumulated[-1])
            self._count += len(plain)
        return result

    def _watch_constant(self, fresh: Floats) -> None:
        if self._constant is None:
            self._constant = float(fresh[0])
        self._varies = self._varies or not bool((fresh == self._constant).all())

    def _reserve(self, size: int) -> None:
        if size > len(self._out):
            grown = np.empty(max(1024, 2 * size))
            grown[: self._done] = self._out[: self._done]
            self._out = grown


def scan(values: Floats, weight: float, carry: float = 0.0) -> Floats:
    """``out[i] = values[i] + weight * out[i - 1]`` with ``out[-1] = carry``, in whole-array steps.

    Each step doubles how far back a value has been summed (Hillis and Steele), until what is farther
    back weighs less than rounding.
    """
    out = np.array(values, dtype=np.float64)
    if len(out) <= 16:
        for i in range(len(out)):
            carry = out[i] = out[i] + weight * carry
        return out
    out[0] += weight * carry
    distance = 1
    while distance < len(out) and weight**distance > 1e-18:
        out[distance:] += weight**distance * out[:-distance]
        distance *= 2
    return out
