"""Lists the candidates that an answer may look at: of hundreds some sixty are compared, and a dozen is shown.

The others stay rows of columns. Whoever comes to the end of the list asks for all.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from services.retriever.domain.candidate import Placed
from services.retriever.domain.ranking import RankedRows
from shared.domain.arrays import NDArray, np

_WORTH_LEAVING_OUT = 32
"""Fewer are made sooner than told apart."""


class Unlisted(NamedTuple):
    """The candidates that are not listed, best first; there are some."""

    totals: NDArray[Any]  # float64[n]
    relevance: NDArray[Any]  # float64[n]

    def leave(self, places: list[Placed], first: int) -> bool:
        """Whether the `first` of these places, which are ordered by their totals, would be the first of all."""
        return len(places) >= first and places[first - 1].total > self.totals[0]


class Shortlist(NamedTuple):
    """The rows that are listed, best first, and what is known of the others."""

    rows: NDArray[Any]
    unlisted: Unlisted


class Looked(NamedTuple):
    """What an answer may look at."""

    first: int  # so many of the best
    relevant: int  # so many of the best that are at least this relevant:
    share: float  # of the most relevant
    superseded: bool  # those in whose place others stand, too
    numbers: Collection[int] = ()  # these in any case


def shortlist(ranked: RankedRows, looked: Looked) -> Shortlist | None:
    """A list of the ranked that are looked at; None where they are hardly fewer than all."""
    order = ranked.order
    if len(order) < looked.first + _WORTH_LEAVING_OUT:
        return None
    relevance, counts = ranked.relevance[order], np.ones(len(order), bool)
    if not looked.superseded:
        counts = ~ranked.found.is_superseded[order]
    is_relevant = counts & (relevance >= looked.share * relevance.max())
    listed = (counts.cumsum() <= looked.first) | (is_relevant & (is_relevant.cumsum() <= looked.relevant))
    if looked.numbers:
        listed |= np.isin(np.array(ranked.found.number)[order], list(looked.numbers))
    others = order[counts & ~listed]
    if len(others) < _WORTH_LEAVING_OUT:
        return None
    return Shortlist(order[listed], Unlisted(ranked.totals[others], ranked.relevance[others]))
