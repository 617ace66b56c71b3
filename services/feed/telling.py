"""Turns an event of the log into one for the readers of its space."""

from shared.contracts.event import EventData
from shared.contracts.following import FollowedEvent
from shared.contracts.ids import Space
from shared.contracts.privacy import MemoryForgotten, UserForgotten
from shared.contracts.subjects import encode_token
from shared.domain.digests import Digester
from shared.domain.sealing import Seal
from shared.runtime.projector import Recorded


class Teller:
    """Tells events of one space: positions sealed, for the log's own tell how much happens in other spaces."""

    def __init__(self, space: Space, digester: Digester) -> None:
        self._seal = Seal("position", encode_token(space), digester)

    def told(self, recorded: Recorded) -> FollowedEvent:
        """The event, without the keyed hashes by which memstream alone recognises what was forgotten."""
        event = recorded.event.model_copy(update={"data": _without_hashes(recorded.event.data)})
        return FollowedEvent.at(self.sealed(recorded.position), recorded.scope, event)

    def sealed(self, position: int) -> int:
        """A position as readers may know it; 0, before everything, stays so."""
        return self._seal.sealed(position) if position else 0

    def opened(self, position: int) -> int:
        """The position that was sealed. Raises Malformed."""
        return self._seal.opened(position) if position else 0


def _without_hashes(data: EventData) -> EventData:
    match data:
        case MemoryForgotten():
            return data.model_copy(update={"commands": "", "values": "", "tombstones": ()})
        case UserForgotten():
            return data.model_copy(update={"commands": "", "values": ""})
        case _:
            return data
