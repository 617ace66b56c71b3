"""Finds the memories that a query is limited to: by tags, entities, metadata and time."""

import json
from collections.abc import Iterator

from sqlalchemy import ColumnElement, Connection, false, func, or_, select, text

from services.retriever.store.entity_lookup import find
from services.retriever.store.schema import fact_sources, memories, memory_entities
from shared.contracts.queries import Narrowed
from shared.domain.moments import microseconds

_HAS_METADATA = text(
    """
    (SELECT count(*) FROM json_each(:metadata) AS wanted JOIN json_each(memories.attributes) AS own
     ON own.key = wanted.key AND (
         own.type = wanted.type AND own.value IS wanted.value
         OR wanted.type = 'array' AND EXISTS (
             SELECT 1 FROM json_each(wanted.value) AS one WHERE own.type = one.type AND own.value IS one.value))) = :values
    """
)
"""For each name the value is the wanted one, or one of a list of them."""


def among(db: Connection, query: Narrowed) -> tuple[int, ...] | None:
    """The numbers of the memories that the query is limited to; None if it is not."""
    if not query.is_narrowed:
        return None
    return tuple(db.scalars(select(memories.c.number).where(*conditions(db, query))))


def conditions(db: Connection, query: Narrowed) -> Iterator[ColumnElement[bool]]:
    """What is true of the memories that the query is limited to."""
    yield from map(tagged, query.tags)
    for name in query.entities:
        known = find(db, name)
        yield mentions(known[0].entity_id) if known else false()
    if query.metadata:
        having = _HAS_METADATA.bindparams(metadata=json.dumps(query.metadata), values=len(query.metadata))
        turns = select(memories.c.id).where(having)
        resting = select(fact_sources.c.fact).where(fact_sources.c.source.in_(turns))
        own = select(memories.c.number).where(having)
        yield or_(memories.c.number.in_(own), memories.c.number.in_(resting))
    if query.occurred_after is not None:
        yield memories.c.event_time >= microseconds(query.occurred_after)
    if query.occurred_before is not None:
        yield memories.c.event_time < microseconds(query.occurred_before)


def tagged(tag: str) -> ColumnElement[bool]:
    """True if a memory has this tag, whatever its case; SQLite folds the case of ASCII letters only."""
    each = func.json_each(memories.c.tags).table_valued("value")
    same = or_(each.c.value == tag, func.lower(each.c.value) == tag.casefold())
    return select(each.c.value).where(same).exists()


def mentions(entity_id: str) -> ColumnElement[bool]:
    """True if a memory mentions this entity."""
    return memories.c.number.in_(select(memory_entities.c.number).where(memory_entities.c.entity_id == entity_id))
