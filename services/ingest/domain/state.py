"""What ingest knows of one scope, and how an event changes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

from services.ingest.domain.echoes import HandedOut, after_recall
from shared.contracts.envelope import Envelope
from shared.contracts.events import (
    CommandRejected,
    EpisodeRecorded,
    FactRemembered,
    MemoriesRecalled,
    SessionCompleted,
    SessionStarted,
)
from shared.contracts.ids import CommandId, MemoryId, SessionId
from shared.contracts.parts import Kind, Role
from shared.domain.digests import Digester


@dataclass(frozen=True, slots=True)
class Session:
    """A conversation of a user."""

    is_open: bool
    user_spoke: bool
    turns: int  # since it was started or resumed
    last_occurred_at: datetime
    last_recorded_at: datetime  # of its last turn: whether it is idle is told by our own clock, not by the bot's


@dataclass(frozen=True, slots=True)
class Seen:
    """A command that had an effect: what its id stands for, for ever."""

    number: int
    position: int
    memory_id: MemoryId | None = None
    content: bytes | None = None  # keyed digest of the words; None where a command has none


@dataclass(frozen=True, slots=True)
class KnownMemory:
    """A memory that exists: its events' numbers lead to its text."""

    number: int
    kind: Kind


@dataclass(frozen=True, slots=True)
class ScopeState:
    """What decisions about one scope rest on. Sessions and seen commands are those that were asked for."""

    number: int = 0  # of the last event
    position: int = 0  # of the last event: the expected version
    sessions: Mapping[SessionId, Session] = field(default_factory=dict)
    seen: Mapping[CommandId, Seen] = field(default_factory=dict)
    memories: Mapping[MemoryId, KnownMemory] = field(default_factory=dict)
    handed_out: Mapping[MemoryId, HandedOut] = field(default_factory=dict)  # by recent recalls

    @property
    def open_sessions(self) -> dict[SessionId, Session]:
        """The sessions that are not completed."""
        return {session_id: session for session_id, session in self.sessions.items() if session.is_open}


_COMMAND_ID = re.compile(r"[0-9a-f]{32}")


def evolve(state: ScopeState, event: Envelope, *, position: int, digester: Digester) -> ScopeState:
    """The state after an event. `position` is 0 while the event is decided and not yet appended."""
    if isinstance(event.data, CommandRejected):  # the same message_id may come again, corrected
        return replace(state, number=event.number, position=position)
    seen = {**state.seen, event.causation_id: _seen(event, position, digester)}
    if event.correlation_id != event.causation_id and _COMMAND_ID.fullmatch(event.correlation_id):
        seen[CommandId(event.correlation_id)] = Seen(event.number, position)  # the import that the turn came with
    return ScopeState(event.number, position, _sessions(state, event), seen, _memories(state, event), _handed_out(state, event))


def _seen(event: Envelope, position: int, digester: Digester) -> Seen:
    if isinstance(event.data, EpisodeRecorded | FactRemembered):
        return Seen(event.number, position, event.data.memory_id, digester.digest("content", event.data.text))
    return Seen(event.number, position)


def _memories(state: ScopeState, event: Envelope) -> Mapping[MemoryId, KnownMemory]:
    if isinstance(event.data, EpisodeRecorded):
        return {**state.memories, event.data.memory_id: KnownMemory(event.number, Kind.EPISODE)}
    if isinstance(event.data, FactRemembered):
        return {**state.memories, event.data.memory_id: KnownMemory(event.number, Kind.FACT)}
    return state.memories


def _handed_out(state: ScopeState, event: Envelope) -> Mapping[MemoryId, HandedOut]:
    if isinstance(event.data, MemoriesRecalled):
        return after_recall(state.handed_out, event.data, number=event.number, recorded_at=event.recorded_at)
    return state.handed_out


def _sessions(state: ScopeState, event: Envelope) -> Mapping[SessionId, Session]:
    data = event.data
    if isinstance(data, SessionStarted):
        return {**state.sessions, data.session_id: _started(state.sessions.get(data.session_id), event)}
    if isinstance(data, SessionCompleted):
        return {**state.sessions, data.session_id: replace(state.sessions[data.session_id], is_open=False)}
    if isinstance(data, EpisodeRecorded):
        session = state.sessions[data.session_id]
        spoken = Session(
            is_open=True,
            turns=session.turns + 1,
            user_spoke=session.user_spoke or data.role is Role.USER,
            last_occurred_at=max(session.last_occurred_at, event.occurred_at),
            last_recorded_at=max(session.last_recorded_at, event.recorded_at),
        )
        return {**state.sessions, data.session_id: spoken}
    return state.sessions


def _started(known: Session | None, event: Envelope) -> Session:
    if known is not None:
        return replace(known, is_open=True, turns=0)
    return Session(
        is_open=True,
        user_spoke=False,
        turns=0,
        last_occurred_at=event.occurred_at,
        last_recorded_at=event.recorded_at,
    )
