"""Turns what was decided into numbered, named events."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from services.ingest.domain.everything import Everything
from services.ingest.domain.policy import SHIPPED, Policy
from services.ingest.domain.recollection import Recollection
from services.ingest.domain.state import Fold, ScopeState
from shared.contracts.envelope import Actor, Envelope
from shared.contracts.event import EventData
from shared.contracts.ids import CommandId, EventNumber, MemoryId, Scope, Space, User
from shared.domain.digests import Digester, event_id, memory_id


class Circumstances(NamedTuple):
    """Everything about a command beside its content. A tuple, for each turn of an import has its own."""

    space: Space
    user: User
    scope: Scope
    what: str
    command_id: CommandId
    correlation_id: str
    now: datetime  # when the server took the command: the same for every try to decide it
    actor: Actor
    digester: Digester
    policy: Policy = SHIPPED
    words: Recollection | None = None  # of what is remembered, where the decision takes them
    everything: Everything | None = None  # what must survive of all that is known, where the decision takes it
    turn_ids: Sequence[CommandId] | None = None  # of an import, each turn as a command of its own, where they are known

    def recollected(self) -> Recollection:
        """The words of what is remembered."""
        assert self.words is not None  # noqa: S101 - whoever decides such a command reads them first
        return self.words

    def all_known(self) -> Everything:
        """What must survive of all that is known."""
        assert self.everything is not None  # noqa: S101 - whoever decides such a command looks it up first
        return self.everything

    def of_turn(self, what: str, command_id: CommandId) -> Circumstances:
        """The circumstances of one turn of an import: as if it had been sent by itself."""
        return Circumstances(  # half of what `_replace` takes
            self.space,
            self.user,
            self.scope,
            what,
            command_id,
            self.correlation_id,
            self.now,
            self.actor,
            self.digester,
            self.policy,
        )

    def memory_id(self, prefix: str, index: int) -> MemoryId:
        """The id of the memory that the event at `index` of this command makes."""
        return memory_id(prefix, event_id(self.scope, self.what, self.command_id, index))


class Draft(NamedTuple):
    """An event that was decided, before it is numbered."""

    data: EventData
    occurred_at: datetime


def seal(drafts: Sequence[Draft], state: ScopeState, given: Circumstances) -> list[Envelope]:
    """Number the events after the scope's last one, and name each after its command and index."""
    return [_sealed(draft, index, state.number + 1 + index, given) for index, draft in enumerate(drafts)]


class Pending:
    """The events of one command while they are decided; `state` follows each of them, `names_before` does not."""

    def __init__(self, state: ScopeState, given: Circumstances) -> None:
        self.given = given
        self.events: list[Envelope] = []
        self.state = state
        self.names_before = state.names
        self.fold = Fold(state)

    def add(self, data: EventData, occurred_at: datetime | None = None) -> None:
        """Decide one more event. What has no time of its own happened when the command was taken."""
        draft = Draft(data, occurred_at or self.given.now)
        self.follow([_sealed(draft, len(self.events), self.state.number + 1, self.given)])

    def follow(self, events: Sequence[Envelope]) -> None:
        """Take events as decided that were numbered already."""
        for event in events:
            self.events.append(event)
            self.fold.add(event, position=0, digester=self.given.digester)
        self.state = self.fold.state

    def new_memory_id(self, prefix: str) -> MemoryId:
        """The id of the memory that the next event makes."""
        return self.given.memory_id(prefix, len(self.events))


Ruling = Pending | list[Envelope]
"""What a rule comes to: events, or events with the state that they lead to."""


def _sealed(draft: Draft, index: int, number: int, given: Circumstances) -> Envelope:
    return Envelope.of_valid(
        event_id=event_id(given.scope, given.what, given.command_id, index),
        type=draft.data.event_type,
        version=draft.data.event_version,
        space=given.space,
        user=given.user,
        number=EventNumber(number),
        occurred_at=draft.occurred_at,
        recorded_at=given.now,
        actor=given.actor,
        correlation_id=given.correlation_id,
        causation_id=given.command_id,
        data=draft.data,
    )
