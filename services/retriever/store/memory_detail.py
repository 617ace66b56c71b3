"""Reads one memory with everything that is known of it: corrections, repeats, entities, sources."""

import json
import re
from typing import Any

from sqlalchemy import Connection, Row, select, text

from services.retriever.store.read_memories import by_ids, memories_of, unembedded
from services.retriever.store.schema import memories, memory_entities, texts
from shared.contracts.errors import Malformed, NotFound
from shared.contracts.parts import Echo, Origin
from shared.contracts.queries import MemoryDetail, MentionedEntity, Repeat, ShowAnswer, ShowQuery
from shared.domain.decay import told_as
from shared.domain.moments import moment
from shared.runtime.sqlite import values_named

_BEGINNING = re.compile(r"[a-z]+_[0-9a-f]{4,}")
_CHAIN = text(
    """
    WITH RECURSIVE chain(id) AS (
      VALUES (:id) UNION
      SELECT CASE WHEN old = chain.id THEN new ELSE old END FROM supersessions, chain WHERE chain.id IN (old, new))
    SELECT id FROM chain
    """
)


def show(db: Connection, query: ShowQuery, position: int) -> ShowAnswer:
    """The memory that a query names. Raises NotFound, Malformed."""
    return ShowAnswer(position=position, memory=detail(db, query.memory_id))


def detail(db: Connection, memory_id: str) -> MemoryDetail:
    """One memory, whatever its status, by its id or the beginning of it.

    Raises NotFound, or Malformed where several begin so.
    """
    row = _row(db, memory_id)
    (memory,) = memories_of(db, [row])
    ids = list(db.scalars(_CHAIN, {"id": row.id}))
    return MemoryDetail(
        **dict(memory) | {"needs_embedding": row.number in unembedded(db, [row.number])},
        entities=_entities(db, row.number),
        metadata=json.loads(row.attributes),
        metadata_confidence=row.metadata_confidence,
        enriched_at=moment(row.enriched_at) if row.enriched_at else None,
        importance_parts=json.loads(row.importance_parts),
        decay_rate=row.decay_rate,
        confidence_at=moment(row.confidence_at),
        confidence_then=told_as(row.confidence),
        last_scores=json.loads(row.last_scores) if row.last_scores else None,
        ended_at=moment(row.valid_until) if row.valid_until is not None else None,
        ended_because=row.ended_because,
        chain=tuple(by_ids(db, ids)) if len(ids) > 1 else (),
        repeats=_repeats(db, row.number),
        sources=tuple(by_ids(db, json.loads(row.source_ids))),
        origin=Origin.model_validate_json(row.origin) if row.origin else None,
        echoes=tuple(Echo(**echo) for echo in json.loads(row.echoes)),
    )


def _row(db: Connection, beginning: str) -> Row[Any]:
    wanted = select(memories).where(memories.c.id == beginning)
    if _BEGINNING.fullmatch(beginning):
        wanted = select(memories).where(memories.c.id >= beginning, memories.c.id < f"{beginning}g")  # after the hex digits
    rows = db.execute(wanted.limit(2)).all()
    if not rows:
        raise NotFound
    if len(rows) > 1:
        raise Malformed(f"several memories begin with {beginning}; give more of the id")
    return rows[0]


def _entities(db: Connection, number: int) -> tuple[MentionedEntity, ...]:
    """The entities in a memory's own text; spans in its repeats refer to other texts."""
    found = select(memory_entities).where(memory_entities.c.number == number, memory_entities.c.source == number)
    return tuple(
        MentionedEntity(**values_named(row, MentionedEntity.model_fields))
        for row in db.execute(found.order_by(memory_entities.c.start, memory_entities.c.end, memory_entities.c.alias_id))
    )


def _repeats(db: Connection, number: int) -> tuple[Repeat, ...]:
    rows = db.execute(select(texts).where(texts.c.memory == number).order_by(texts.c.number))
    return tuple(
        Repeat(
            text=row.content,
            occurred_at=moment(row.event_time),
            recorded_at=moment(row.created_at),
            **values_named(row, Repeat.model_fields),
        )
        for row in rows
    )
