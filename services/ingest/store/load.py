"""Reads the state of a scope."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, select

from services.ingest.domain.state import KnownMemory, ScopeState, Seen, Session
from services.ingest.store.changes import Aspect, Needs
from services.ingest.store.handed_out import load_handed_out
from services.ingest.store.schema import MEMORY, SCOPE, SEEN, SESSION
from shared.contracts.ids import CommandId, MemoryId, Scope, SessionId
from shared.contracts.parts import Kind
from shared.domain.moments import moment


def load(db: Connection, scope: Scope, need: Needs) -> ScopeState:
    """What is known of a scope: all open sessions, and of the rest what is needed."""
    row = db.execute(select(SCOPE.c.number, SCOPE.c.position).where(SCOPE.c.scope == scope)).first()
    if row is None:
        return ScopeState()
    wanted = (SESSION.c.is_open == 1) | SESSION.c.session_id.in_(need.sessions)
    sessions = db.execute(select(SESSION).where(SESSION.c.scope == scope, wanted))
    ids = [bytes.fromhex(command) for command in need.commands]
    seen = db.execute(select(SEEN).where(SEEN.c.scope == scope, SEEN.c.command_id.in_(ids))) if ids else ()
    wanted_memories = select(MEMORY).where(MEMORY.c.scope == scope, MEMORY.c.memory_id.in_(need.memories))
    known = db.execute(wanted_memories) if need.memories else ()
    return ScopeState(
        number=row.number,
        position=row.position,
        sessions={SessionId(s.session_id): _as_session(s) for s in sessions},
        seen={
            CommandId(s.command_id.hex()): Seen(s.number, s.position, MemoryId(s.memory_id) if s.memory_id else None, s.content)
            for s in seen
        },
        memories={MemoryId(m.memory_id): KnownMemory(m.number, Kind(m.kind)) for m in known},
        handed_out=load_handed_out(db, scope) if Aspect.HANDED_OUT in need.aspects else {},
    )


def _as_session(row: Row[Any]) -> Session:
    return Session(
        is_open=bool(row.is_open),
        user_spoke=bool(row.user_spoke),
        turns=row.turns,
        last_occurred_at=moment(row.last_occurred_at),
        last_recorded_at=moment(row.last_recorded_at),
    )
