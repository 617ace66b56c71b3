"""Tells which memories are worth a line: relevance has an end, and it lies lower where nothing is very relevant."""

from collections.abc import Sequence
from typing import NamedTuple

from services.retriever.domain.candidate import Placed
from services.retriever.domain.shortlist import Unlisted
from services.retriever.domain.weights import Weights

FEW = 10
"""So many of the best are shown in any case: the first may be wrong."""


class InTurn(NamedTuple):
    """Candidates in the turn in which they are read: those that are worth a line, then the others, each best first."""

    places: Sequence[Placed]  # as far as nobody who is left out has an earlier turn
    worthy: frozenset[int]  # the numbers of those that are worth a line
    how_many: int  # of all candidates are worth a line, whether listed or not


def worth_showing(places: Sequence[Placed], weights: Weights) -> frozenset[int]:
    """The numbers of those with at least the share `cut_below` of the best relevance.

    What a memory gains by stating just what is asked counts for its place, not for what others are compared with.
    """
    return in_turn(places, weights).worthy


def in_turn(places: Sequence[Placed], weights: Weights, unlisted: Unlisted | None = None) -> InTurn:
    """These places, best first, in the turn in which they are read. `unlisted`: what is known of the candidates beside them."""
    least = weights.cut_below * max([place.relevance - place.parts.states for place in places], default=0.0)
    if unlisted:
        least = max(least, weights.cut_below * float(unlisted.relevance.max()))
    worthy, others = list[Placed](), list[Placed]()
    for place in places:
        (worthy if place.relevance >= least else others).append(place)
    numbers = frozenset([place.candidate.number for place in worthy])
    if not unlisted:
        return InTurn([*worthy, *others], numbers, len(worthy))
    beside = unlisted.totals[unlisted.relevance >= least]
    if len(beside):  # of the others nobody has a turn before all that are worth a line
        return InTurn([place for place in worthy if place.total > beside[0]], numbers, len(worthy) + len(beside))
    return InTurn([*worthy, *(place for place in others if place.total > unlisted.totals[0])], numbers, len(worthy))
