"""Fits weights to places by logistic regression that leaves most weights at zero.

Equation: least mean of w log(1 + exp(-y s)) + l1 |W| + l2 |W|^2 / 2, where s = b + the sum of W over a place's features.
Source: Beck and Teboulle 2009, "A fast iterative shrinkage-thresholding algorithm" (FISTA).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_L1, _L2 = 1e-4, 2e-5
_STEPS = 250
_POWERS = 15
"""Steps of the power iteration that finds how steep the loss is."""

Floats = NDArray[np.float64]


class Table(NamedTuple):
    """Which features each place has, one entry for each pair."""

    row: NDArray[np.int64]
    column: NDArray[np.int64]
    rows: int
    columns: int

    def times(self, weights: Floats) -> Floats:
        """The sum of the weights of each place's features."""
        return np.bincount(self.row, weights=weights[self.column], minlength=self.rows).astype(np.float64)

    def transposed_times(self, values: Floats) -> Floats:
        """The sum of the values of the places that have each feature."""
        return np.bincount(self.column, weights=values[self.row], minlength=self.columns).astype(np.float64)


def table(places: Sequence[Sequence[int]], columns: int) -> Table:
    """The table of places, each given by the numbers of its features."""
    row = np.repeat(np.arange(len(places)), [len(place) for place in places])
    column = np.array([number for place in places for number in place], dtype=np.int64)
    return Table(row, column, len(places), columns)


def fit(data: Table, wished: Floats, weight: Floats) -> tuple[Floats, float]:
    """The weight of each feature, and the bias. `wished`: 1 where a place is a wish; `weight`: how much each counts."""
    share = weight / weight.sum()
    step = 1 / (_steepness(data, share) + _L2)
    weights = ahead = np.zeros(data.columns)
    bias, bias_ahead, momentum = 0.0, 0.0, 1.0
    for _ in range(_STEPS):
        error = (1 / (1 + np.exp(-(data.times(ahead) + bias_ahead))) - wished) * share
        moved = ahead - step * (data.transposed_times(error) + _L2 * ahead)
        old, weights = weights, np.sign(moved) * np.maximum(np.abs(moved) - step * _L1, 0)
        bias_old, bias = bias, bias_ahead - step * float(error.sum())
        following = (1 + (1 + 4 * momentum**2) ** 0.5) / 2
        gain, momentum = (momentum - 1) / following, following
        ahead, bias_ahead = weights + gain * (weights - old), bias + gain * (bias - bias_old)
    return weights, bias


def _steepness(data: Table, share: Floats) -> float:
    """The largest curvature of the loss."""
    vector: Floats = np.ones(data.columns) / data.columns**0.5
    length = 1.0
    for _ in range(_POWERS):
        vector = data.transposed_times(data.times(vector) * share)
        length = float(np.linalg.norm(vector))
        vector /= length
    return 0.25 * length * 1.1
