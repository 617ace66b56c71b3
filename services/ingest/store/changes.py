"""What a decision needs to know, and what one transaction writes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

from services.ingest.domain.state import ScopeState
from shared.contracts.ids import CommandId, MemoryId, Scope, SessionId, Slot


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

    def add(self, other: Needs) -> None:
        """Need all of the other as well."""
        self.sessions.update(other.sessions)
        self.commands.update(other.commands)
        self.memories.update(other.memories)
        self.aspects.update(other.aspects)


class Decision(NamedTuple):
    """What one message of SEND came to."""

    sequence: int
    scope: Scope
    number: int
    position: int
    memory_id: str | None
    code: str | None


@dataclass(frozen=True, slots=True)
class Changes:
    """Everything that one transaction writes."""

    before: Mapping[Scope, ScopeState]
    after: Mapping[Scope, ScopeState]
    slots: Sequence[Slot]
    position: int
    decided: Mapping[Slot, int] = field(default_factory=dict)
    decisions: Sequence[Decision] = ()
    missing: Sequence[tuple[Scope, int, int]] = ()
