"""What a decision needs to know, and what one transaction writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from services.ingest.domain.state import ScopeState
from shared.contracts.ids import CommandId, MemoryId, Scope, SessionId, Slot
from shared.contracts.privacy import ForgettingCompleted
from shared.domain.gaps import Range


class Aspect(Enum):
    """What is loaded whole, or not at all."""

    HANDED_OUT = "handed_out"  # by recent recalls


@dataclass(frozen=True, slots=True)
class Needs:
    """What a decision or an event needs to know of a scope."""

    sessions: set[SessionId] = field(default_factory=set)
    commands: set[CommandId] = field(default_factory=set)
    memories: set[MemoryId] = field(default_factory=set)
    aspects: set[Aspect] = field(default_factory=set)
    values: set[bytes] = field(default_factory=set)  # digests of words that may have been forgotten

    def add(self, other: Needs) -> None:
        """Need all of the other as well."""
        self.sessions.update(other.sessions)
        self.commands.update(other.commands)
        self.memories.update(other.memories)
        self.aspects.update(other.aspects)
        self.values.update(other.values)


class Decision(NamedTuple):
    """What one message of SEND came to."""

    sequence: int
    scope: Scope
    number: int
    position: int
    memory_id: str | None
    code: str | None


class Forgetting(NamedTuple):
    """A forgetting, from its event to its receipt."""

    scope: Scope
    forget_id: str
    slot: Slot
    number: int  # of its last event
    forgotten_at: int  # microseconds since 1970
    memories: int
    events: int  # to erase
    is_user: bool
    completed_at: int | None
    receipt: str | None  # JSON


class Erasures(NamedTuple):
    """What events mean for the list of what is to be erased."""

    begun: Sequence[Forgetting] = ()
    completed: Sequence[tuple[Scope, int, ForgettingCompleted]] = ()  # and when
    wiped: Sequence[Scope] = ()  # whose rows go at once
    refold: Mapping[Scope, Slot] = {}  # whose rows are to be made anew


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
    erasures: Erasures = Erasures()
