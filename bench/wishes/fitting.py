"""Fits weights to hashed features by logistic regression.

Equation: least mean of w log(1 + exp(-y s)) + l2 |W|^2 / 2, where s = b + the sum of W over an example's n features, over the
root of n, and y is 1 for a yes and -1 for a no.
Source: Liu and Nocedal, "On the limited memory BFGS method for large scale optimization" (1989).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shared.language.text.weighing import BUCKETS

L2 = 1e-6
STEPS = 120
_PAIRS = 8
"""Pairs of the last steps and of the changes of the slope by which the curvature is told."""
_HALVINGS = 20
_ENOUGH = 1e-4
"""The part of what the slope promises that a step has to gain."""

Floats = NDArray[np.float32]


class Table(NamedTuple):
    """Which features each example has, by example and by feature; one feature more, which each example has, is the bias."""

    column: NDArray[np.int32]
    begin: NDArray[np.int64]
    share: Floats
    row: NDArray[np.int32]
    used: NDArray[np.int32]
    begin_used: NDArray[np.int64]

    def times(self, weights: Floats) -> Floats:
        """Return the sum of the weights of each example's features."""
        sums: Floats = np.add.reduceat(weights[self.column], self.begin)
        found: Floats = sums * self.share + weights[BUCKETS]
        return found

    def transposed_times(self, values: Floats) -> Floats:
        """Return the sum of the values of the examples that have each feature."""
        found = np.zeros(BUCKETS + 1, dtype=np.float32)
        found[self.used] = np.add.reduceat((values * self.share)[self.row], self.begin_used)
        found[BUCKETS] = values.sum()
        return found


def table(examples: Sequence[Collection[int]]) -> Table:
    """Return the table of examples, each given by its features."""
    sizes = np.array([len(each) for each in examples])
    column = np.array([feature for each in examples for feature in each], dtype=np.int32)
    row = np.repeat(np.arange(len(examples), dtype=np.int32), sizes)
    order = np.argsort(column, kind="stable")
    used, begin_used = np.unique(column[order], return_index=True)
    begin = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    return Table(column, begin, (sizes**-0.5).astype(np.float32), row[order], used, begin_used)


def fit(data: Table, wished: Floats, weight: Floats, start: Floats | None = None, *, l2: float = L2) -> Floats:
    """Return the weight of each feature, the bias last. `wished`: 1 for a yes; `weight`: how much each example counts."""
    share = (weight / weight.sum()).astype(np.float32)
    sign = (2 * wished - 1).astype(np.float32)

    def loss(weights: Floats) -> tuple[float, Floats]:
        margin = sign * data.times(weights)
        wrong = 1 / (1 + np.exp(np.minimum(margin, 60)))
        slope = data.transposed_times(-sign * wrong * share) + l2 * weights
        return float(share @ np.logaddexp(0, -margin)) + l2 / 2 * float(weights @ weights), slope

    weights = np.zeros(BUCKETS + 1, dtype=np.float32) if start is None else start
    value, slope = loss(weights)
    pairs: list[tuple[Floats, Floats]] = []
    for _ in range(STEPS):
        way = -_newton(slope, pairs)
        gain, length = float(slope @ way), 1.0 if pairs else 1.0 / float(np.linalg.norm(slope))
        for _ in range(_HALVINGS):
            ahead = weights + np.float32(length) * way
            value_ahead, slope_ahead = loss(ahead)
            if value_ahead <= value + _ENOUGH * length * gain:
                break
            length /= 2
        else:
            break
        step, change = ahead - weights, slope_ahead - slope
        if float(step @ change) > 0:
            pairs = [*pairs, (step, change)][-_PAIRS:]
        weights, value, slope = ahead, value_ahead, slope_ahead
    return weights


def _newton(slope: Floats, pairs: Sequence[tuple[Floats, Floats]]) -> Floats:
    """Return the slope times the inverse of the curvature that the pairs tell."""
    found, parts = slope, list[float]()
    for step, change in reversed(pairs):
        parts.append(float(step @ found) / float(step @ change))
        found = found - np.float32(parts[-1]) * change
    if pairs:
        step, change = pairs[-1]
        found = found * np.float32(float(step @ change) / float(change @ change))
    for (step, change), part in zip(pairs, reversed(parts), strict=True):
        found = found + np.float32(part - float(change @ found) / float(step @ change)) * step
    return found
