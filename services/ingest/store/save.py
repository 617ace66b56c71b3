"""Writes what changed in the state of a scope."""

from collections.abc import Collection, Mapping

from sqlalchemy import Connection

from services.ingest.domain.memories import KnownMemory
from services.ingest.domain.state import NO_SETTINGS, ScopeState
from services.ingest.store.facts import save_facts
from services.ingest.store.handed_out import save_handed_out
from services.ingest.store.names import save_called, save_names
from services.ingest.store.privacy import save_privacy
from services.ingest.store.schema import MEMORY, SCOPE, SEEN, SESSION, changed, upsert
from shared.contracts.ids import MemoryId, Scope
from shared.domain.moments import microseconds

_HASH_BYTES = 8


def save(db: Connection, scope: Scope, before: ScopeState, after: ScopeState, positions: Mapping[int, int]) -> None:
    """Write the rows that differ. `positions`: of the new events, by number, which a state that was just decided lacks."""
    upsert(db, SCOPE, [_scope_row(scope, after)])
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
        for session_id, session in changed(before.sessions, after.sessions)
    ]
    upsert(db, SESSION, sessions)
    seen = [
        {
            "scope": scope,
            "command_id": bytes.fromhex(command_id),
            "number": entry.number,
            "position": entry.position or positions[entry.number],
            "memory_id": entry.memory_id,
            "content": entry.content,
        }
        for command_id, entry in changed(before.seen, after.seen)
    ]
    upsert(db, SEEN, seen)
    memories = [
        _memory_row(scope, memory_id, memory, positions) for memory_id, memory in changed(before.memories, after.memories)
    ]
    upsert(db, MEMORY, memories)
    save_facts(db, scope, before, after)
    save_names(db, scope, before.names, after.names)
    save_called(db, scope, before.called, after.called)
    save_handed_out(db, scope, before.handed_out or {}, after.handed_out or {})
    save_privacy(db, scope, before.privacy, after.privacy)


def _scope_row(scope: Scope, state: ScopeState) -> dict[str, object]:
    return {
        "scope": scope,
        "number": state.number,
        "position": state.position,
        "live": state.live,
        "excess_live": state.excess.live if state.excess else None,
        "excess_cap": state.excess.cap if state.excess else None,
        "is_private": int(state.privacy.is_any),
        "settings": None if state.settings == NO_SETTINGS else state.settings.model_dump_json(exclude_none=True),
    }


def _memory_row(scope: Scope, memory_id: MemoryId, memory: KnownMemory, positions: Mapping[int, int]) -> dict[str, object]:
    return {
        "scope": scope,
        "memory_id": memory_id,
        "number": memory.number,
        "position": memory.position or positions[memory.number],
        "kind": memory.kind.value,
        "session_id": memory.session_id,
        "status": memory.status.value,
        "ended": memory.ended,
        "pinned": int(memory.pinned),
        "tags": packed(memory.tags),
        "enriched": packed(memory.enriched),
    }


def packed(hashes: Collection[bytes]) -> bytes:
    """Hashes of 8 bytes as one blob, sorted."""
    return b"".join(sorted(hashes))


def unpacked(blob: bytes) -> frozenset[bytes]:
    """The hashes of 8 bytes in a blob."""
    return frozenset(blob[place : place + _HASH_BYTES] for place in range(0, len(blob), _HASH_BYTES))
