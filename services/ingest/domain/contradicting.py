"""What a newer statement says of an older one: which of its claims do not hold any more, and since when.

A plan is not contradicted by what holds meanwhile: it ends when it came true, is called off, or gives way to another plan.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from services.ingest.domain.claims import Claims
from shared.contracts.ids import MemoryId
from shared.statements.slots import Relation, SlotClaim, relation

LEAST_CONFIDENCE = 0.5
"""Whoever is less sure of a fact ends no other by it."""


class Assertion(NamedTuple):
    """A fact as it was told at one time."""

    memory_id: MemoryId
    claims: Claims
    told_at: datetime
    confidence: float

    @property
    def is_sure(self) -> bool:
        """Whether the statement is sure enough to end another fact by itself."""
        return self.confidence >= LEAST_CONFIDENCE

    def began(self, place: int) -> datetime:
        """Since when a claim holds: as it says, else when it was told."""
        said = self.claims.since[place] if self.claims.since else None
        return said or self.told_at

    def with_attributes_of(self, other: Assertion) -> Assertion:
        """This with what the table says of attributes, as the claims of the other know it: only those are compared."""
        known = {claim.attribute: (claim.is_single, claim.has_parts) for claim in other.claims.stated}
        stated = []
        for claim in self.claims.stated:
            is_single, has_parts = known.get(claim.attribute, (False, False))
            stated.append(replace(claim, is_single=is_single, has_parts=has_parts))
        return self._replace(claims=replace(self.claims, stated=tuple(stated)))


class Contradiction(NamedTuple):
    """How a newer statement contradicts an older one."""

    ended: frozenset[int]  # places of the older one's claims that do not hold any more
    doubtful: frozenset[int]  # those of which that is in doubt
    restated: frozenset[int]  # those that the newer one states itself
    since: datetime


def contradiction(newer: Assertion, older: Assertion) -> Contradiction:
    """What the newer statement says of the older one's claims."""
    found = list(_opposed(newer, older))
    said = set(map(_said, newer.claims.stated))
    ended = frozenset(place for place, how, _ in found if how is Relation.SUPERSEDES)
    doubtful = frozenset(place for place, _, _ in found) - ended
    since = min((began for place, _, began in found if place in ended), default=newer.told_at)
    restated = frozenset(place for place, old in enumerate(older.claims.stated) if _said(old) in said)
    return Contradiction(ended, doubtful, restated, since)


def stance(new: SlotClaim, old: SlotClaim) -> Relation:
    """How a newer claim stands to an older one, which may be a plan."""
    if old.is_future and new.is_future:
        return relation(replace(new, is_future=False), old)
    if old.is_future and _came_true(old, new):
        return Relation.NOTHING if new.is_doubtful else Relation.SUPERSEDES
    if old.is_future and not new.negated:
        return Relation.NOTHING
    return relation(new, old)


def _opposed(newer: Assertion, older: Assertion) -> Iterator[tuple[int, Relation, datetime]]:
    """The places of claims that are contradicted, how, and since when."""
    for place, old in enumerate(older.claims.stated):
        for index, new in enumerate(newer.claims.stated):
            how = stance(new, old)
            if how in _OPPOSED:
                yield place, how, newer.began(index)


def _said(claim: SlotClaim) -> tuple[object, ...]:
    return claim.subject, claim.attribute, claim.words, claim.negated, claim.is_future


def _came_true(plan: SlotClaim, new: SlotClaim) -> bool:
    """Whether a claim states all that was planned."""
    is_same = (plan.subject, plan.attribute, plan.negated) == (new.subject, new.attribute, new.negated)
    return is_same and (plan.words is None or set(plan.words) <= set(new.words or ()))


_OPPOSED = frozenset({Relation.SUPERSEDES, Relation.DOUBTFUL})
