"""Applies events to a user's file, table by table: one statement for many rows."""

import json
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import Connection

from services.retriever.store import memory_days, slot_index
from services.retriever.store.changes import FileChanges, memories_of, rows_of
from services.retriever.store.conflicts import write_conflicts
from services.retriever.store.entity_registry import write_links, write_merges
from services.retriever.store.memory_row import MemoryRow
from services.retriever.store.privacy import write_privacy
from services.retriever.store.recalled_rows import are_recalls, known_to_recalls, write_recalled
from services.retriever.store.schema import (
    fact_sources,
    memories,
    metadata,
    outdatings,
    runs,
    supersessions,
    texts,
)
from services.retriever.store.search.indexing import index_vectors, index_words, indexed_texts
from services.retriever.store.shared_tags import write_shares
from services.retriever.store.undoing import write_undone
from shared.contracts.envelope import Envelope
from shared.contracts.ids import MemoryId
from shared.domain.vectors import halves
from shared.runtime.bulk import Rows, rows_into
from shared.runtime.sqlite import rows

_AS_IT_CAME = (
    *("number", "id", "kind", "content", "session_id", "event_time", "created_at"),
    *("source_role", "speaker", "message_id", "attributes", "echoes", "slots", "origin", "traits"),
)
"""Never changed, so not read to be changed."""

_STATE = [column.name for column in memories.columns if column.name not in _AS_IT_CAME]
_OF_KNOWN = ("id", "number", "kind", *_STATE)
_KNOWN = f"SELECT {', '.join(_OF_KNOWN)} FROM memories WHERE id IN (SELECT value FROM json_each(:ids))"
_CHANGE = Rows(f"UPDATE memories SET {', '.join(f'{name} = ?' for name in _STATE)} WHERE number = ?", (*_STATE, "number"))

_SESSION = {
    "session_started": Rows(
        """
        INSERT INTO sessions_consolidations(session_id, first_seen_at) VALUES (?, ?)
        ON CONFLICT(session_id) DO UPDATE SET completed_at = NULL, consolidated_at = NULL
        """,
        ("session", "at"),
    ),
    "session_completed": Rows("UPDATE sessions_consolidations SET completed_at = ? WHERE session_id = ?", ("at", "session")),
    "session_consolidated": Rows(
        "UPDATE sessions_consolidations SET consolidated_at = ? WHERE session_id = ?", ("at", "session")
    ),
}
_SPEAKERS = Rows(
    "INSERT INTO speakers(name, turns) VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET turns = turns + excluded.turns",
    ("name", "turns"),
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
_TEXTS, _SUPERSESSIONS, _OUTDATINGS = rows_into(texts), rows_into(supersessions), rows_into(outdatings)
_RUNS = rows_into(runs)
_SOURCES = rows_into(fact_sources, over=("fact",))


def write(db: Connection, events: Sequence[Envelope]) -> FileChanges:
    """Apply events, inside the caller's transaction; the changes that they made."""
    if are_recalls(events):
        return _write_recalls(db, events)
    known = _known(db, memories_of(events))
    heirs = {row["superseded_by"] for row in known.values() if row["superseded_by"]}
    changes = rows_of(events, known | _known(db, heirs - known.keys()))
    new = {row["id"] for row in changes.created}
    changes.reindexed -= {row["number"] for row in changes.created}
    before = indexed_texts(db, changes.reindexed)
    _MEMORIES.write(db, changes.created)
    changed = [changes.known[memory] for memory in sorted(changes.touched - new)]
    _CHANGE.write(db, changed)
    index_words(db, changes, before)
    vectors = [halves(embedding) for *_, embedding in changes.vectors]
    index_vectors(db, changes.vectors, vectors)
    _VECTORS.write(
        db,
        [
            {"number": number, "model": embedding.model, "embedding": vector}
            for (number, _, embedding), vector in zip(changes.vectors, vectors, strict=True)
        ],
    )
    _TEXTS.write(db, changes.texts)
    _SUPERSESSIONS.write(db, changes.supersessions)
    _OUTDATINGS.write(db, changes.outdatings)
    _RUNS.write(db, changes.runs)
    _SOURCES.write(db, changes.sources)
    for event_type, row in changes.sessions:
        _SESSION[event_type].write(db, [row])
    _SPEAKERS.write(db, [{"name": name, "turns": turns} for name, turns in changes.speakers.items()])
    if changes.links:
        write_links(db, changes.links, {row["number"] for row in changes.created})
    if changes.merges:
        write_merges(db, changes.merges)
    write_metadata(db, changes.metadata)
    memory_days.index(db, changes.created)
    slot_index.index(db, changes.created)
    write_conflicts(db, changes)
    write_undone(db, changes)
    write_shares(db, changes.shares)
    write_privacy(db, changes)
    return changes


def _write_recalls(db: Connection, events: Sequence[Envelope]) -> FileChanges:
    changes = rows_of(events, known_to_recalls(db, memories_of(events)))
    write_recalled(db, [changes.known[memory] for memory in changes.touched])
    return changes


def write_metadata(db: Connection, values: Mapping[str, str]) -> None:
    """Write values that concern the whole file."""
    _METADATA.write(db, [{"key": key, "value": value} for key, value in values.items()])


def _known(db: Connection, ids: Collection[MemoryId]) -> dict[MemoryId, MemoryRow]:
    if not ids:
        return {}
    found = (dict(zip(_OF_KNOWN, row, strict=True)) for row in rows(db, _KNOWN, {"ids": json.dumps(sorted(ids))}))
    return {row["id"]: row for row in found}
