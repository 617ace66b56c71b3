"""Follows the sources of memories down to the messages."""

import json
from collections.abc import Collection, Iterable
from typing import Any

from sqlalchemy import Connection, Row, text

from shared.contracts.parts import Kind
from shared.contracts.queries import Source
from shared.domain.moments import moment
from shared.runtime.sqlite import values_named

_MOST_STEPS = 8
_BY_IDS = text(
    """
    SELECT id, kind, message_id, session_id, event_time, source_ids FROM memories
    WHERE id IN (SELECT value FROM json_each(:ids))
    """
)

_WORDS = text(
    "SELECT content FROM memories WHERE kind = 'episode' AND message_id = :message ORDER BY source_role = 'user' DESC LIMIT 1"
)


def words_of_turn(db: Connection, message_id: str) -> str | None:
    """The text of the turn with this message id, preferring the user's; None if it is not recorded."""
    row = db.execute(_WORDS, {"message": message_id}).first()
    return None if row is None else str(row.content)


def sources(db: Connection, memory_ids: Collection[str]) -> dict[str, tuple[Source, ...]]:
    """The sources of each of these memories, and the sources of its sources, down to the messages."""
    known: dict[str, Row[Any]] = {}
    asked = set(memory_ids)
    for _ in range(_MOST_STEPS):
        if not asked:
            break
        found = {row.id: row for row in db.execute(_BY_IDS, {"ids": json.dumps(sorted(asked))})}
        known |= found
        asked = {source for row in found.values() for source in _named(row)} - known.keys()
    return {memory_id: tuple(_below(memory_id, known)) for memory_id in memory_ids if memory_id in known}


def _named(row: Row[Any]) -> list[str]:
    """The ids that a fact names as its sources; an episode names its own message, which is no memory."""
    return [] if row.kind == Kind.EPISODE else list(json.loads(row.source_ids))


def _below(memory_id: str, known: dict[str, Row[Any]]) -> Iterable[Source]:
    seen, waiting = {memory_id}, _named(known[memory_id])
    while waiting:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        row = known.get(name)
        if row is None:
            yield Source(reference=name)
            continue
        yield Source(memory_id=row.id, occurred_at=moment(row.event_time), **values_named(row, Source.model_fields))
        waiting += _named(row)
