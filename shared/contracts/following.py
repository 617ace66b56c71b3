"""What a reader of a space reads: its events, as pages that are requested on `read.`, and live on `events.`."""

from typing import Any, Self

from pydantic import Field

from .contract import Contract, Utc
from .envelope import Actor, Envelope
from .ids import CommandId, EventId, EventNumber, Scope

MAX_EVENTS = 1_000
LONGEST_WAIT_S = 25.0


class FollowedEvent(Contract):
    """An event of the log as readers of its space get it, of the newest version."""

    position: int = Field(
        description="Where it lies, for `after`. Store it as it comes: it can be given back, but neither compared nor counted."
    )
    scope: Scope = Field(
        description="Stands for this person in this space. Keep it with what you keep of them: `user_forgotten` names nobody."
    )
    event_id: EventId = Field(description="Its id, for ever the same.")
    type: str = Field(description="The event's name, in the past tense; docs/events.md has all.")
    version: int = Field(ge=1, description="Version of `data`.")
    space: str = Field(description="The namespace.")
    user: str = Field(description="The person who is remembered; empty in what forgets a person as a whole.")
    number: EventNumber = Field(
        ge=1, description="The person's own counter in this space; what was forgotten leaves gaps in it."
    )
    occurred_at: Utc = Field(description="When it happened, as the sender says; else when it was sent.")
    recorded_at: Utc = Field(description="When the server took the command that caused it.")
    actor: Actor = Field(description="Who caused it.")
    correlation_id: str = Field(description="The same for everything that followed from one message of the outside.")
    causation_id: CommandId = Field(description="The command that was decided.")
    data: dict[str, Any] = Field(description="What the event says, by `type`.")

    @classmethod
    def at(cls, position: int, scope: Scope, event: Envelope) -> Self:
        """An event of the log, at a position that its readers may know."""
        told = vars(event) | {"data": event.data.model_dump(mode="json")}
        return cls.of_valid(position=position, scope=scope, **told)


class EventsQuery(Contract):
    """The events of a space after a position, in the order of the log.

    What is forgotten is left out from the moment that it is, also as long as the forgetting can be taken back. Events that say
    what to drop (`memory_forgotten`, `user_forgotten`, `forgetting_taken_back`) come whatever `types` asks for.
    """

    after: int = Field(default=0, ge=0, description="A position that an event or an answer told; 0: from the beginning.")
    through: int | None = Field(default=None, ge=1, description="Such a position, beyond which nothing is read. Null: the end.")
    user: str | None = Field(default=None, min_length=1, description="Only of this person. Null: of all.")
    types: tuple[str, ...] = Field(default=(), max_length=64, description="Only these events. Empty: all.")
    limit: int = Field(default=500, ge=1, le=MAX_EVENTS, description="Most events of an answer; what is long makes them fewer.")
    wait_s: float = Field(
        default=0.0, ge=0, le=LONGEST_WAIT_S, description="Where there is nothing new: how long to wait for it, in seconds."
    )


class EventsAnswer(Contract):
    """A page of events."""

    events: tuple[FollowedEvent, ...]
    position: int = Field(description="`after` of the next page. Where no event was read, that of the query or later.")
    is_end: bool = Field(description="True: nothing more is there now.")
