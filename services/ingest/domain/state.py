"""What ingest knows of one scope, and how an event changes it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from services.ingest.domain.echoes import HandedOut, after_recall
from services.ingest.domain.learned import Learned
from services.ingest.domain.likeness import Likeness
from services.ingest.domain.memories import Excess, Fact, KnownMemory
from services.ingest.domain.names import Called, Naming
from services.ingest.domain.private import Privacy, after
from shared.contracts.command import Channel
from shared.contracts.envelope import Envelope
from shared.contracts.events import (
    CommandRejected,
    EpisodeRecorded,
    MemoriesRecalled,
    SessionCompleted,
    SessionStarted,
    SettingsChanged,
)
from shared.contracts.ids import CommandId, MemoryId, SessionId
from shared.contracts.parts import Role
from shared.contracts.preferences import PersonSettings
from shared.contracts.privacy import MemoryForgotten, UserForgotten
from shared.domain.aliases import TypedName
from shared.domain.digests import Digester

NO_SETTINGS = PersonSettings()


class Session(NamedTuple):
    """A conversation of a user."""

    is_open: bool
    user_spoke: bool
    turns: int  # since it was started or resumed
    last_occurred_at: datetime
    last_recorded_at: datetime  # of its last turn: whether it is idle is told by our own clock, not by the bot's


class Seen(NamedTuple):
    """A command that had an effect: what its id stands for, for ever."""

    number: int
    position: int
    memory_id: MemoryId | None = None
    content: bytes | None = None  # keyed digest of the words; None where a command has none

    @property
    def is_turn(self) -> bool:
        """Whether it told a turn: then `content` is of what was said."""
        return self.memory_id is not None and self.memory_id.startswith("ep_")


@dataclass(frozen=True, slots=True)
class ScopeState:
    """What decisions about one scope rest on. Of sessions, commands, memories and facts it holds those that were asked for."""

    number: int = 0  # of the last event
    position: int = 0  # of the last event: the expected version
    sessions: Mapping[SessionId, Session] = field(default_factory=dict)
    seen: Mapping[CommandId, Seen] = field(default_factory=dict)
    memories: Mapping[MemoryId, KnownMemory] = field(default_factory=dict)
    handed_out: Mapping[MemoryId, HandedOut] = field(default_factory=dict)  # by recent recalls
    facts: Mapping[MemoryId, Fact] = field(default_factory=dict)
    likenesses: Mapping[MemoryId, Likeness] = field(default_factory=dict)  # of facts that may say what is told now
    live: int = 0  # facts that are neither retired nor superseded
    excess: Excess | None = None  # what was reported last, while it lasts
    settings: PersonSettings = NO_SETTINGS
    privacy: Privacy = field(default_factory=Privacy)
    knows_rivals: bool = field(default=True, compare=False)  # whether `facts` holds all that could be trimmed
    names: AbstractSet[TypedName] = field(
        default=frozenset(), compare=False
    )  # that events mentioned; as far as they are needed
    called: Mapping[MemoryId, Called] = field(default_factory=dict, compare=False)  # of facts that may say what is told now
    knows_names: bool = field(default=True, compare=False)  # whether `names` holds all that are needed

    @property
    def open_sessions(self) -> dict[SessionId, Session]:
        """The sessions that are not completed."""
        return {session_id: session for session_id, session in self.sessions.items() if session.is_open}


_COMMAND_ID = re.compile(r"[0-9a-f]{32}")


class Fold:
    """A state while events are folded into it: its maps are copied once, however many events there are."""

    def __init__(self, state: ScopeState) -> None:
        self.number, self._position = state.number, state.position
        self._sessions = dict(state.sessions)
        self._handed_out, self._settings = state.handed_out, state.settings
        self._knows_rivals = state.knows_rivals
        self._privacy = state.privacy
        self._seen = dict(state.seen)
        self._learned = Learned(
            memories=dict(state.memories),
            facts=dict(state.facts),
            likenesses=dict(state.likenesses),
            live=state.live,
            excess=state.excess,
        )
        self._naming = Naming(state.names, state.called)
        self._knows_names = state.knows_names

    @property
    def state(self) -> ScopeState:
        """The state so far. Its maps are those of the fold: it is good until the next event."""
        learned = self._learned
        return ScopeState(
            self.number,
            self._position,
            self._sessions,
            self._seen,
            learned.memories,
            self._handed_out,
            learned.facts,
            learned.likenesses,
            learned.live,
            learned.excess,
            self._settings,
            self._privacy,
            self._knows_rivals,
            self._naming.names,
            self._naming.called,
            self._knows_names,
        )

    def add(self, event: Envelope, *, position: int, digester: Digester) -> None:
        """Fold one event in. `position` is 0 while the event is decided and not yet appended."""
        self.number, self._position = event.number, position
        kind = type(event.data)
        if kind is CommandRejected:  # the same message_id may come again, corrected
            return
        self._privacy = after(self._privacy, event)
        if kind in _SELDOM:
            self._change(event)
        self._see(event, position, digester)
        if enter := _ENTERS.get(kind):
            enter(self._sessions, event.data, event)
        self._learned.add(event, position=position, digester=digester)
        self._naming.add(event, digester)

    def _change(self, event: Envelope) -> None:
        data = event.data
        if isinstance(data, UserForgotten):
            self._forget_all()
        elif isinstance(data, MemoryForgotten):
            gone = frozenset(data.memory_ids)
            self._learned.drop(gone)
            self._naming.drop(gone)
            self._handed_out = {memory_id: one for memory_id, one in self._handed_out.items() if memory_id not in gone}
        elif isinstance(data, MemoriesRecalled):
            self._handed_out = after_recall(self._handed_out, data, number=event.number, recorded_at=event.recorded_at)
        elif isinstance(data, SettingsChanged):
            self._settings = data.settings
            if data.settings.soft_cap != data.before.soft_cap:
                self._learned.excess = None  # what was reported was about another cap

    def _forget_all(self) -> None:
        """Nothing that came before counts."""
        self._sessions, self._handed_out, self._settings = {}, {}, NO_SETTINGS
        self._seen.clear()
        self._learned = Learned(memories={}, facts={}, likenesses={}, live=0, excess=None)
        self._naming = Naming(frozenset(), {})

    def _see(self, event: Envelope, position: int, digester: Digester) -> None:
        causation, correlation = event.causation_id, event.correlation_id
        self._seen[causation] = _seen(self._seen.get(causation), event, position, digester)
        if correlation != causation and (correlation in self._seen or _COMMAND_ID.fullmatch(correlation)):
            self._seen[CommandId(correlation)] = Seen(event.number, position)  # the import that the turn came with


def evolve(state: ScopeState, event: Envelope, *, position: int, digester: Digester) -> ScopeState:
    """The state after an event. `position` is 0 while the event is decided and not yet appended."""
    fold = Fold(state)
    fold.add(event, position=position, digester=digester)
    return fold.state


def _seen(before: Seen | None, event: Envelope, position: int, digester: Digester) -> Seen:
    """What is known of a command after one more of its events.

    The memory is the first that its events name, and only where a bot or a person asked: services learn many at once.
    """
    content = event.data.content
    digest = before.content if before else None
    if content is not None and not (before and before.is_turn):  # a turn stands for its words, whatever follows from it
        digest = digester.digest("content", content)
    memory_id = before.memory_id if before else None
    if memory_id is None and event.actor.channel == Channel.SEND:
        memory_id = event.data.subject
    return Seen(event.number, position, memory_id, digest)


def _say(sessions: dict[SessionId, Session], data: EpisodeRecorded, event: Envelope) -> None:
    session = sessions.get(data.session_id) or _started(None, event)
    sessions[data.session_id] = Session(
        is_open=True,
        turns=session.turns + 1,
        user_spoke=session.user_spoke or data.role is Role.USER,
        last_occurred_at=max(session.last_occurred_at, event.occurred_at),
        last_recorded_at=max(session.last_recorded_at, event.recorded_at),
    )


def _start(sessions: dict[SessionId, Session], data: SessionStarted, event: Envelope) -> None:
    sessions[data.session_id] = _started(sessions.get(data.session_id), event)


def _complete(sessions: dict[SessionId, Session], data: SessionCompleted, _: Envelope) -> None:
    if data.session_id in sessions:  # of one that was forgotten nothing is known
        sessions[data.session_id] = sessions[data.session_id]._replace(is_open=False)


def _started(known: Session | None, event: Envelope) -> Session:
    if known is not None:
        return known._replace(is_open=True, turns=0)
    return Session(
        is_open=True,
        user_spoke=False,
        turns=0,
        last_occurred_at=event.occurred_at,
        last_recorded_at=event.recorded_at,
    )


_SELDOM = frozenset({UserForgotten, MemoryForgotten, MemoriesRecalled, SettingsChanged})
_ENTERS: dict[type, Callable[[dict[SessionId, Session], Any, Envelope], None]] = {
    EpisodeRecorded: _say,
    SessionStarted: _start,
    SessionCompleted: _complete,
}
