"""The envelope of every event in the log, with each of its fields explained, and its way into the log."""

from datetime import datetime

from pydantic import Field, SerializeAsAny, field_validator

from .contract import Contract, Utc
from .event import EventData
from .ids import CommandId, EventId, EventNumber


class Actor(Contract):
    """Who caused an event: the authenticated channel, and the name that was claimed on it."""

    channel: str = Field(description="`send` for bots, people and agents; `work` for services. Set by the server's accounts.")
    name: str | None = Field(default=None, max_length=128, description="As claimed by the sender; not verified.")


class Envelope(Contract):
    """One event with everything that is true of all events."""

    event_id: EventId = Field(
        description="Hash of (scope, what, command id, index); also the Nats-Msg-Id: a retry cannot double."
    )
    type: str = Field(description="The event's name, in the past tense.")
    version: int = Field(ge=1, description="Version of `data`; older ones are lifted to the newest by the upcasters.")
    space: str = Field(description="The namespace, decoded.")
    user: str = Field(description="The person who is remembered, decoded.")
    number: EventNumber = Field(ge=1, description="The scope's own gapless counter; a reader notices a lost event by it.")
    occurred_at: Utc = Field(description="When it happened, as the sender says; else when it was sent.")
    recorded_at: Utc = Field(description="When the server took the command that caused it: when we learned it.")
    actor: Actor = Field(description="Who caused it.")
    correlation_id: str = Field(description="The same for everything that followed from one message of the outside.")
    causation_id: CommandId = Field(description="The command that was decided.")
    data: SerializeAsAny[EventData] = Field(description="What the event says; its model is found by `type`.")

    @property
    def is_of_person(self) -> bool:
        """True for an event of a space. Of the installation itself there are such that name none."""
        return bool(self.space)

    @property
    def told_at(self) -> datetime:
        """When the event happened, and no later than we learned of it, however far a sender's clock runs ahead."""
        return min(self.occurred_at, self.recorded_at)

    @field_validator("data", mode="before")
    @classmethod
    def _only_decoded(cls, value: object) -> object:
        if not isinstance(value, EventData):
            msg = "decode an event with shared.contracts.events.decode, which knows the type of its data"
            raise ValueError(msg)  # noqa: TRY004 - pydantic turns ValueError into a validation error
        return value

    def encode(self) -> bytes:
        """The JSON that goes into the log, UTF-8."""
        return self.__pydantic_serializer__.to_json(self)  # as `model_dump_json`, which makes a string of it first
