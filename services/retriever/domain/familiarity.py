"""Ranks for questions that ask for everything: they name nothing to look for, so what is known best comes first."""

from collections.abc import Iterable
from datetime import datetime
from typing import NamedTuple

from services.retriever.domain.candidate import Candidate, Parts, Placed
from services.retriever.domain.ranking import place
from services.retriever.domain.weights import Weights
from shared.contracts.parts import Kind
from shared.domain.moments import microseconds

_MICROSECONDS = 1_000_000
_PINNED, _FACT, _TURN = 1.0, 0.9, 0.2
LEG = "known"


class FamiliarMemory(NamedTuple):
    """The columns of a memory by which it is ranked when everything is asked for."""

    number: int
    kind: str
    event_time: int  # microseconds since 1970
    importance: float
    confidence: float
    is_pinned: bool
    session_id: str | None
    tags: tuple[str, ...]


def familiarity(known: FamiliarMemory) -> float:
    """The familiarity of a memory, in [0, 1]: 1 if pinned; of a fact 0.9, of a turn 0.2 * (importance + confidence) / 2.

    >>> round(familiarity(FamiliarMemory(1, "fact", 0, 0.5, 0.9, False, None, ())), 2)
    0.63
    """
    if known.is_pinned:
        return _PINNED
    return (_TURN if known.kind == Kind.EPISODE else _FACT) * (known.importance + known.confidence) / 2


def by_familiarity(found: Iterable[FamiliarMemory], weights: Weights, now: datetime) -> list[Placed]:
    """Rank memories by the tri-score with familiarity in the place of relevance; of equals the newer first."""
    placed = [_placed(known, weights, now) for known in found]
    return sorted(placed, key=lambda each: (-each.total, each.candidate.age_s, -each.candidate.number))


def _placed(known: FamiliarMemory, weights: Weights, now: datetime) -> Placed:
    age_s, relevant = (microseconds(now) - known.event_time) / _MICROSECONDS, familiarity(known)
    candidate = Candidate(
        number=known.number,
        kind=known.kind,
        age_s=age_s,
        importance=known.importance,
        confidence=known.confidence,
        session=known.session_id,
        tags=known.tags,
        legs={LEG: relevant},
    )
    return place(candidate, Parts(relevant), weights)
