"""Taking back what a consolidation run learned, or the recording of one fact: the command, and its own event.

Source: ../design/mission.md, "undo of a consolidation run by one command".
"""

from typing import ClassVar, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from .command import Command
from .content import Plain, SourceId, Trace
from .contract import MAX_NUMBER, Utc
from .event import EventData
from .ids import EventId, MemoryId
from .parts import Importance

MAX_RUN_CHARACTERS = 64


class Undo(Command):
    """Take back what a run did: what it made is retired, what that ended is live again, what it repeated counts as before.

    The session stays consolidated, so that it is not learned from again by itself. What is undone already stays so.
    """

    run_id: str | None = Field(
        default=None, min_length=1, max_length=MAX_RUN_CHARACTERS, description="The run, as `sessions` and `show` name it."
    )
    memory_id: MemoryId | None = Field(
        default=None,
        min_length=1,
        max_length=64,
        description="Instead of a run: one fact or roll-up, and what its recording ended.",
    )
    number: int | None = Field(
        default=None,
        ge=1,
        le=MAX_NUMBER,
        description="Of that fact only the time that it was told again by this event, as `show` names it.",
    )

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        _require_one(self.run_id, self.memory_id, self.number)
        return self


class Redo(Command):
    """Do again what was taken back of a run, a fact or a roll-up last, as far as nothing else was decided about it since.

    What is not undone stays as it is.
    """

    run_id: str | None = Field(
        default=None, min_length=1, max_length=MAX_RUN_CHARACTERS, description="The run, as `undo` had it."
    )
    memory_id: MemoryId | None = Field(
        default=None, min_length=1, max_length=64, description="Instead of a run: the fact or roll-up, as `undo` had it."
    )
    number: int | None = Field(
        default=None, ge=1, le=MAX_NUMBER, description="Of that fact the time it was told again, as `undo` had it."
    )

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        _require_one(self.run_id, self.memory_id, self.number)
        return self


def _require_one(run_id: str | None, memory_id: MemoryId | None, number: int | None) -> None:
    if (run_id is None) == (memory_id is None):
        raise PydanticCustomError("malformed", "name either run_id or memory_id")
    if number is not None and memory_id is None:
        raise PydanticCustomError("malformed", "number goes with memory_id")


class RepeatUndone(EventData):
    """A repeat of a fact is taken back: all that it had added is gone from the fact again."""

    caused_by: ClassVar = ("undo", "save_facts", "import_memories")
    is_exported = True
    read_by: ClassVar = {
        "ingest": "the fact's count, sources, tags and importance",
        "retriever": "the same; the words of that time go",
    }

    memory_id: MemoryId
    repeat: EventId = Field(description="The `memory_repeated` that is taken back.")
    repeat_count: int = Field(ge=0, description="How often it was told again, without that time.")
    told_at: Utc = Field(description="When it was told last, but for that time.")
    removed_source_ids: tuple[SourceId, ...] = Field(default=(), description="Sources that it had only from that time.")
    removed_tags: tuple[Trace, ...] = Field(default=(), description="Tags that it had only from that time.")
    importance: Importance = Field(description="As before that time, where nothing has changed it since.")
    importance_before: float = Field(ge=0, le=1)


class OutdatingUndone(EventData):
    """What a `fact_outdated` said to have ended holds again."""

    caused_by: ClassVar = ("undo", "restore", "save_facts", "import_memories")
    is_exported = True
    read_by: ClassVar = {"ingest": "which slots hold", "retriever": "the same"}

    memory_id: MemoryId = Field(description="The fact that was outdated in part.")
    outdated_by: MemoryId = Field(description="The newer fact.")
    slots: tuple[int, ...] = Field(min_length=1, description="Those of the old fact that hold again, by their places from 0.")


class RunUndone(EventData):
    """All that a run did up to here is taken back. What is restored of it since stays, however often it is undone."""

    caused_by: ClassVar = ("undo",)
    read_by: ClassVar = {"ingest": "what was taken back already", "retriever": "the run is marked"}

    run_id: Plain


class RunRedone(EventData):
    """What was taken back of a run last is done again."""

    caused_by: ClassVar = ("redo",)
    read_by: ClassVar = {"ingest": "that the run can be taken back again", "retriever": "the run is not marked any more"}

    run_id: Plain
