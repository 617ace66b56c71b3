"""Events that ingest records itself, about forgettings: the end of their grace, and receipts."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Protocol, TypeAlias

from services.ingest.domain.state import ScopeState
from shared.contracts.envelope import Actor, Envelope
from shared.contracts.ids import CommandId, EventNumber, Scope, Slot
from shared.contracts.privacy import ForgettingCompleted, GraceEnded
from shared.domain.digests import event_id
from shared.runtime.projector import Recorded

OwnEvents: TypeAlias = Callable[[ScopeState, datetime], Sequence[Envelope]]
"""Makes the next events of a scope, given its state and the time; none if they were recorded already, or are void."""


class OwnRecorder(Protocol):
    """Port to a lane, which alone appends to the log."""

    async def record(self, scope: Scope, slot: Slot, make: OwnEvents, known: Sequence[Recorded] = ()) -> None:
        """Append what `make` returns, and make the scope's rows anew where it asks for that.

        `known`: events that the log holds of the scope, perhaps without the latest. Raises Unavailable or VersionConflict: try
        again.
        """
        ...

    async def catch_up(self) -> None:
        """Apply the log to its end. Raises Unavailable."""
        ...

    def has_decided(self, scope: Scope, slot: Slot, sequence: int) -> bool:
        """True if a message of this scope is decided."""
        ...

    @property
    def decided(self) -> Mapping[Slot, int]:
        """Sequence of the last decided message in SEND, by slot; later ones must not be erased."""
        ...


def own_event(forgotten: Envelope, data: ForgettingCompleted | GraceEnded, *, number: int, now: datetime) -> Envelope:
    """An event about a forgetting. It names the user only if the forgetting does."""
    name = event_id(Scope(forgotten.event_id), data.event_type, CommandId(data.forget_id), 0)
    return forgotten.model_copy(
        update={
            "event_id": name,
            "type": data.event_type,
            "version": data.event_version,
            "number": EventNumber(number),
            "occurred_at": now,
            "recorded_at": now,
            "actor": Actor(channel="work", name="ingest"),
            "causation_id": CommandId(name),
            "data": data,
        }
    )
