"""A memory that was found, with everything that places it; and its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import NamedTuple

from services.retriever.domain.fusion import Features
from services.retriever.domain.manner import PLAIN, Manner
from shared.contracts.parts import Score
from shared.domain.records import records

_NO_SCORES: Mapping[str, float] = MappingProxyType({})
NO_RANKS: Mapping[str, int] = MappingProxyType({})


class Candidate(NamedTuple):
    """A memory that a leg found, with its scores and ranks in all legs."""

    number: int
    kind: str
    age_s: float
    importance: float
    confidence: float = 1.0
    session: int | str | None = None  # what tells it from others; None: it is of none
    asks: bool = False  # a turn that is a question: the answer stands beside it
    tags: tuple[str, ...] = ()
    legs: Mapping[str, float] = _NO_SCORES  # each in [0, 1]; a leg that knows nothing of it is left out
    ranks: Mapping[str, int] = NO_RANKS  # 1 is the best of its leg; left out where nobody looks at them
    cosine: float | None = None
    is_superseded: bool = False  # it only keeps the place for what holds now
    is_of_another: bool = False  # the question names who speaks, and somebody else said it
    is_of_bot: bool = False  # a bot said it, and the question does not ask for that
    is_dated: bool = False  # it speaks of a day
    manner: Manner = PLAIN  # how it is said


class Parts(NamedTuple):
    """The parts that relevance is the sum of."""

    fused: float  # from the legs
    session: float = 0.0  # its share of the best of its session
    question: float = 0.0  # what a turn that only asks loses, at most 0
    nearness: float = 0.0  # of its own vector, beside the other candidates': what it gains or loses
    another: float = 0.0  # what it loses because somebody else said it than is asked about, or a bot, at most 0
    manner: float = 0.0  # what it gains or loses by how it is said
    stands_for: float = 0.0  # what it gains by standing in the place of what it outdates
    outdated: float = 0.0  # what it loses to stay behind what outdates a part of it, at most 0
    states: float = 0.0  # what it gains by stating just what is asked

    @property
    def relevance(self) -> float:
        """The sum, kept within 0 and 1, which rounding can leave.

        >>> Parts(0.25, 0.25, -1.0).relevance, Parts(0.25, 0.25).relevance
        (0.0, 0.5)
        """
        return min(max(sum(self), 0.0), 1.0)


class Placed(NamedTuple):
    """A candidate with the scores that place it."""

    total: float
    relevance: float
    recency: float
    candidate: Candidate
    penalty: float = 0.0  # of its likeness to what stands above it
    parts: Parts = Parts(0.0)  # what relevance is the sum of
    stands_for: tuple[int, ...] = ()  # what it stands in the place of
    features: Features | None = None  # what the learned fusion weighed, if it was asked

    def score(self) -> Score:
        """The scores as the contracts show them."""
        return Score.of_valid(
            total=self.total + 0.0,  # -0.0 is shown as 0.0
            relevance=self.relevance + 0.0,
            recency=self.recency + 0.0,
            importance=self.candidate.importance + 0.0,
            legs={leg: score + 0.0 for leg, score in self.candidate.legs.items()},
        )


_PENALTY = Placed._fields.index("penalty")


def penalised(places: Iterable[Placed], penalties: Iterable[float]) -> Iterator[Placed]:
    """These places, each with its penalty."""
    told = zip(places, penalties, strict=True)
    return records(Placed, ((*place[:_PENALTY], penalty, *place[_PENALTY + 1 :]) for place, penalty in told))
