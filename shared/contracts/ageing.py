"""Ageing and retention: many old memories in one text, and the end of those that it stands for.

Source: ../reference/memory-upgrade-spec.md, "Background Workers", "Security & Privacy Considerations".
"""

from typing import ClassVar

from pydantic import Field

from .command import Channel, Command
from .content import SourceId, Trace
from .contract import Utc
from .event import EventData
from .ids import MemoryId
from .learning import TokensSpent
from .parts import Identifier, Kind, Origin, Text

MOST_SOURCES = 64
MOST_ERASED = 100


class SaveRollup(Command):
    """These memories are old, little used and about one topic: this text stands for them from now on.

    It is refused where one of them is known no more, or is to be kept as it is.
    """

    channel = Channel.WORK
    sender = "maintenance"
    can_wait = True

    text: Text = Field(description="What they say, in short.")
    source_ids: tuple[MemoryId, ...] = Field(
        min_length=2, max_length=MOST_SOURCES, description="The memories that it stands for."
    )
    tags: tuple[Identifier, ...] = Field(default=(), max_length=32, description="The topics that they share.")
    first_at: Utc = Field(description="When the earliest of them was said.")
    last_at: Utc = Field(description="When the latest of them was said.")
    origin: Origin = Field(description="What wrote the text; its `run_id` can be undone.")
    tokens: TokensSpent | None = Field(default=None, description="What it cost, where a model was asked.")

    @property
    def content(self) -> None:
        """Whatever was written first counts."""
        return


class EraseRolledUp(Command):
    """The time is over for which memories are kept that a roll-up stands for: forget these, and leave the roll-up.

    Those that are pinned, saved by hand, confirmed, restored or younger stay.
    """

    channel = Channel.WORK
    sender = "maintenance"
    can_wait = True

    memory_ids: tuple[MemoryId, ...] = Field(min_length=1, max_length=MOST_ERASED, description="The memories.")
    before: Utc = Field(description="Those that were rolled up at this moment or earlier.")

    @property
    def content(self) -> None:
        """What is left of them to erase counts."""
        return


class MemoryRolledUp(EventData):
    """One text stands for several old memories, each of which a `memory_retired` in the same batch takes out of the context.

    Undone by restoring those.
    """

    caused_by: ClassVar = ("save_rollup", "import_memories")
    stands_for = None
    makes = Kind.ROLLUP
    is_exported = True
    read_by: ClassVar = {
        "ingest": "a memory, and what it stands for",
        "retriever": "a memory",
        "maintenance": "a memory to embed; which memories it stands for",
    }

    memory_id: MemoryId
    text: Text
    source_ids: tuple[SourceId, ...] = Field(min_length=1, description="The memories that it stands for.")
    tags: tuple[Trace, ...] = Field(default=(), description="The topics that they share.")
    importance: float = Field(default=0.5, ge=0, le=1)
    confidence: float = Field(default=1.0, ge=0, le=1)
    first_at: Utc = Field(description="When the earliest of them was said.")
    last_at: Utc = Field(description="When the latest of them was said.")
    origin: Origin = Field(description="What wrote the text.")
    tokens: TokensSpent | None = Field(default=None, description="What it cost, where a model was asked.")
