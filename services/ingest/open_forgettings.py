"""The forgettings of a scope that are to be erased and have no receipt yet, as its events tell them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from shared.contracts.envelope import Envelope
from shared.contracts.ids import MemoryId
from shared.contracts.privacy import (
    ForgettingCompleted,
    ForgettingTakenBack,
    GraceEnded,
    MemoryForgotten,
    UserForgotten,
)
from shared.runtime.projector import Recorded


@dataclass(slots=True)
class OpenForgetting:
    """A forgetting without a receipt, which nobody can take back any more."""

    forget_id: str
    event: Envelope  # its first
    sent: int = 0  # where the command lies in SEND
    through: int = 0
    numbers: set[int] = field(default_factory=set)
    memory_ids: set[MemoryId] = field(default_factory=set)
    waits: bool = False

    @property
    def size(self) -> int:
        """The number of events that the forgetting erases."""
        return self.through or len(self.numbers)

    @property
    def can_wait(self) -> bool:
        """True if no person asked for it: what has grown old is hidden, and forgotten at its time."""
        return isinstance(self.event.data, MemoryForgotten) and self.event.data.by == "retention"

    def takes(self, event: Envelope) -> bool:
        """True if the forgetting erases this event."""
        return event.number <= self.through or event.number in self.numbers

    def still_in(self, event: Envelope) -> bool:
        """True if this event still says something of what is forgotten."""
        return self.takes(event) or not self.memory_ids.isdisjoint(event.data.owners)


def unfinished(events: Sequence[Recorded]) -> list[OpenForgetting]:
    """The forgettings of these events that have no receipt among them, but for those that wait, or are taken back."""
    found: dict[str, OpenForgetting] = {}
    for recorded in events:
        data = recorded.event.data
        if isinstance(data, MemoryForgotten | UserForgotten):
            each = found.setdefault(data.forget_id, OpenForgetting(data.forget_id, recorded.event))
            each.sent = max(each.sent, recorded.sent_sequence)
            if isinstance(data, UserForgotten):
                each.through = max(each.through, data.through_number)
            else:
                each.numbers.update(data.numbers)
                each.memory_ids.update(data.memory_ids)
                each.waits = data.erase_at is not None
        elif isinstance(data, GraceEnded) and data.forget_id in found:
            found[data.forget_id].waits = False
        elif isinstance(data, ForgettingCompleted | ForgettingTakenBack):
            found.pop(data.forget_id, None)
    return [each for each in found.values() if not each.waits]
