"""What ingest knows of one scope, and how an event changes it."""

import re
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from services.ingest.domain.doubts import Conflicts
from services.ingest.domain.echoes import HandedOut, after_recall, is_recent
from services.ingest.domain.lacks import Aspect, Lacks, Needs
from services.ingest.domain.learned import Learned
from services.ingest.domain.likeness import Likeness
from services.ingest.domain.memories import Excess, Fact, KnownMemory, Status
from services.ingest.domain.names import Called, Naming
from services.ingest.domain.private import Privacy, after
from services.ingest.domain.recollection import Recollection, asks
from services.ingest.domain.seen import SeenCommand, seen_after
from services.ingest.domain.survivors import Survivors
from shared.contracts.envelope import Envelope
from shared.contracts.events import (
    CommandRejected,
    EpisodeRecorded,
    MemoriesRecalled,
    SessionCompleted,
    SessionConsolidated,
    SessionStarted,
)
from shared.contracts.ids import CommandId, MemoryId, SessionId
from shared.contracts.parts import Role
from shared.contracts.preferences import PersonSettings, SettingsChanged
from shared.contracts.privacy import MemoryForgotten, UserForgotten
from shared.domain.aliases import TypedName
from shared.domain.digests import Digester

NO_SETTINGS = PersonSettings()


class KnownSession(NamedTuple):
    """What is known of a session."""

    is_open: bool
    user_spoke: bool
    turns: int  # since it was started or resumed
    last_occurred_at: datetime
    last_recorded_at: datetime  # of its last turn: whether it is idle is told by our own clock, not by the bot's
    completed: int = 0  # number of its last session_completed
    consolidated: int = 0  # of the session_completed up to which it is learned from
    is_asked: bool = False  # its last turn is a question of the bot's
    number: int = 0  # of an event that names it
    position: int = 0  # of that event


