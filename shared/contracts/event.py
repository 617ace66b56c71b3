"""What every event says of itself, once: what it holds, which memories it names, who reads it. Every list follows from here."""

from collections.abc import Mapping
from typing import Any, ClassVar

from .content import PERSONAL, Content, contents, ids_of, strings
from .contract import Contract, name_by_class
from .ids import MemoryId, SessionId
from .parts import Kind


class EventData(Contract):
    """What an event says. Its class names the type and the newest version; a test compares both with the golden files.

    What an event holds follows from the types of its fields (`shared.contracts.content`).
    """

    event_type: ClassVar[str]
    """The name of its class; a published one that is renamed says the old name here."""
    event_version: ClassVar[int] = 1
    caused_by: ClassVar[tuple[str, ...]] = ()
    """The commands whose decision appends it. Only ingest appends (law 1)."""
    stands_for: ClassVar[str | None] = None
    """The field that is its `content`."""
    makes: ClassVar[Kind | None] = None
    """The kind of the memory that begins with it, as its `memory_id`."""
    is_exported: ClassVar[bool] = False
    """Whether an export holds it. What makes a person's content is exported; vectors, recalls, refusals and traces are not."""
    goes_with_tag: ClassVar[bool] = False
    """Whether it is of no memory, but of a `tag`: with the last memory that has the tag it is erased."""
    read_by: ClassVar[Mapping[str, str]] = {}
    """The services that read it, and what each takes from it."""

    def __init_subclass__(cls, **options: Any) -> None:  # noqa: ANN401 - pydantic's own
        super().__init_subclass__(**options)
        name_by_class(cls, "event_type")

    @classmethod
    def is_personal(cls) -> bool:
        """True for an event that can hold words, names, vectors or sources of a memory, and so must go with the memory."""
        return not PERSONAL.isdisjoint(contents(cls))

    @classmethod
    def has_words(cls) -> bool:
        """True for an event that can hold what was said or is known."""
        return Content.WORDS in contents(cls)

    @property
    def content(self) -> str | None:
        """The `content` of the command that caused it, where the event tells: a message_id stands for it, for ever."""
        return getattr(self, self.stands_for) if self.stands_for else None

    @property
    def words(self) -> tuple[str, ...]:
        """What was said or is known, in the order of the fields."""
        return tuple(strings(self, Content.WORDS))

    @property
    def sources(self) -> frozenset[str]:
        """Ids of memories, or references outside, on which the memory of this event rests."""
        return frozenset(strings(self, Content.SOURCE))

    @property
    def subject(self) -> MemoryId | None:
        """The memory that it is about, where it is about one."""
        return getattr(self, "memory_id", None)

    @property
    def named(self) -> tuple[MemoryId, ...]:
        """The memories that its own fields name, each once."""
        return ids_of(self, MemoryId)

    @property
    def sessions(self) -> tuple[SessionId, ...]:
        """The sessions that its own fields name, each once."""
        return ids_of(self, SessionId)

    @property
    def owners(self) -> tuple[MemoryId, ...]:
        """The memories whose content it holds: with any of them it is erased. None where it holds nothing personal."""
        if not self.is_personal():
            return ()
        return self.named if self.subject is None else (self.subject,)
