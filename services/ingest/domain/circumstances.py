"""All that a decision depends on besides the command and the state."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from services.ingest.domain.policy import SHIPPED, Policy
from shared.contracts.envelope import Actor
from shared.contracts.ids import CommandId, EventId, MemoryId, Scope, Space, User
from shared.domain.digests import Digester, event_id, memory_id


class Circumstances(NamedTuple):
    """Everything about a command besides its content. A tuple, for each turn of an import has its own."""

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
    part_ids: Sequence[CommandId] = ()  # of turns or vectors that came together: each as a command of its own
    told_again: str = ""  # the message, where an earlier one had the same id and was erased, too short a time ago

    def of_part(self, what: str, command_id: CommandId) -> Circumstances:
        """The circumstances of one turn, record or vector of several, as if it had been sent by itself."""
        return self._replace(what=what, command_id=command_id, part_ids=())

    def memory_id(self, prefix: str, index: int) -> MemoryId:
        """The id of the memory that the event at `index` of this command makes."""
        return memory_id(prefix, self.event_id(index))

    def event_id(self, index: int) -> EventId:
        """The id of the event at `index` of this command: equal for every try."""
        return event_id(self.scope, self.what, CommandId(f"{self.command_id}{self.told_again}"), index)

    @property
    def forget_id(self) -> CommandId:
        """The id of the forgetting that this command asks for: its own, where no other had it."""
        return CommandId(self.event_id(0)) if self.told_again else self.command_id
