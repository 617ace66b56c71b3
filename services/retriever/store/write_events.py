"""Applies events to a user's file, table by table: one statement for many rows, the full-text index last."""

import json
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import Connection, bindparam, text, update
from sqlalchemy.dialects.sqlite import insert

from services.retriever.store import full_text_index, memory_days, slot_index, vector_signs
from services.retriever.store.changes import FileChanges, memories_of, rows_of
from services.retriever.store.conflicts import write_conflicts
from services.retriever.store.entity_registry import write_links
from services.retriever.store.memory_row import MemoryRow
from services.retriever.store.privacy import write_privacy
from services.retriever.store.schema import (
    fact_sources,
    memories,
    metadata,
    outdatings,
    runs,
    sessions,
    speakers,
    supersessions,
    texts,
)
from services.retriever.store.undoing import write_undone
from shared.contracts.envelope import Envelope
from shared.contracts.ids import MemoryId
from shared.runtime.bulk import Rows, rows_into

_AS_IT_CAME = (
    *("number", "id", "kind", "content", "session_id", "event_time", "created_at"),
    *("source_role", "speaker", "message_id", "attributes", "echoes", "slots", "origin"),
)
"""Never changed, so not read to be changed."""

_STATE = [column.name for column in memories.columns if column.name not in _AS_IT_CAME]
_KNOWN = text(f"SELECT id, number, {', '.join(_STATE)} FROM memories WHERE id IN (SELECT value FROM json_each(:ids))")
_CHANGE = update(memories).where(memories.c.number == bindparam("at_number"))
_CHANGE = _CHANGE.values({name: bindparam(name) for name in _STATE})

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
_METADATA = rows_into(metadata, over=("value",))

_VECTORS = Rows(
    """
    INSERT INTO vec_memories(number, model, embedding) VALUES (?, ?, ?)
    ON CONFLICT(number, model) DO UPDATE SET embedding = excluded.embedding
    """,
    ("number", "model", "embedding"),
)
_MEMORIES = rows_into(memories)
_RUNS = rows_into(runs)
_SOURCES = rows_into(fact_sources, over=("fact",))


def write(db: Connection, events: Sequence[Envelope]) -> None:
    """Apply events, inside the caller's transaction."""
    known = _known(db, memories_of(events))
    heirs = {row["superseded_by"] for row in known.values() if row["superseded_by"]}
    changes = rows_of(events, known | _known(db, heirs - known.keys()))
    _write_memories(db, changes)
    told = ((texts, changes.texts), (supersessions, changes.supersessions), (outdatings, changes.outdatings))
    for table, rows in told:
        if rows:
            db.execute(table.insert(), rows)
    _RUNS.write(db, changes.runs)
    _SOURCES.write(db, changes.sources)
    for event_type, row in changes.sessions:
        db.execute(_SESSION[event_type], row)
    if changes.speakers:
        db.execute(_SPEAKER, [{"name": name, "turns": turns} for name, turns in changes.speakers.items()])
    if changes.links:
        write_links(db, changes.links, {row["number"] for row in changes.created})
    write_metadata(db, changes.metadata)
    full_text_index.index(db, changes.created, changes.retagged)
    memory_days.index(db, changes.created)
    slot_index.index(db, changes.created)
    write_conflicts(db, changes)
    write_undone(db, changes)
    write_privacy(db, changes)


def write_metadata(db: Connection, values: Mapping[str, str]) -> None:
    """Write values that concern the whole file."""
    _METADATA.write(db, [{"key": key, "value": value} for key, value in values.items()])


def _known(db: Connection, ids: Collection[MemoryId]) -> dict[MemoryId, MemoryRow]:
    if not ids:
        return {}
    rows = db.execute(_KNOWN, {"ids": json.dumps(sorted(ids))})
    return {row.id: dict(row._mapping) for row in rows}  # noqa: SLF001 - SQLAlchemy's public name for a row as a mapping


def _write_memories(db: Connection, changes: FileChanges) -> None:
    new = {row["id"] for row in changes.created}
    _MEMORIES.write(db, changes.created)
    changed = [changes.known[memory] for memory in sorted(changes.touched - new)]
    if changed:
        db.execute(_CHANGE, [{"at_number": row["number"]} | {name: row[name] for name in _STATE} for row in changed])
    _VECTORS.write(db, changes.vectors)
    if moved := changes.moved.union(row["number"] for row in changes.vectors):
        vector_signs.update(db, moved)
