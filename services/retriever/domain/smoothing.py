"""Smooths the similarity of a turn with that of its neighbours: a question and its answer belong together."""

from collections.abc import Mapping, Sequence

_WEIGHTS = (0.5, 0.25, 0.25, 0.125)
"""One before, one after, two before, two after; the turn itself weighs 1."""


def smoothed(
    numbers: Sequence[int], cosines: Mapping[int, float], neighbours: Mapping[int, Sequence[int | None]]
) -> dict[int, float]:
    """The weighted mean of a turn's cosine and its neighbours': sum(w_i * cos_i) / sum(w_i), over those that have a vector.

    >>> {number: round(cosine, 2) for number, cosine in smoothed([1], {1: 0.6, 2: 0.3}, {1: (None, 2, None, None)}).items()}
    {1: 0.54}
    """
    return {number: _mean(cosines, number, neighbours.get(number, ())) for number in numbers if number in cosines}


def _mean(cosines: Mapping[int, float], number: int, around: Sequence[int | None]) -> float:
    total, weights = cosines[number], 1.0
    for weight, other in zip(_WEIGHTS, around, strict=False):
        if other is not None and other in cosines:
            total += weight * cosines[other]
            weights += weight
    return total / weights
