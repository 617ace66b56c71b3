"""Writes what a person wants hidden: forgotten memories, incognito sessions; and keeps the outcomes of chat commands."""

import json

from sqlalchemy import Connection, delete, select, text
from sqlalchemy.dialects.sqlite import insert

from services.retriever.store import vector_signs
from services.retriever.store.changes import FileChanges
from services.retriever.store.schema import chat_commands, incognito
from shared.contracts.ids import MessageId, SessionId
from shared.contracts.privacy import ChatCommandRead
from shared.runtime.sqlite import values_named

_NUMBERS = "SELECT number FROM memories WHERE id IN (SELECT value FROM json_each(:ids))"
_BY_NUMBER = ("vec_memories", "memory_entities", "neighbours", "memory_days")
_FORGET = [
    text(statement)
    for statement in (
        f"DELETE FROM memories_fts WHERE rowid IN ({_NUMBERS})",
        f"DELETE FROM memory_texts WHERE memory IN ({_NUMBERS})",
        *(f"DELETE FROM {table} WHERE number IN ({_NUMBERS})" for table in _BY_NUMBER),
        "DELETE FROM conflicts WHERE EXISTS (SELECT 1 FROM json_each(:ids) WHERE value IN (older, newer))",
        f"DELETE FROM fact_sources WHERE fact IN ({_NUMBERS}) OR source IN (SELECT value FROM json_each(:ids))",
        "DELETE FROM entity_aliases WHERE id NOT IN (SELECT alias_id FROM memory_entities)",
        "DELETE FROM entities WHERE id NOT IN (SELECT entity_id FROM memory_entities)",
        "DELETE FROM memories WHERE id IN (SELECT value FROM json_each(:ids))",
        """
        UPDATE memories SET source_ids = (
          SELECT coalesce(json_group_array(source.value), '[]') FROM json_each(memories.source_ids) AS source
          WHERE source.value NOT IN (SELECT value FROM json_each(:ids))
        ) WHERE EXISTS (
          SELECT 1 FROM json_each(memories.source_ids) AS source
          WHERE source.value IN (SELECT value FROM json_each(:ids))
        )
        """,
    )
]
"""Hides what is forgotten from every query at once. Traces in indexes and free pages go when the scope is rebuilt."""


def write_privacy(db: Connection, changes: FileChanges) -> None:
    """Write the incognito sessions, chat commands and forgotten memories among these changes."""
    for session_id, is_on in changes.incognito.items():
        if is_on:
            db.execute(insert(incognito).on_conflict_do_nothing(), {"session_id": session_id})
        else:
            db.execute(delete(incognito).where(incognito.c.session_id == session_id))
    if changes.commands:
        db.execute(insert(chat_commands).prefix_with("OR REPLACE"), changes.commands)
    if changes.forgotten:
        ids = {"ids": json.dumps(changes.forgotten)}
        forgotten = db.scalars(text(_NUMBERS), ids).all()
        for statement in _FORGET:
            db.execute(statement, ids if ":ids" in str(statement) else {})
        vector_signs.update(db, forgotten)


def chat_command(db: Connection, message_id: MessageId, session_id: SessionId) -> ChatCommandRead | None:
    """The outcome of a turn that was read as a chat command; None if it was not."""
    row = db.execute(select(chat_commands).where(chat_commands.c.message_id == message_id)).first()
    if row is None:
        return None
    stored = values_named(row, ChatCommandRead.model_fields)
    return ChatCommandRead(**(stored | {"session_id": session_id, "memory_ids": json.loads(row.memory_ids)}))
