"""Writes rows into a user's file, table by table: one statement for many rows, the full-text index last."""

from __future__ import annotations

import json
from collections.abc import Mapping

from sqlalchemy import Connection, bindparam, select, text, update
from sqlalchemy.dialects.sqlite import insert

from services.retriever.store import days, fts
from services.retriever.store.changes import Changes, Mention
from services.retriever.store.schema import entities, memories, memory_entities, sessions, speakers
from shared.contracts.ids import EntityId

_THIS_SESSION = update(sessions).where(sessions.c.session_id == bindparam("session"))
_SESSION = {
    "session_started": insert(sessions)
    .values(session_id=bindparam("session"), first_seen_at=bindparam("at"))
    .on_conflict_do_update(index_elements=["session_id"], set_={"completed_at": None, "consolidated_at": None}),
    "session_completed": _THIS_SESSION.values(completed_at=bindparam("at")),
    "session_consolidated": _THIS_SESSION.values(consolidated_at=bindparam("at")),
}
_SPEAKER = insert(speakers)
_SPEAKER = _SPEAKER.on_conflict_do_update(
    index_elements=["name"], set_={"turns": speakers.c.turns + _SPEAKER.excluded["turns"]}
)
_ENTITY = insert(entities)
_ENTITY = _ENTITY.on_conflict_do_update(
    index_elements=["id"],
    set_={
        "mention_count": entities.c.mention_count + _ENTITY.excluded["mention_count"],
        "aliases": _ENTITY.excluded["aliases"],
    },
)
_RECALL = (
    update(memories)
    .where(memories.c.id == bindparam("memory"))
    .values(access_count=memories.c.access_count + 1, last_accessed=bindparam("at"), last_scores=bindparam("scores"))
)

_VECTOR = text(
    """
    INSERT INTO vec_memories(number, model, embedding) SELECT number, :model, :embedding FROM memories WHERE id = :memory
    ON CONFLICT(number, model) DO UPDATE SET embedding = excluded.embedding
    """
)
_COARSE = text(
    """
    INSERT INTO vec_coarse(id, model, bits) SELECT id, model, vec_quantize_binary(embedding) FROM vec_memories
    WHERE id > (SELECT coalesce(max(id), 0) FROM vec_coarse) AND length(embedding) % 32 = 0 -- 8 signs are a byte
    """
)


def write(db: Connection, changes: Changes) -> None:
    """Write all of it; the caller holds the transaction."""
    if changes.memories:
        db.execute(memories.insert(), changes.memories)
    for event_type, row in changes.sessions:
        db.execute(_SESSION[event_type], row)
    if changes.speakers:
        db.execute(_SPEAKER, [{"name": name, "turns": turns} for name, turns in changes.speakers.items()])
    if changes.mentions:
        _write_mentions(db, changes.mentions)
        db.execute(memory_entities.insert(), changes.links)
    if changes.recalls:
        db.execute(_RECALL, changes.recalls)
    if changes.vectors:
        db.execute(_VECTOR, changes.vectors)
        db.execute(_COARSE)
    fts.index(db, changes.memories)
    days.index(db, changes.memories)


def _write_mentions(db: Connection, mentions: Mapping[EntityId, Mention]) -> None:
    query = select(entities.c.id, entities.c.aliases).where(entities.c.id.in_(list(mentions)))
    known = {row.id: json.loads(row.aliases) for row in db.execute(query)}
    rows = [
        {
            "id": identity,
            "canonical_name": mention.canonical_name,
            "type": mention.type,
            "aliases": json.dumps(sorted(mention.aliases.union(known.get(identity, ())))),
            "mention_count": mention.count,
        }
        for identity, mention in mentions.items()
    ]
    db.execute(_ENTITY, rows)
