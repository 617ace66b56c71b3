"""Finds entities in the registry by their names."""

import json
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Connection, Row, desc, select, text

from services.retriever.store.schema import entities
from shared.contracts.parts import Entity
from shared.contracts.queries import KnownEntity
from shared.domain.aliases import UNTYPED
from shared.language.text.entities import canonical_name
from shared.runtime.sqlite import values_named

_MOST = 10
_SHOWN = """EXISTS (
      SELECT 1 FROM memory_entities JOIN memories ON memories.number = memory_entities.number
      WHERE memory_entities.entity_id = entities.id AND coalesce(memories.ended_because, '') NOT IN ('held_back', 'decayed'))"""
"""Entities that only turns mention which no question finds, or facts that have decayed, are in no answer."""
SHOWN = text(_SHOWN)
_BY_NAME = text(
    f"""
    SELECT entities.*, max(entity_aliases.alias = :name) AS is_exact
    FROM entity_aliases JOIN entities ON entities.id = entity_aliases.entity_id
    WHERE (entity_aliases.alias = :name OR entities.id = :id OR entity_aliases.id = :id
       OR instr(' ' || entity_aliases.alias || ' ', :word) > 0) AND {_SHOWN}
    GROUP BY entities.id ORDER BY is_exact DESC, mention_count DESC, entities.id LIMIT :most
    """
)
_MOST_MENTIONED = select(entities).where(SHOWN).order_by(desc(entities.c.mention_count), entities.c.id)


def find(db: Connection, name: str) -> list[KnownEntity]:
    """The entities that a name or an id may mean, likeliest first: those of exactly this name, then those that contain it."""
    alias = _folded(name)
    if not alias:
        return []
    rows = db.execute(_BY_NAME, {"name": alias, "id": name, "word": f" {alias} ", "most": _MOST})
    return known_entities(rows)


def _folded(name: str) -> str:
    """A name in the form in which names are compared.

    >>> _folded("@Ben")
    'ben'
    """
    return canonical_name(Entity(name=name, type=UNTYPED, start=0, end=len(name), confidence=1.0))


def most_mentioned(db: Connection, most: int) -> list[KnownEntity]:
    """The entities mentioned most."""
    return known_entities(db.execute(_MOST_MENTIONED.limit(most)))


def known_entities(rows: Iterable[Row[Any]]) -> list[KnownEntity]:
    """The entities of these rows."""
    fields = ((row, values_named(row, KnownEntity.model_fields)) for row in rows)
    return [KnownEntity(**(same | {"entity_id": row.id, "aliases": json.loads(row.aliases)})) for row, same in fields]
