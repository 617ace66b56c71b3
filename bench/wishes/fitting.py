"""Fits weights to hashed features by logistic regression.

Equation: least mean of w log(1 + exp(-y s)) + l2 |W|^2 / 2, where s = b + the sum of W over an example's n features, over the
root of n.
Source: Nesterov, "A method of solving a convex programming problem with convergence rate O(1/k^2)" (1983).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shared.language.commands.wishes import BUCKETS

_L2 = 1e-6
_STEPS = 400
_POWERS = 12
"""Steps of the power iteration that finds how steep the loss is."""

Floats = NDArray[np.float64]


class Table(NamedTuple):
    """Which features each example has, one entry for each pair."""

    row: NDArray[np.int64]
    column: NDArray[np.int64]
    share: NDArray[np.float64]
    rows: int

    def times(self, weights: Floats) -> Floats:
        """Return the sum of the weights of each example's features."""
        return np.bincount(self.row, weights=weights[self.column] * self.share, minlength=self.rows).astype(np.float64)

    def transposed_times(self, values: Floats) -> Floats:
        """Return the sum of the values of the examples that have each feature."""
        return np.bincount(self.column, weights=values[self.row] * self.share, minlength=BUCKETS).astype(np.float64)


def table(examples: Sequence[Collection[int]]) -> Table:
    """Return the table of examples, each given by its features."""
    sizes = np.array([len(each) for each in examples])
    row = np.repeat(np.arange(len(examples)), sizes)
    column = np.array([feature for each in examples for feature in each], dtype=np.int64)
    return Table(row, column, np.repeat(sizes**-0.5, sizes), len(examples))


def fit(data: Table, wished: Floats, weight: Floats) -> tuple[Floats, float]:
    """Return the weight of each feature, and the bias. `wished`: 1 for a yes; `weight`: how much each example counts."""
    share = weight / weight.sum()
    step = 1 / (_steepness(data, share) + _L2)
    weights = ahead = np.zeros(BUCKETS)
    bias, bias_ahead, momentum = 0.0, 0.0, 1.0
    for _ in range(_STEPS):
        error = (1 / (1 + np.exp(-(data.times(ahead) + bias_ahead))) - wished) * share
        old, weights = weights, ahead - step * (data.transposed_times(error) + _L2 * ahead)
        bias_old, bias = bias, bias_ahead - step * float(error.sum())
        following = (1 + (1 + 4 * momentum**2) ** 0.5) / 2
        gain, momentum = (momentum - 1) / following, following
        ahead, bias_ahead = weights + gain * (weights - old), bias + gain * (bias - bias_old)
    return weights, bias


def _steepness(data: Table, share: Floats) -> float:
    """Return the largest curvature of the loss."""
    vector: Floats = np.ones(BUCKETS) / BUCKETS**0.5
    length = 1.0
    for _ in range(_POWERS):
        vector = data.transposed_times(data.times(vector) * share)
        length = float(np.linalg.norm(vector))
        vector /= length
    return 0.25 * length * 1.1
