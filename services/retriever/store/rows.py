"""Reads memories from a file, as the contracts show them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Integer, Row, column, func, select, text

from services.retriever.store.schema import entities, memories, memory_entities, sessions
from shared.contracts.errors import NotFound
from shared.contracts.parts import Entity, Kind, Role
from shared.contracts.queries import ListQuery, Memory, MemoryDetail, StatsAnswer
from shared.domain.moments import moment

_COLUMNS = [column for column in memories.columns if column.name not in {"attributes", "last_scores", "valid_until"}]

_NUMBERS = text("SELECT value FROM json_each(:numbers)").columns(column("value", Integer)).subquery()
_BY_NUMBERS = select(*_COLUMNS).where(memories.c.number.in_(select(_NUMBERS.c.value)))


def by_numbers(db: Connection, numbers: Sequence[int]) -> dict[int, Memory]:
    """The memories with these numbers."""
    rows = db.execute(_BY_NUMBERS, {"numbers": json.dumps(numbers)})
    return {row.number: _memory(row) for row in rows}


def page(db: Connection, query: ListQuery) -> list[Memory]:
    """A page of active memories, newest first."""
    wanted = select(*_COLUMNS).where(memories.c.valid_until.is_(None), memories.c.kind.in_(query.kinds))
    if query.session_id is not None:
        wanted = wanted.where(memories.c.session_id == query.session_id)
    if query.before_number is not None:
        wanted = wanted.where(memories.c.number < query.before_number)
    return [_memory(row) for row in db.execute(wanted.order_by(memories.c.number.desc()).limit(query.limit))]


def detail(db: Connection, memory_id: str) -> MemoryDetail:
    """One memory with all that is known of it. Raises NotFound."""
    row = db.execute(select(memories).where(memories.c.id == memory_id)).first()
    if row is None:
        raise NotFound
    found = (
        select(memory_entities, entities.c.type)
        .join(entities, entities.c.id == memory_entities.c.entity_id)
        .where(memory_entities.c.number == row.number)
        .order_by(memory_entities.c.start)
    )
    return MemoryDetail(
        **_memory(row).model_dump(),
        entities=tuple(
            Entity(name=e.name, type=e.type, start=e.start, end=e.end, confidence=e.confidence) for e in db.execute(found)
        ),
        metadata=json.loads(row.attributes),
        last_scores=json.loads(row.last_scores) if row.last_scores else None,
    )


def stats(db: Connection, position: int) -> StatsAnswer:
    """Counts of what is active."""
    active = memories.c.valid_until.is_(None)
    kinds = db.execute(select(memories.c.kind, func.count()).where(active).group_by(memories.c.kind))
    latest = db.scalar(select(func.max(memories.c.created_at)))
    return StatsAnswer(
        position=position,
        memories=dict.fromkeys(Kind, 0) | {Kind(row.kind): row[1] for row in kinds},
        sessions=db.scalar(select(func.count()).select_from(sessions)) or 0,
        open_sessions=db.scalar(select(func.count()).select_from(sessions).where(sessions.c.completed_at.is_(None))) or 0,
        entities=db.scalar(select(func.count()).select_from(entities)) or 0,
        latest_recorded_at=moment(latest) if latest else None,
    )


def no_stats(position: int) -> StatsAnswer:
    """The counts of someone of whom nothing is known."""
    return StatsAnswer(
        position=position,
        memories=dict.fromkeys(Kind, 0),
        sessions=0,
        open_sessions=0,
        entities=0,
        latest_recorded_at=None,
    )


def _memory(row: Row[Any]) -> Memory:
    return Memory(
        memory_id=row.id,
        kind=Kind(row.kind),
        text=row.content,
        number=row.number,
        occurred_at=moment(row.event_time),
        recorded_at=moment(row.created_at),
        session_id=row.session_id,
        role=Role(row.source_role) if row.source_role else None,
        speaker=row.speaker,
        message_id=row.message_id,
        source_ids=tuple(json.loads(row.source_ids)),
        tags=tuple(json.loads(row.tags)),
        manually_saved=bool(row.manually_saved),
        confidence=row.confidence,
        importance=row.importance,
        access_count=row.access_count,
        last_accessed_at=moment(row.last_accessed) if row.last_accessed else None,
    )
