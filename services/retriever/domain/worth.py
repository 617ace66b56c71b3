"""Tells which memories are worth a line: relevance has an end, and it lies lower where nothing is very relevant."""

from collections.abc import Sequence

from services.retriever.domain.candidate import Placed
from services.retriever.domain.weights import Weights

FEW = 10
"""So many of the best are shown in any case: the first may be wrong."""


def worth_showing(places: Sequence[Placed], weights: Weights) -> frozenset[int]:
    """The numbers of those with at least the share `cut_below` of the best relevance.

    What a memory gains by stating just what is asked counts for its place, not for what others are compared with.
    """
    least = weights.cut_below * max([place.relevance - place.parts.states for place in places], default=0.0)
    return frozenset([place.candidate.number for place in places if place.relevance >= least])
