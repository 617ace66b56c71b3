"""Slots as they were read, and the rule by which a newer one ends an older one."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from pydantic import Field

from shared.contracts.parts import FactSlot
from shared.statements.attributes import holds_one


class ReadSlot(FactSlot):
    """A slot, and how the text states it."""

    is_whole: bool = Field(default=False, description="Whether the text says nothing else.")

    @property
    def slot(self) -> FactSlot:
        """The part that an event records."""
        return FactSlot.of_valid(**{name: getattr(self, name) for name in FactSlot.model_fields})


class Relation(StrEnum):
    """How a newer slot stands to an older one."""

    SUPERSEDES = "supersedes"  # the older one does not hold any more
    BESIDE = "side by side"  # they are of the same attribute, and both hold
    DOUBTFUL = "doubtful"  # the newer one would end the older, were it certain
    NOTHING = "nothing"  # they have nothing to do with each other, or the newer one is not yet true


class Claim(Protocol):
    """What is compared of a slot: its strings may be keyed hashes, the same string always the same hash."""

    @property
    def subject(self) -> str:
        """Whose attribute is stated."""

    @property
    def attribute(self) -> str:
        """The name of the attribute."""

    @property
    def value(self) -> str | None:
        """The value that is stated; None where any is meant."""

    @property
    def negated(self) -> bool:
        """Whether the slot states that it does not hold, or not any more."""


class NewClaim(Claim, Protocol):
    """What is compared of the newer slot."""

    @property
    def replaces(self) -> str | None:
        """The old value, where the statement names it."""

    @property
    def is_doubtful(self) -> bool:
        """Whether the statement is hedged."""

    @property
    def is_future(self) -> bool:
        """Whether the statement speaks of what is to come."""


def relation(new: NewClaim, old: Claim, *, is_single: bool) -> Relation:
    """How the newer stands to the older; `is_single`: whether the newer one's attribute holds one value at a time.

    >>> old = ReadSlot(subject="user", attribute="home", value="leeds")
    >>> str(relation(ReadSlot(subject="user", attribute="home", value="york"), old, is_single=True))
    'supersedes'
    """
    if new.subject != old.subject:
        return Relation.NOTHING
    is_replaced = new.replaces is not None and new.replaces == old.value and not old.negated
    if not is_replaced and new.attribute != old.attribute:
        return Relation.NOTHING
    if not is_replaced and not _contradicts(new, old, is_single=is_single):
        return Relation.BESIDE
    if new.is_future:
        return Relation.NOTHING
    return Relation.DOUBTFUL if new.is_doubtful else Relation.SUPERSEDES


def ends(new: ReadSlot, old: Claim) -> bool:
    """Whether the newer slot supersedes the older, both in plain text."""
    return relation(new, old, is_single=holds_one(new.attribute)) is Relation.SUPERSEDES


def _contradicts(new: Claim, old: Claim, *, is_single: bool) -> bool:
    """Whether two slots of one attribute cannot both hold."""
    is_same = new.value == old.value
    if new.negated:
        return not old.negated and (is_same or new.value is None)
    if old.negated:
        return is_same or old.value is None
    return is_single and not is_same and new.value is not None and old.value is not None
