"""What every command has."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, ClassVar, Literal

from pydantic import Field

from .content import ids_of
from .contract import Contract, name_by_class
from .ids import MemoryId, MessageId, SessionId


class Channel(StrEnum):
    """Which of the two subjects a command comes on; the server's accounts guard `work`."""

    SEND = "send"
    WORK = "work"


class Command(Contract):
    """What every command has."""

    what: ClassVar[str]
    """The last token of its subject: the name of its class."""
    channel: ClassVar[Channel] = Channel.SEND
    sender: ClassVar[str] = "bots, people and agents"
    is_of_installation: ClassVar[bool] = False
    """Whether it concerns nobody: its subject has `%` in place of the space and the user."""
    can_wait: ClassVar[bool] = False
    """Whether nobody who is there waits for it, as of the past or of a job: ingest decides it when nothing else is to be."""
    stands_for: ClassVar[str | None] = None
    """The field that is its `content`. The event that it leads to tells the same, so that it is known after a rebuild."""
    compares_with_recalls: ClassVar[bool] = False
    """Whether deciding it takes what recent recalls handed out, for certain."""

    version: Literal[1] = Field(default=1, description="Version of this payload; leave it out for 1.")
    message_id: MessageId | None = Field(
        default=None,
        min_length=1,
        max_length=256,
        description="Makes sending idempotent, for ever, within (space, user, what); with other words or aims it is refused.",
    )

    def __init_subclass__(cls, **options: Any) -> None:  # noqa: ANN401 - pydantic's own
        super().__init_subclass__(**options)
        name_by_class(cls, "what")

    @property
    def content(self) -> str | None:
        """What the same message_id must always stand for; null: a later one is a repeat if nothing is left to do."""
        return getattr(self, self.stands_for) if self.stands_for else None

    @property
    def sessions(self) -> Iterable[SessionId]:
        """The sessions that it names: what is known of them is looked up for its decision."""
        return ids_of(self, SessionId)

    @property
    def memories(self) -> Iterable[MemoryId]:
        """The memories that it names: what is known of them is looked up for its decision."""
        return ids_of(self, MemoryId)


class OfMemory(Command):
    """A command about one memory."""

    stands_for = "memory_id"

    memory_id: MemoryId = Field(min_length=1, max_length=64, description="The memory, as a search or a context names it.")
