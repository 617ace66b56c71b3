"""Tells which memories are worth a line: relevance has an end, and it lies lower where nothing is very relevant."""

from services.retriever.domain.ranked import Ranked
from services.retriever.domain.weights import Weights

FEW = 10
"""So many of the best are shown in any case: the first may be wrong."""


def worth_showing(places: Ranked, weights: Weights) -> frozenset[int]:
    """The numbers of those with at least the share `cut_below` of the best relevance.

    What a memory gains by stating just what is asked counts for its place, not for what others are compared with.
    """
    least = weights.cut_below * max(places.relevances_beside_stating, default=0.0)
    told = zip(places.numbers, places.relevances, strict=True)
    return frozenset([number for number, relevance in told if relevance >= least])