@dataclass(frozen=True, slots=True)
class ScopeState:
    """What was looked up of a scope, for decisions. Asked for anything else, it raises Lacks."""

    number: int = 0  # of the last event
    position: int = 0  # of the last event: the expected version
    sessions: dict[SessionId, KnownSession] = field(default_factory=dict)  # all that are open among them, but for `unnamed`
    seen: dict[CommandId, SeenCommand] = field(default_factory=dict)
    memories: dict[MemoryId, KnownMemory] = field(default_factory=dict)
    handed_out: Mapping[MemoryId, HandedOut] | None = field(default_factory=dict)  # by recent recalls
    facts: dict[MemoryId, Fact] = field(default_factory=dict)
    likenesses: dict[MemoryId, Likeness] = field(default_factory=dict)  # of facts that may say what is told now
    live: int = 0  # facts that are neither retired nor superseded
    excess: Excess | None = None  # what was reported last, while it lasts
    conflicts: Conflicts = field(default_factory=dict)  # all of them
    settings: PersonSettings = NO_SETTINGS
    privacy: Privacy = field(default_factory=Privacy)
    names: AbstractSet[TypedName] = field(default=frozenset(), compare=False)  # that events mentioned
    called: dict[MemoryId, Called] = field(default_factory=dict, compare=False)  # of facts that may say what is told now
    recollection: Recollection | None = field(default=None, compare=False)
    surviving: Survivors | None = field(default=None, compare=False)
    passages: Mapping[MemoryId, bytes] = field(default_factory=dict, compare=False)  # of what was handed out
    known: Needs | None = field(default=None, compare=False)  # what was looked up; None: there is nothing more to know
    unnamed: tuple[int, ...] = field(default=(), compare=False)  # where the log names open sessions whose ids are not at hand

    @property
    def open_sessions(self) -> dict[SessionId, KnownSession]:
        """The sessions that are not completed."""
        return {session_id: session for session_id, session in self.sessions.items() if session.is_open}

    def require(self, needs: Needs) -> None:
        """Raise Lacks if any of these needs was not looked up."""
        if self.known is not None and (lacking := needs.beyond(self.known)):
            raise Lacks(lacking)

    def is_live(self, memory_id: MemoryId) -> bool:
        """True for a memory that is known and neither superseded nor retired."""
        memory = self.memories.get(memory_id)
        return memory is not None and memory.status is Status.LIVE

    def is_incognito(self, session_id: SessionId) -> bool:
        """True if nothing of this session is kept. Raises Lacks."""
        if self.known is not None and session_id not in self.known.sessions:
            raise Lacks(Needs(sessions={session_id}))
        return session_id in self.privacy.incognito

    def recently_handed_out(self) -> Mapping[MemoryId, HandedOut]:
        """The memories that recent recalls handed out. Raises Lacks."""
        if self.handed_out is None:
            raise Lacks(Needs(aspects={Aspect.HANDED_OUT}))
        return self.handed_out

    def quotable(self, now: datetime) -> dict[MemoryId, HandedOut]:
        """What was handed out so recently that its echo is recognised, with its passages. Raises Lacks."""
        recent = {memory_id: one for memory_id, one in self.recently_handed_out().items() if is_recent(one, at=now)}
        if not recent:
            return recent
        self.require(Needs(passages={memory_id for memory_id, one in recent.items() if not one.shingles}))
        return {
            memory_id: one if one.shingles else one._replace(shingles=self.passages.get(memory_id, b""))
            for memory_id, one in recent.items()
        }

    def words(self) -> Recollection:
        """The memories of the person with their text. Raises Lacks."""
        if self.recollection is None:
            raise Lacks(Needs(aspects={Aspect.WORDS}))
        return self.recollection

    def survivors(self) -> Survivors:
        """What must survive when the whole person is forgotten. Raises Lacks."""
        if self.surviving is None:
            raise Lacks(Needs(aspects={Aspect.SURVIVORS}))
        return self.surviving

    def rivals(self) -> list[MemoryId]:
        """The live facts that could be trimmed: neither pinned nor saved by hand. Raises Lacks."""
        self.require(Needs(aspects={Aspect.RIVALS}))
        return [
            memory_id
            for memory_id, fact in self.facts.items()
            if not fact.manually_saved and (memory := self.memories[memory_id]).status is Status.LIVE and not memory.pinned
        ]


NOTHING_RECORDED = ScopeState(recollection=Recollection(), surviving=Survivors())
"""The state of a scope without events. All of it is known, and stays so while events are folded in."""

_COMMAND_ID = re.compile(r"[0-9a-f]{32}")


