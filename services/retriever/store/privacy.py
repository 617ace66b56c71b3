"""Writes what a person wants hidden: forgotten memories, incognito sessions; and keeps the outcomes of chat commands."""

import json
from collections.abc import Collection

from sqlalchemy import Connection, delete, select, text
from sqlalchemy.dialects.sqlite import insert

from services.retriever.store.changes import FileChanges
from services.retriever.store.entity_mentions import of_memories
from services.retriever.store.entity_registry import lose_merges, remove_links
from services.retriever.store.schema import chat_commands, incognito
from services.retriever.store.search.indexing import unindex
from services.retriever.store.shared_tags import lose_shares
from services.retriever.store.unchanged import Unchanged
from shared.contracts.ids import MessageId, SessionId
from shared.contracts.privacy import ChatCommandRead
from shared.domain.moments import moment
from shared.language.commands.command import ChatCommandName
from shared.runtime.sqlite import rows, values_named

_NUMBERS = "SELECT number FROM memories WHERE id IN (SELECT value FROM json_each(:ids))"
_BY_NUMBER = ("vec_memories", "memory_days", "fact_slots")
_FORGET = [
    text(statement)
    for statement in (
        f"DELETE FROM memory_texts WHERE memory IN ({_NUMBERS})",
        *(f"DELETE FROM {table} WHERE number IN ({_NUMBERS})" for table in _BY_NUMBER),
        "DELETE FROM conflicts WHERE EXISTS (SELECT 1 FROM json_each(:ids) WHERE value IN (older, newer))",
        f"DELETE FROM fact_sources WHERE fact IN ({_NUMBERS}) OR source IN (SELECT value FROM json_each(:ids))",
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

_IS_ANY_COMMAND = "SELECT EXISTS (SELECT 1 FROM chat_commands)"
_COMMANDS = """
SELECT message_id FROM chat_commands WHERE message_id IN (SELECT value FROM json_each(:names)) AND command <> :kept
"""


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
        numbers = db.scalars(text(_NUMBERS), ids).all()
        remove_links(db, of_memories(db, numbers))
        unindex(db, numbers)
        for statement in _FORGET:
            db.execute(statement, ids)
    if changes.erased:
        lose_merges(db, changes.erased)
        lose_shares(db, changes.erased)


def chat_command(db: Connection, names: Collection[MessageId], session_id: SessionId) -> ChatCommandRead | None:
    """The outcome of a turn that was read as a chat command and has one of these message_ids; None if it was not."""
    row = db.execute(select(chat_commands).where(chat_commands.c.message_id.in_(names))).first()
    if row is None:
        return None
    stored = values_named(row, ChatCommandRead.model_fields)
    erase_at = moment(row.erase_at) if row.erase_at else None
    read = {"session_id": session_id, "memory_ids": json.loads(row.memory_ids), "erase_at": erase_at}
    return ChatCommandRead(**(stored | read))


def commands_among(db: Connection, names: Collection[MessageId], unchanged: Unchanged) -> frozenset[MessageId]:
    """The message_ids of turns that were carried out as chat commands; what was to be remembered is no command here."""
    if not unchanged.is_any(db, _IS_ANY_COMMAND):
        return frozenset()
    found = rows(db, _COMMANDS, {"names": json.dumps(list(names)), "kept": ChatCommandName.REMEMBER_THAT})
    return frozenset(MessageId(name) for (name,) in found)
