"""Writes what changed in the state of a scope."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection

from services.ingest.domain.state import NO_SETTINGS, ScopeState
from services.ingest.store.claims import save_claims
from services.ingest.store.conflicts import save_conflicts
from services.ingest.store.facts import save_facts
from services.ingest.store.handed_out import save_handed_out
from services.ingest.store.names import save_called, save_names
from services.ingest.store.privacy import save_privacy
from services.ingest.store.schema import MEMORIES, MEMORY, SCOPE, SEEN, SEEN_COMMANDS, SESSION, SESSIONS, changed, upsert
from shared.contracts.ids import Scope


def save(db: Connection, scope: Scope, before: ScopeState, after: ScopeState, positions: Mapping[int, int]) -> None:
    """Write the rows that differ. `positions`: of the new events, by number, which a state that was just decided lacks."""

    def placed(row: dict[str, Any]) -> dict[str, Any]:
        row["position"] = row["position"] or positions[row["number"]]
        return row

    upsert(db, SCOPE, [_scope_row(scope, after)])
    sessions = changed(before.sessions, after.sessions)
    upsert(db, SESSION, [SESSIONS.row(session, scope=scope, session_id=each) for each, session in sessions])
    seen = changed(before.seen, after.seen)
    upsert(db, SEEN, [placed(SEEN_COMMANDS.row(one, scope=scope, command_id=bytes.fromhex(each))) for each, one in seen])
    memories = changed(before.memories, after.memories)
    upsert(db, MEMORY, [placed(MEMORIES.row(memory, scope=scope, memory_id=each)) for each, memory in memories])
    save_facts(db, scope, before, after)
    save_claims(db, scope, before, after)
    save_names(db, scope, before.names, after.names)
    save_called(db, scope, before.called, after.called)
    save_handed_out(db, scope, before.handed_out or {}, after.handed_out or {})
    save_conflicts(db, scope, before.conflicts, after.conflicts)
    save_privacy(db, scope, before.privacy, after.privacy)


def _scope_row(scope: Scope, state: ScopeState) -> dict[str, object]:
    return {
        "scope": scope,
        "number": state.number,
        "position": state.position,
        "live": state.live,
        "excess_live": state.excess.live if state.excess else None,
        "excess_cap": state.excess.cap if state.excess else None,
        "has_conflicts": int(bool(state.conflicts)),
        "is_private": int(state.privacy.is_any),
        "settings": None if state.settings == NO_SETTINGS else state.settings.model_dump_json(exclude_none=True),
    }
