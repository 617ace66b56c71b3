"""What a decision needs to know, and what one transaction writes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from services.ingest.domain.likeness import Likeness
from services.ingest.domain.names import Called
from services.ingest.domain.state import ScopeState
from shared.contracts.ids import CommandId, MemoryId, Scope, SessionId, Slot
from shared.contracts.privacy import ForgettingCompleted
from shared.domain.gaps import Range


class Aspect(Enum):
    """What is loaded whole, or not at all."""

    HANDED_OUT = "handed_out"  # by recent recalls


@dataclass(slots=True)
class Room:
    """Whether the soft cap may be exceeded: then all facts that could be trimmed must be known."""

    is_needed: bool = False
    added: int = 0  # facts that may become live
    default_cap: int = 0
    caps: set[int] = field(default_factory=set)  # that may come into force

    def add(self, other: Room) -> None:
        """Need as much as both."""
        self.is_needed |= other.is_needed
        self.added += other.added
        self.default_cap = max(self.default_cap, other.default_cap)
        self.caps.update(other.caps)

    def may_be_short(self, live: int, cap: int | None) -> bool:
        """Whether so many live facts, and those that may be added, exceed the person's cap, the default, or one to come."""
        return self.is_needed and live + self.added > min({self.default_cap if cap is None else cap, *self.caps})


Values = Callable[[], Iterable[bytes]]
"""Digests that are reckoned only of a person of whom anything was forgotten."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a decision or an event needs to know of a scope."""

    sessions: set[SessionId] = field(default_factory=set)
    commands: set[CommandId] = field(default_factory=set)
    memories: set[MemoryId] = field(default_factory=set)
    aspects: set[Aspect] = field(default_factory=set)
    told: dict[bytes, Likeness] = field(default_factory=dict)  # by digest: facts that say the same are looked for
    called: list[Called] = field(default_factory=list)  # facts that say the same under other names are looked for
    room: Room = field(default_factory=Room)
    values: list[Values] = field(default_factory=list)  # digests of words that may have been forgotten

    def add(self, other: Needs) -> None:
        """Need all of the other as well."""
        self.sessions.update(other.sessions)
        self.commands.update(other.commands)
        self.memories.update(other.memories)
        self.aspects.update(other.aspects)
        self.values.extend(other.values)
        self.told.update(other.told)
        self.called.extend(other.called)
        self.room.add(other.room)


class Decision(NamedTuple):
    """What one message of SEND came to."""

    sequence: int
    scope: Scope
    number: int
    position: int
    memory_id: str | None
    code: str | None  # why it was rejected, or not recorded
    is_unchanged: bool = False
    command_id: bytes | None = None  # where its sender named it
    lifted: bool = False  # whether it brought back what was forgotten


class Forgetting(NamedTuple):
    """A forgetting, from its event to its receipt; or what one of its events adds to it."""

    scope: Scope
    forget_id: str
    slot: Slot
    number: int  # of its last event
    forgotten_at: int  # microseconds since 1970
    memories: int
    events: int  # to erase
    completed_at: int | None
    receipt: str | None  # JSON


class Erasures(NamedTuple):
    """What events mean for the list of what is to be erased."""

    begun: Sequence[Forgetting] = ()
    gone: Mapping[Scope, Sequence[MemoryId]] = {}  # memories that are forgotten
    completed: Sequence[tuple[Scope, int, ForgettingCompleted]] = ()  # and when
    wiped: Collection[Scope] = ()  # whose rows go at once
    to_rebuild: Mapping[Scope, Slot] = {}  # whose rows are to be made anew
    restarted: Sequence[Scope] = ()  # whose earlier forgettings are forgotten too


@dataclass(frozen=True, slots=True)
class Changes:
    """Everything that one transaction writes."""

    before: Mapping[Scope, ScopeState]
    after: Mapping[Scope, ScopeState]
    slots: Sequence[Slot]
    position: int
    decided: Mapping[Slot, int] = field(default_factory=dict)
    decisions: Sequence[Decision] = ()
    gaps: Mapping[Scope, Sequence[Range]] = field(default_factory=dict)
    positions: Mapping[Scope, Mapping[int, int]] = field(default_factory=dict)  # of new events, by number
    erasures: Erasures = field(default_factory=Erasures)
