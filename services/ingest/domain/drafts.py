"""Turns what was decided into numbered, named events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from services.ingest.domain.state import ScopeState
from shared.contracts.envelope import Actor, Envelope, EventData
from shared.contracts.ids import CommandId, EventNumber, MemoryId, Scope, Space, User
from shared.domain.digests import Digester, event_id, memory_id


@dataclass(frozen=True, slots=True)
class Circumstances:
    """Everything about a command beside its content."""

    space: Space
    user: User
    scope: Scope
    what: str
    command_id: CommandId
    correlation_id: str
    now: datetime  # when the server took the command: the same for every try to decide it
    actor: Actor
    digester: Digester

    def of_turn(self, what: str, command_id: CommandId) -> Circumstances:
        """The circumstances of one turn of an import: as if it had been sent by itself."""
        return replace(self, what=what, command_id=command_id)

    def memory_id(self, prefix: str, index: int) -> MemoryId:
        """The id of the memory that the event at `index` of this command makes."""
        return memory_id(prefix, event_id(self.scope, self.what, self.command_id, index))


@dataclass(frozen=True, slots=True)
class Draft:
    """An event that was decided, before it is numbered."""

    data: EventData
    occurred_at: datetime


def seal(drafts: Sequence[Draft], state: ScopeState, given: Circumstances) -> list[Envelope]:
    """Number the events after the scope's last one, and name each after its command and index."""
    return [
        Envelope(
            event_id=event_id(given.scope, given.what, given.command_id, index),
            type=draft.data.event_type,
            version=draft.data.event_version,
            space=given.space,
            user=given.user,
            number=EventNumber(state.number + 1 + index),
            occurred_at=draft.occurred_at,
            recorded_at=given.now,
            actor=given.actor,
            correlation_id=given.correlation_id,
            causation_id=given.command_id,
            data=draft.data,
        )
        for index, draft in enumerate(drafts)
    ]
