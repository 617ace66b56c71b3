"""An event on its way to the log."""

from collections.abc import Mapping
from typing import NamedTuple, Self

from shared.contracts.envelope import Envelope
from shared.contracts.ids import EventId, Scope, Slot
from shared.contracts.subjects import memory_subject
from shared.runtime.topology import MEMORY

ID_HEADER = "Nats-Msg-Id"
"""Of each event of the log: its id."""


class Expected(NamedTuple):
    """The version that a decision was based on."""

    subject: str  # filter over the scope's events
    position: int  # of its last event; 0: it has none


class NewEvent(NamedTuple):
    """An event to append."""

    subject: str
    event_id: EventId
    data: bytes
    expected: Expected | None = None  # on the first event of each scope in a batch
    headers: Mapping[str, str] = {}
    names: bool = False  # whether it names its person, and so may be sealed

    @classmethod
    def of(
        cls, event: Envelope, *, slot: Slot, scope: Scope, expected: Expected | None = None, headers: Mapping[str, str] = {}
    ) -> Self:
        """An event of a scope."""
        subject = memory_subject(slot, scope, event.type)
        return cls(subject, event.event_id, event.encode(), expected, headers, names=bool(event.user))

    def all_headers(self) -> dict[str, str]:
        """The headers that make the append safe, and the caller's."""
        headers = {ID_HEADER: self.event_id, "Nats-Expected-Stream": MEMORY}
        if self.headers:
            headers.update(self.headers)
        if self.expected is not None:
            headers["Nats-Expected-Last-Subject-Sequence"] = str(self.expected.position)
            headers["Nats-Expected-Last-Subject-Sequence-Subject"] = self.expected.subject
        return headers