class Fold:
    """Folds events into a state. Its maps are copied once, however many events there are."""

    def __init__(self, state: ScopeState) -> None:
        self.number, self._position = state.number, state.position
        self._sessions = state.sessions.copy()
        self._handed_out, self._settings = state.handed_out, state.settings
        self._privacy = state.privacy
        self._seen = state.seen.copy()
        self._learned = Learned(
            memories=state.memories.copy(),
            facts=state.facts.copy(),
            likenesses=state.likenesses.copy(),
            live=state.live,
            excess=state.excess,
            conflicts=state.conflicts,
        )
        self._naming = Naming(state.names, state.called)
        self._recollection = state.recollection.copy() if state.recollection else None
        self._surviving = state.surviving
        self._passages, self._known = state.passages, state.known

    @property
    def state(self) -> ScopeState:
        """The state so far, valid until the next event, for its maps are those of the fold."""
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
            learned.conflicts,
            self._settings,
            self._privacy,
            self._naming.names,
            self._naming.called,
            self._recollection,
            self._surviving,
            self._passages,
            self._known,
        )

    def add(self, event: Envelope, *, position: int, digester: Digester) -> None:
        """Fold one event in. `position` is 0 while the event is decided and not yet appended. Raises Lacks."""
        self.number, self._position = event.number, position
        kind = type(event.data)
        if kind is CommandRejected:  # the same message_id may come again, corrected
            return
        known = len(self._learned.memories)
        self._privacy = after(self._privacy, event)
        if kind in _SELDOM:
            self._change(event)
        causation, correlation = event.causation_id, event.correlation_id
        self._seen[causation] = seen_after(self._seen.get(causation), event, position=position, digester=digester)
        if correlation != causation and _COMMAND_ID.fullmatch(correlation):
            self._seen[CommandId(correlation)] = SeenCommand(event.number, position)  # the import that the turn came with
        if enter := _ENTERS.get(kind):
            enter(self._sessions, event.data, event, position)
        self._learned.add(event, position=position, digester=digester)
        self._naming.add(event, digester)
        if self._recollection:
            self._recollection.add(event)
        if self._surviving:
            added = len(self._learned.memories) - known
            self._surviving = self._surviving.after(event, self._seen[event.causation_id], added=added)

    def _change(self, event: Envelope) -> None:
        data = event.data
        if isinstance(data, UserForgotten):
            self._forget_all()
        elif isinstance(data, MemoryForgotten):
            gone = frozenset(data.memory_ids)
            self._learned.drop(gone)
            self._naming.drop(gone)
            if self._handed_out:
                self._handed_out = {memory_id: one for memory_id, one in self._handed_out.items() if memory_id not in gone}
        elif isinstance(data, MemoriesRecalled):
            known = self.state.recently_handed_out()
            self._handed_out = after_recall(known, data, number=event.number, recorded_at=event.recorded_at)
        elif isinstance(data, SettingsChanged):
            self._settings = data.settings
            if data.settings.soft_cap != data.before.soft_cap:
                self._learned.excess = None  # what was reported was about another cap

    def _forget_all(self) -> None:
        """Drop everything that came before, as the whole person is forgotten."""
        self._sessions, self._seen, self._handed_out, self._settings, self._known = {}, {}, {}, NO_SETTINGS, None
        self._learned = Learned(memories={}, facts={}, likenesses={}, live=0, excess=None, conflicts={})
        self._naming = Naming(frozenset(), {})


def _say(sessions: dict[SessionId, KnownSession], data: EpisodeRecorded, event: Envelope, position: int) -> None:
    session = sessions.get(data.session_id) or _started(None, event, position)
    sessions[data.session_id] = session._replace(
        is_open=True,
        turns=session.turns + 1,
        user_spoke=session.user_spoke or data.role is Role.USER,
        last_occurred_at=max(session.last_occurred_at, event.occurred_at),
        last_recorded_at=max(session.last_recorded_at, event.recorded_at),
        is_asked=data.role is Role.ASSISTANT and asks(data.text),
    )


def _start(sessions: dict[SessionId, KnownSession], data: SessionStarted, event: Envelope, position: int) -> None:
    sessions[data.session_id] = _started(sessions.get(data.session_id), event, position)


def _complete(sessions: dict[SessionId, KnownSession], data: SessionCompleted, event: Envelope, _: int) -> None:
    if data.session_id in sessions:  # of one that was forgotten nothing is known
        sessions[data.session_id] = sessions[data.session_id]._replace(is_open=False, completed=event.number)


def _consolidate(sessions: dict[SessionId, KnownSession], data: SessionConsolidated, _: Envelope, __: int) -> None:
    if data.session_id in sessions:
        session = sessions[data.session_id]
        sessions[data.session_id] = session._replace(consolidated=max(session.consolidated, data.through_number))


def _started(known: KnownSession | None, event: Envelope, position: int) -> KnownSession:
    if known is not None:
        return known._replace(is_open=True, turns=0, number=event.number, position=position)
    return KnownSession(
        is_open=True,
        user_spoke=False,
        turns=0,
        last_occurred_at=event.occurred_at,
        last_recorded_at=event.recorded_at,
        number=event.number,
        position=position,
    )


_SELDOM = frozenset({UserForgotten, MemoryForgotten, MemoriesRecalled, SettingsChanged})
_ENTERS: dict[type, Callable[[dict[SessionId, KnownSession], Any, Envelope, int], None]] = {
    EpisodeRecorded: _say,
    SessionStarted: _start,
    SessionCompleted: _complete,
    SessionConsolidated: _consolidate,
}
