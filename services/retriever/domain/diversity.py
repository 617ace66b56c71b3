"""Maximal marginal relevance: what is like something that already stands above comes later.

Source: Carbonell, Goldstein 1998; ../reference/memory-upgrade-spec.md, "Tri-Score Re-Ranking".
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
_EQUAL = 1e-6


class Pick(NamedTuple):
    """One of the ranked, by its place there, and what its likeness to those before it cost."""

    place: int
    penalty: float


def likeness(vectors: Sequence[Floats | None], tags: Sequence[Collection[str]]) -> Floats:
    """How alike any two are: float32[n, n]. The cosine of their vectors; without them the overlap of their tags (Jaccard)."""
    alike = np.zeros((len(tags), len(tags)), np.float32)
    tagged = [index for index, each in enumerate(tags) if each]
    for one, other in combinations(tagged, 2):
        alike[one, other] = alike[other, one] = _overlap(tags[one], tags[other])
    known = [index for index, vector in enumerate(vectors) if vector is not None]
    if known:
        rows = np.stack([vector for vector in vectors if vector is not None])
        alike[np.ix_(known, known)] = rows @ rows.T
    return np.maximum(alike, 0.0)


def diverse(totals: Sequence[float], alike: Floats, tags: Sequence[Collection[str]], *, mmr_lambda: float) -> list[Pick]:
    """All of them, each time the one with the best lambda * total - (1 - lambda) * likeness to the nearest one above.

    Of equals the one that shares the fewest tags with those above, then the one that was ranked first.

    >>> alike = np.array([[1, 0.9, 0], [0.9, 1, 0], [0, 0, 1]], np.float32)
    >>> [pick.place for pick in diverse([1.0, 0.9, 0.8], alike, [(), (), ()], mmr_lambda=0.5)]
    [0, 2, 1]
    """
    values = np.asarray(totals, np.float32) * mmr_lambda
    nearest = np.zeros(len(totals), np.float32)
    left = np.ones(len(totals), bool)
    above: set[str] = set()
    picks = []
    for _ in totals:
        marginal = np.where(left, values - (1 - mmr_lambda) * nearest, -np.inf)
        best = np.flatnonzero(marginal >= marginal.max() - _EQUAL).tolist()
        index = best[0] if len(best) == 1 else min(best, key=lambda each: len(above.intersection(tags[each])))
        picks.append(Pick(index, float((1 - mmr_lambda) * nearest[index])))
        above.update(tags[index])
        left[index] = False
        nearest = np.maximum(nearest, alike[index])
    return picks


def _overlap(one: Collection[str], other: Collection[str]) -> float:
    both = len(set(one).intersection(other))
    return both / len(set(one).union(other)) if both else 0.0


def vector_of(raw: Mapping[int, bytes], number: int) -> Floats | None:
    """float32[dimensions] of a memory, where it has one."""
    return np.frombuffer(raw[number], np.float32) if number in raw else None
