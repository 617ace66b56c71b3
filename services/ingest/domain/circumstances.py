"""All that a decision depends on besides the command and the state."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from services.ingest.domain.policy import SHIPPED, Policy
from shared.contracts.envelope import Actor
from shared.contracts.ids import CommandId, MemoryId, Scope, Space, User
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
    turn_ids: Sequence[CommandId] = ()  # of turns that came together: each as a command of its own

    def of_part(self, what: str, command_id: CommandId) -> Circumstances:
        """The circumstances of one turn or record of several, as if it had been sent by itself."""
        return self._replace(what=what, command_id=command_id, turn_ids=())

    def memory_id(self, prefix: str, index: int) -> MemoryId:
        """The id of the memory that the event at `index` of this command makes."""
        return memory_id(prefix, event_id(self.scope, self.what, self.command_id, index))
