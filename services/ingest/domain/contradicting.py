"""What a newer statement says of an older one: which of its claims do not hold any more, and since when.

A plan is not contradicted by what holds meanwhile: it ends when it came true, is called off, or gives way to another plan.
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple

from services.ingest.domain.claims import Claims
from shared.contracts.ids import MemoryId
from shared.language.statements.slots import Relation, SlotClaim, relation

LEAST_CONFIDENCE = 0.5
"""Whoever is less sure of a fact ends no other by it."""

_A_DAY = timedelta(days=1)


class Assertion(NamedTuple):
    """A fact as it was told at one time."""

    memory_id: MemoryId
    claims: Claims
    told_at: datetime
    confidence: float

    @property
    def is_sure(self) -> bool:
        """True if the statement is sure enough to end another fact."""
        return self.confidence >= LEAST_CONFIDENCE

    def began(self, place: int) -> datetime:
        """Since when a claim holds: as it says, else when it was told."""
        said = self.claims.since[place] if self.claims.since else None
        return said or self.told_at

    def denies(self, other: "Assertion") -> bool:
        """True if it says never to have happened what the other tells."""
        return not self.claims.never.isdisjoint(other.claims.done)


class Contradiction(NamedTuple):
    """How a newer statement contradicts an older one."""

    ended: frozenset[int]  # places of the older one's claims that do not hold any more
    restated: frozenset[int]  # those that the newer one states itself
    since: datetime
    is_doubtful: bool  # within a day both state a value that a person has for life


def contradiction(newer: Assertion, older: Assertion) -> Contradiction:
    """What the newer statement says of the older one's claims."""
    found = [
        (place, new.is_fixed, newer.began(index))
        for place, old in older.claims.at_places()
        for index, new in newer.claims.at_places()
        if stance(new, old) is Relation.SUPERSEDES
    ]
    said = {_said(claim) for _, claim in newer.claims.at_places()}
    restated = frozenset(place for place, old in older.claims.at_places() if _said(old) in said)
    ended = older.claims.alike(frozenset(place for place, *_ in found))
    is_close = newer.told_at - older.told_at <= _A_DAY
    is_doubtful = is_close and any(is_fixed for _, is_fixed, _ in found)
    return Contradiction(ended, restated, min((began for *_, began in found), default=newer.told_at), is_doubtful)


def stance(new: SlotClaim, old: SlotClaim) -> Relation:
    """Return the relation of a newer claim to an older claim or plan: `NOTHING` if their attributes differ."""
    if new.attribute != old.attribute:
        return Relation.NOTHING
    if old.is_future and new.is_future:
        return relation(replace(new, is_future=False), old)
    if old.is_future and _came_true(old, new):
        return Relation.SUPERSEDES
    if old.is_future and not new.negated:
        return Relation.NOTHING
    return relation(new, old)


def _said(claim: SlotClaim) -> tuple[object, ...]:
    return claim.subject, claim.attribute, claim.words, claim.negated, claim.is_future


def _came_true(plan: SlotClaim, new: SlotClaim) -> bool:
    """True if a claim states all that was planned."""
    is_same = (plan.subject, plan.attribute, plan.negated) == (new.subject, new.attribute, new.negated)
    return is_same and (plan.words is None or set(plan.words) <= set(new.words or ()))
