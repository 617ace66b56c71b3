"""The names of entities as they are stored. Which names mean the same entity: `shared.domain.aliases`."""

from __future__ import annotations

from dataclasses import dataclass

from shared.contracts.ids import EntityId
from shared.contracts.parts import Entity
from shared.domain import aliases
from shared.domain.aliases import PERSON, UNTYPED, meanings
from shared.domain.digests import entity_id
from shared.text.entities import canonical_name

__all__ = ["PERSON", "UNTYPED", "EntityName", "folded", "meanings"]


def folded(name: str) -> str:
    """The form in which names are compared.

    >>> folded("@Ben")
    'ben'
    """
    return canonical_name(Entity(name=name, type=UNTYPED, start=0, end=len(name), confidence=1.0))


@dataclass(frozen=True, slots=True, order=True)
class EntityName(aliases.TypedName):
    """A name that has a row of its own."""

    @property
    def id(self) -> EntityId:
        """The id of the entity of this name, unless it is merged with another name."""
        return entity_id(self.type, self.alias)
