"""Which names mean the same entity. A function of the set of names alone: the order in which they came does not matter.

Source: ../reference/memory-system.md, "entities".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shared.contracts.ids import EntityId
from shared.contracts.parts import Entity
from shared.domain.digests import entity_id
from shared.domain.entities import canonical_name

PERSON, UNTYPED = "person", "other"


def folded(name: str) -> str:
    """The form in which names are compared.

    >>> folded("@Ben")
    'ben'
    """
    return canonical_name(Entity(name=name, type=UNTYPED, start=0, end=len(name), confidence=1.0))


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """A name as a kind of thing: `anna`, a person."""

    type: str
    alias: str  # case folded, without signs: shared.domain.entities.canonical_name

    @property
    def id(self) -> EntityId:
        """The entity that it is where it is merged with no other name."""
        return entity_id(self.type, self.alias)

    @property
    def head(self) -> str:
        """Its first word; of a person the first name."""
        return self.alias.partition(" ")[0]

    @property
    def is_first_name(self) -> bool:
        """True for a person named by one word."""
        return self.type == PERSON and self.head == self.alias

    @property
    def is_full_name(self) -> bool:
        """True for a person named by several words."""
        return self.type == PERSON and self.head != self.alias


def meanings(names: Iterable[Name]) -> dict[Name, Name]:
    """For each name the one under which its entity is known.

    A name without a type means the only typed one that is spelt like it; a first name the only full name that begins with it.
    Where two could be meant, it stands for itself.

    >>> anna, smith, jones = Name("person", "anna"), Name("person", "anna smith"), Name("person", "anna jones")
    >>> meanings([anna, smith])[anna].alias
    'anna smith'
    >>> meanings([anna, smith, jones])[anna].alias
    'anna'
    """
    typed: dict[str, list[Name]] = defaultdict(list)
    full: dict[str, list[Name]] = defaultdict(list)
    known = sorted(set(names))
    for name in known:
        if name.type != UNTYPED:
            typed[name.alias].append(name)
        if name.is_full_name:
            full[name.head].append(name)

    def meant(name: Name) -> Name:
        if name.type == UNTYPED:
            name = _the_only(typed[name.alias], otherwise=name)
        return _the_only(full[name.head], otherwise=name) if name.is_first_name else name

    return {name: meant(name) for name in known}


def _the_only(names: Sequence[Name], *, otherwise: Name) -> Name:
    return names[0] if len(names) == 1 else otherwise
