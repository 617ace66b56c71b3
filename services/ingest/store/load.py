"""Reads the state of a scope."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import Connection

from services.ingest.domain.memories import Excess, KnownMemory, Status
from services.ingest.domain.private import Privacy
from services.ingest.domain.state import NO_SETTINGS, ScopeState, Seen, Session
from services.ingest.store.changes import Aspect, Needs
from services.ingest.store.facts import find_alike, load_facts, load_rivals
from services.ingest.store.handed_out import load_handed_out
from services.ingest.store.names import find_called, load_names, need_names
from services.ingest.store.privacy import load_privacy
from services.ingest.store.save import unpacked
from services.ingest.store.schema import MEMORY, SCOPE, SEEN, SESSION, Found, all_that_are, look_up
from shared.contracts.ids import CommandId, MemoryId, Scope, SessionId
from shared.contracts.parts import Kind
from shared.contracts.preferences import PersonSettings
from shared.domain.moments import moment


def load(db: Connection, scope: Scope, need: Needs) -> ScopeState:
    """What is known of a scope: all open sessions, and of the rest what is needed."""
    rows = look_up(db, SCOPE, [scope], column="scope", scope=scope)
    if not rows:
        return ScopeState()
    (row,) = rows
    settings = PersonSettings.model_validate_json(row.settings) if row.settings else NO_SETTINGS
    likenesses = find_alike(db, scope, need.told.values())
    called = find_called(db, scope, need.called)
    names = load_names(db, scope, (*need.called, *called.values())) if need_names(need, called, likenesses) else None
    facts = load_facts(db, scope, need.memories | likenesses.keys() | called.keys())
    successors = {fact.superseded_by for fact in facts.values() if fact.superseded_by} - facts.keys()
    is_short = need.room.may_be_short(row.live, settings.soft_cap)
    rivals = load_rivals(db, scope) if is_short else {}
    facts = rivals | load_facts(db, scope, successors) | facts
    return ScopeState(
        number=row.number,
        position=row.position,
        sessions=_sessions(db, scope, need.sessions),
        seen=_seen(db, scope, need.commands),
        memories=_memories(db, scope, need.memories | facts.keys()),
        handed_out=load_handed_out(db, scope) if Aspect.HANDED_OUT in need.aspects else {},
        facts=facts,
        likenesses=likenesses,
        live=row.live,
        excess=Excess(row.excess_live, row.excess_cap) if row.excess_live is not None else None,
        settings=settings,
        privacy=load_privacy(db, scope, need) if row.is_private else Privacy(),
        knows_rivals=is_short,
        names=names or frozenset(),
        called=called,
        knows_names=names is not None,
    )


def _sessions(db: Connection, scope: Scope, ids: Collection[SessionId]) -> dict[SessionId, Session]:
    is_open = all_that_are(db, SESSION, "is_open", scope=scope)
    named = look_up(db, SESSION, ids, column="session_id", scope=scope)
    return {SessionId(row.session_id): _as_session(row) for row in (*is_open, *named)}


def _seen(db: Connection, scope: Scope, ids: Collection[CommandId]) -> dict[CommandId, Seen]:
    rows = look_up(db, SEEN, [bytes.fromhex(command) for command in ids], column="command_id", scope=scope)
    return {CommandId(row.command_id.hex()): Seen(row.number, row.position, row.memory_id, row.content) for row in rows}


def _memories(db: Connection, scope: Scope, ids: Collection[MemoryId]) -> dict[MemoryId, KnownMemory]:
    rows = look_up(db, MEMORY, ids, column="memory_id", scope=scope)
    return {MemoryId(row.memory_id): _as_memory(row) for row in rows}


def _as_memory(row: Found) -> KnownMemory:
    return KnownMemory(
        number=row.number,
        position=row.position,
        kind=Kind(row.kind),
        session_id=row.session_id,
        status=Status(row.status),
        ended=row.ended,
        pinned=bool(row.pinned),
        tags=unpacked(row.tags),
        enriched=unpacked(row.enriched),
    )


def _as_session(row: Found) -> Session:
    return Session(
        is_open=bool(row.is_open),
        user_spoke=bool(row.user_spoke),
        turns=row.turns,
        last_occurred_at=moment(row.last_occurred_at),
        last_recorded_at=moment(row.last_recorded_at),
    )
