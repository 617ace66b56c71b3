"""Reflections: what a week of a person comes to in a few sentences. Their command and event, and how a context shows one.

Source: ../reference/memory-system.md, "memory_reflection" and "Weekly reflection".
"""

from typing import ClassVar

from pydantic import Field

from .command import Channel, Command
from .content import SourceId, Trace
from .contract import Contract, Utc
from .event import EventData
from .ids import MemoryId
from .learning import TokensSpent
from .parts import Kind, Origin, Text

WEEKLY = "weekly"
MAX_REFLECTION_SOURCES = 200


class SaveReflection(Command):
    """What a person's recent facts and conversations come to. Of those with the same message_id the first counts."""

    channel = Channel.WORK
    sender = "maintenance"
    can_wait = True

    text: Text = Field(description="A few sentences, which say nothing that the sources do not.")
    source_ids: tuple[MemoryId, ...] = Field(
        min_length=1, max_length=MAX_REFLECTION_SOURCES, description="The facts and turns that it rests on."
    )
    made_by: Origin = Field(description="What wrote it: `extractive/<version>` chose sentences, `llm` wrote.")
    occurred_at: Utc = Field(description="The end of the time that it tells of.")
    renews: MemoryId | None = Field(
        default=None, min_length=1, max_length=64, description="The forgotten reflection that it is written anew for."
    )
    tokens: TokensSpent | None = Field(default=None, description="What it cost, where a model was asked.")


class ReflectionRecorded(EventData):
    """What a person's recent facts and conversations come to. It does not decay, and goes with any of its sources."""

    caused_by: ClassVar = ("save_reflection", "import_memories")
    stands_for = "text"
    makes = Kind.REFLECTION
    is_exported = True
    read_by: ClassVar = {
        "ingest": "a memory; the id is seen",
        "retriever": "a memory",
        "consolidator": "what it cost",
        "maintenance": "when it was written last; a memory to embed; what it cost",
    }

    memory_id: MemoryId
    text: Text
    source_ids: tuple[SourceId, ...] = Field(description="The facts and turns that it rests on.")
    tags: tuple[Trace, ...] = Field(default=(WEEKLY,), description="`weekly`.")
    made_by: Origin = Field(description="What wrote it: `extractive/<version>` chose sentences, `llm` wrote.")
    renews: MemoryId | None = Field(default=None, description="The forgotten reflection that it is written anew for.")
    tokens: TokensSpent | None = Field(default=None, description="What it cost, where a model was asked.")

    @property
    def named(self) -> tuple[MemoryId, ...]:
        """The reflection; the one that it is written anew for is no more."""
        return (self.memory_id,)


class LostSummary(Contract):
    """A reflection that is forgotten: one that went because of a source is to be written anew from those that are left."""

    memory_id: MemoryId
    kind: Kind
    occurred_at: Utc = Field(description="The end of the time that it told of.")
    source_ids: tuple[MemoryId, ...] = Field(description="Those of its sources that are left; none: it is not written anew.")


class Insight(Contract):
    """The latest reflection, as a context shows it."""

    memory_id: MemoryId
    text: str
    occurred_at: Utc = Field(description="The end of the time that it tells of.")
    source_ids: tuple[str, ...] = Field(default=(), description="The facts and turns that it rests on.")
    is_chosen: bool = Field(description="True: sentences of the sources, chosen and ordered; false: a model wrote it.")
