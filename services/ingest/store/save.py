"""Writes what changed in the state of a scope."""

from __future__ import annotations

from sqlalchemy import Connection

from services.ingest.domain.state import ScopeState
from services.ingest.store.handed_out import save_handed_out
from services.ingest.store.schema import MEMORY, SCOPE, SEEN, SESSION, upsert
from shared.contracts.ids import Scope
from shared.domain.moments import microseconds


def save(db: Connection, scope: Scope, before: ScopeState, after: ScopeState) -> None:
    """Write the rows that differ."""
    upsert(db, SCOPE, [{"scope": scope, "number": after.number, "position": after.position}])
    sessions = [
        {
            "scope": scope,
            "session_id": session_id,
            "is_open": int(session.is_open),
            "user_spoke": int(session.user_spoke),
            "turns": session.turns,
            "last_occurred_at": microseconds(session.last_occurred_at),
            "last_recorded_at": microseconds(session.last_recorded_at),
        }
        for session_id, session in after.sessions.items()
        if before.sessions.get(session_id) is not session
    ]
    upsert(db, SESSION, sessions)
    seen = [
        {
            "scope": scope,
            "command_id": bytes.fromhex(command_id),
            "number": entry.number,
            "position": entry.position,
            "memory_id": entry.memory_id,
            "content": entry.content,
        }
        for command_id, entry in after.seen.items()
        if before.seen.get(command_id) is not entry
    ]
    upsert(db, SEEN, seen)
    memories = [
        {"scope": scope, "memory_id": memory_id, "number": memory.number, "kind": memory.kind.value}
        for memory_id, memory in after.memories.items()
        if before.memories.get(memory_id) is not memory
    ]
    upsert(db, MEMORY, memories)
    save_handed_out(db, scope, before.handed_out, after.handed_out)
