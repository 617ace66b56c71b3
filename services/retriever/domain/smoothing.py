"""Smooths the similarity of a turn with that of its neighbours: a question and its answer belong together."""

from __future__ import annotations

from typing import Any

from shared.domain.arrays import NDArray, np

_WEIGHTS = (0.5, 0.25, 0.25, 0.125)
"""One before, one after, two before, two after; the turn itself weighs 1."""


def smoothed(cosines: NDArray[Any], beside: NDArray[Any]) -> NDArray[Any]:
    """The weighted mean of each turn's cosine and its neighbours': sum(w_i * cos_i) / sum(w_i), over those that have a vector.

    `cosines`: float[n]; `beside`: those of the turns beside each, float[n, 4]; NaN for what has no vector.

    >>> smoothed(np.array([0.6]), np.array([[np.nan, 0.3, np.nan, np.nan]])).round(2).tolist()
    [0.54]
    """
    known = ~np.isnan(beside)
    weights = known * np.array(_WEIGHTS)
    mean: NDArray[Any] = (cosines + np.where(known, beside, 0.0) @ np.array(_WEIGHTS)) / (1 + weights.sum(axis=1))
    return mean
