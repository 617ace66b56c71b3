"""Reads the state of a scope."""

from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from typing import TypeVar

from sqlalchemy import Connection

from services.ingest.domain.lacks import Aspect, Needs, PartialMap
from services.ingest.domain.memories import Excess, Fact, KnownMemory
from services.ingest.domain.private import Privacy
from services.ingest.domain.seen import SeenCommand
from services.ingest.domain.state import NO_SETTINGS, KnownSession, ScopeState
from services.ingest.domain.survivors import Survivors
from services.ingest.store.claims import find_claiming
from services.ingest.store.conflicts import load_conflicts
from services.ingest.store.facts import find_alike, load_facts, load_rivals
from services.ingest.store.handed_out import load_handed_out
from services.ingest.store.names import find_called, load_names
from services.ingest.store.privacy import load_privacy, load_survivors
from services.ingest.store.schema import MEMORIES, MEMORY, SCOPE, SEEN, SEEN_COMMANDS, SESSION, SESSIONS, all_that_are, look_up
from services.ingest.store.session_names import SessionNames
from shared.contracts.ids import CommandId, MemoryId, Scope, SessionId
from shared.contracts.preferences import PersonSettings

_Known = TypeVar("_Known")


def load(db: Connection, scope: Scope, need: Needs, names: SessionNames) -> ScopeState:
    """Load the state of a scope: all open sessions whose ids are known, and of the rest what is needed."""
    rows = look_up(db, SCOPE, [scope], column="scope", scope=scope)
    if not rows:
        return ScopeState(surviving=Survivors() if Aspect.SURVIVORS in need.aspects else None)
    (row,) = rows
    likenesses, called = find_alike(db, scope, need.told), find_called(db, scope, need.called)
    facts = load_rivals(db, scope) if Aspect.RIVALS in need.aspects else {}
    claiming = find_claiming(db, scope, need.claims)
    sessions, unnamed = _sessions(db, scope, need.sessions, names)
    facts |= load_facts(db, scope, need.memories | need.facts | likenesses.keys() | called.keys() | claiming)
    facts |= _successors(db, scope, [fact for each in need.memories if (fact := facts.get(each))])
    return ScopeState(
        number=row.number,
        position=row.position,
        sessions=PartialMap(sessions, need.sessions, lambda each: Needs(sessions={each})),
        seen=PartialMap(_seen(db, scope, need.commands), need.commands, lambda each: Needs(commands={each})),
        memories=_of_memories(_memories(db, scope, need.memories | facts.keys()), need.memories),
        handed_out=load_handed_out(db, scope) if Aspect.HANDED_OUT in need.aspects else None,
        facts=_of_memories(facts, need.memories | need.facts),
        likenesses=likenesses,
        live=row.live,
        excess=Excess(row.excess_live, row.excess_cap) if row.excess_live is not None else None,
        conflicts=load_conflicts(db, scope) if row.has_conflicts else {},
        settings=PersonSettings.model_validate_json(row.settings) if row.settings else NO_SETTINGS,
        privacy=load_privacy(db, scope, need, names) if row.is_private else Privacy(),
        names=load_names(db, scope, need.names),
        called=called,
        surviving=load_survivors(db, scope) if Aspect.SURVIVORS in need.aspects else None,
        known=need,
        unnamed=unnamed,
    )


def _successors(db: Connection, scope: Scope, facts: Collection[Fact]) -> dict[MemoryId, Fact]:
    """Load what superseded these facts, what superseded that, and so on: a rule asks for the end of a chain of any length."""
    found: dict[MemoryId, Fact] = {}
    while ids := {fact.superseded_by for fact in facts if fact.superseded_by} - found.keys():
        facts = (loaded := load_facts(db, scope, ids)).values()
        found |= loaded
    return found


def _of_memories(found: Mapping[MemoryId, _Known], asked: AbstractSet[MemoryId]) -> PartialMap[MemoryId, _Known]:
    return PartialMap(found, asked, lambda each: Needs(memories={each}))


def _sessions(
    db: Connection, scope: Scope, ids: Collection[SessionId], names: SessionNames
) -> tuple[dict[SessionId, KnownSession], tuple[int, ...]]:
    """The open sessions and those with these ids; and where the log names those whose ids are not at hand."""
    asked = names.keys(ids)
    is_open = all_that_are(db, SESSION, "is_open", scope=scope)
    found = {row.session: SESSIONS.read(row) for row in (*is_open, *look_up(db, SESSION, asked, column="session", scope=scope))}
    named = {name: session for key, session in found.items() if (name := names.name(key)) is not None}
    return named, tuple(session.position for key, session in found.items() if names.name(key) is None)


def _seen(db: Connection, scope: Scope, ids: Collection[CommandId]) -> dict[CommandId, SeenCommand]:
    rows = look_up(db, SEEN, [bytes.fromhex(command) for command in ids], column="command_id", scope=scope)
    return {CommandId(row.command_id.hex()): SEEN_COMMANDS.read(row) for row in rows}


def _memories(db: Connection, scope: Scope, ids: Collection[MemoryId]) -> dict[MemoryId, KnownMemory]:
    rows = look_up(db, MEMORY, ids, column="memory_id", scope=scope)
    return {MemoryId(row.memory_id): MEMORIES.read(row) for row in rows}
