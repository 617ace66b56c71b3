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
from services.ingest.store.session_names import SessionNames
from shared.contracts.ids import Scope


def save(
    db: Connection, scope: Scope, before: ScopeState, after: ScopeState, *, positions: Mapping[int, int], names: SessionNames
) -> None:
    """Write the rows that differ. `positions`: of the new events, by number, which a state that was just decided lacks."""

    def placed(row: dict[str, Any]) -> dict[str, Any]:
        row["position"] = row["position"] or positions[row["number"]]
        return row

    upsert(
        db,
        SCOPE,
        [
            {
                "scope": scope,
                "number": after.number,
                "position": after.position,
                "live": after.live,
                "excess_live": after.excess.live if after.excess else None,
                "excess_cap": after.excess.cap if after.excess else None,
                "has_conflicts": int(bool(after.conflicts)),
                "is_private": int(after.privacy.is_any),
                "settings": None if after.settings == NO_SETTINGS else after.settings.model_dump_json(exclude_none=True),
            }
        ],
    )
    sessions = changed(before.sessions, after.sessions)
    upsert(db, SESSION, [placed(SESSIONS.row(one, scope=scope, session=names.key(each))) for each, one in sessions])
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
    save_privacy(db, scope, before.privacy, after.privacy, names)
