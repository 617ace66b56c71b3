"""The facts, how many topics they have, and whether their neighbours were asked for more."""

import json
from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import Connection, select, text
from sqlalchemy.dialects.sqlite import insert

from services.maintenance.domain.proposals import ENOUGH_TOPICS, LEAST_SHARING, METHOD, topics
from services.maintenance.store.schema import FACT, LOOKED_AT
from shared.contracts.event import EventData
from shared.contracts.events import (
    FactSuperseded,
    MemoryEnriched,
    MemoryRepeated,
    MemoryRestored,
    MemoryRetired,
)
from shared.contracts.ids import MemoryId, Position, Scope
from shared.contracts.parts import Kind
from shared.runtime.bulk import Batch, Rows, rows_into, rows_of
from shared.runtime.projector import Recorded

_REMEMBERED = rows_of(FACT, insert(FACT).on_conflict_do_nothing())
_CHANGE = "UPDATE fact SET {}, changed_at = ? WHERE scope = ? AND memory_id = ? AND changed_at < ?"
"""Unless the event was applied to it before."""
_CHANGED = ("position", "scope", "memory_id", "position")
_ENRICHED = Rows(_CHANGE.format("topics = topics + ?, is_enriched = max(is_enriched, ?)"), ("topics", "is_enriched", *_CHANGED))
_LIVE = Rows(_CHANGE.format("is_active = ?"), ("is_active", *_CHANGED))
_LOOKED_AT = rows_into(LOOKED_AT, over=("neighbours",))
_SPARSE_OF = """
    WITH embedded AS (
        SELECT fact.scope, fact.memory_id, memory.position, fact.topics, fact.is_enriched,
               count(*) OVER (PARTITION BY fact.scope) AS neighbours
        FROM fact JOIN memory USING (scope, memory_id)
        WHERE fact.is_active AND memory.model = :model{})
    SELECT embedded.scope, embedded.memory_id, embedded.position, embedded.neighbours
    FROM embedded LEFT JOIN looked_at USING (scope, memory_id)
    WHERE embedded.topics < {} AND NOT embedded.is_enriched AND embedded.neighbours > {}
      AND embedded.neighbours >= 2 * coalesce(looked_at.neighbours, 0)
    ORDER BY embedded.position LIMIT :limit
"""
_SPARSE = text(_SPARSE_OF.format("", ENOUGH_TOPICS, LEAST_SHARING))
_OF_THESE = " AND fact.scope IN (SELECT value FROM json_each(:scopes))"
_SPARSE_OF_THESE = text(_SPARSE_OF.format(_OF_THESE, ENOUGH_TOPICS, LEAST_SHARING))


class Sparse(NamedTuple):
    """A fact with a vector and few topics, with the position of its event."""

    scope: Scope
    memory_id: MemoryId
    position: Position
    neighbours: int  # facts of the same scope that have a vector, itself included


def follow_facts(db: Batch, recorded: Recorded) -> None:
    """Follow how facts appear, end and come back, and get topics."""
    match recorded.event.data:
        case EventData(makes=Kind.FACT) as data:
            row = {"scope": recorded.scope, "memory_id": data.subject, "topics": topics(getattr(data, "tags", ()))}
            row |= {"is_active": True, "is_enriched": False, "changed_at": recorded.position}
            db.add(_REMEMBERED, (FACT.name, recorded.scope, data.subject), row)
        case MemoryEnriched() as data:
            found = {"topics": topics(data.added_tags), "is_enriched": data.method == METHOD}
            _change(db, recorded, data.memory_id, _ENRICHED, **found)
        case MemoryRepeated() as data:
            _change(db, recorded, data.memory_id, _ENRICHED, topics=topics(data.added_tags), is_enriched=False)
        case FactSuperseded() | MemoryRetired() as data:
            _change(db, recorded, data.memory_id, _LIVE, is_active=False)
        case MemoryRestored() as data:
            _change(db, recorded, data.memory_id, _LIVE, is_active=True)
        case _:
            pass


def sparse(db: Connection, model: str, limit: int, scopes: Collection[Scope] | None = None) -> list[Sparse]:
    """The oldest active facts with a vector and few topics whose neighbours may have more, of these people or of everybody.

    A fact is due again when its scope has twice as many facts with a vector, and no proposed topics arrived.
    """
    which = {"model": model, "limit": limit}
    if scopes is None:
        return [Sparse(*row) for row in db.execute(_SPARSE, which)]
    return [Sparse(*row) for row in db.execute(_SPARSE_OF_THESE, which | {"scopes": json.dumps(sorted(scopes))})]


def look_at(db: Connection, fact: Sparse) -> None:
    """Note that the neighbours of a fact were asked, if it is still known. This is not in the log: a rebuild asks again."""
    this = (FACT.c.scope == fact.scope) & (FACT.c.memory_id == fact.memory_id)
    if db.scalar(select(FACT.c.memory_id).where(this)) is None:
        return
    _LOOKED_AT.write(db, [fact._asdict()])


def _change(db: Batch, recorded: Recorded, memory_id: MemoryId, change: Rows, **values: object) -> None:
    row = {"position": recorded.position, "scope": recorded.scope, "memory_id": memory_id} | values
    db.add(change, (FACT.name, recorded.scope, memory_id), row)
