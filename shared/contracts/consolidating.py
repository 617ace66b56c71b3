"""What an agent sends that learns from conversations itself, in the place of the consolidator.

Source: ../reference/memory-system.md, "Consolidator tools".
"""

from collections.abc import Iterable

from pydantic import Field

from .command import Command
from .content import Plain
from .contract import MAX_NUMBER, Contract, Utc
from .ids import MemoryId, SessionId
from .parts import Identifier, Text

RUN_PATTERN = r"^[A-Za-z0-9_.:/-]{1,64}$"
MAX_BATCH_FACTS = 64


class FactOfBatch(Contract):
    """A fact that an agent found in a conversation."""

    text: Text = Field(description="The fact, in words that make sense on their own.")
    source_ids: tuple[MemoryId, ...] = Field(
        min_length=1, max_length=64, description="The turns of the session that state it, by their memory_id."
    )
    tags: tuple[Identifier, ...] = Field(default=(), max_length=32, description="What kind of fact it is.")
    confidence: float = Field(default=0.8, ge=0, le=1, description="How sure it is; below 0.5 the person is asked.")
    importance: float | None = Field(default=None, ge=0, le=1, description="Else the rules judge.")
    occurred_at: Utc | None = Field(
        default=None, description="When the turn that states it was said; else when the session's last turn was."
    )
    supersedes: tuple[MemoryId, ...] = Field(
        default=(), max_length=16, description="Known facts that do not hold any more if this one does."
    )


class SaveFactsBatch(Command):
    """Facts that an agent learned from a session. One that is known counts as a repeat; what a fact contradicts ends.

    A fact whose words do not rest on what the user said in its turns is left out and counted.
    """

    session_id: SessionId = Field(min_length=1, max_length=256, description="The conversation.")
    facts: tuple[FactOfBatch, ...] = Field(min_length=1, max_length=MAX_BATCH_FACTS, description="The facts.")
    run_id: Plain | None = Field(
        default=None, pattern=RUN_PATTERN, description="Names the run for `undo`; else the batch is a run by itself."
    )
    model: Plain | None = Field(default=None, max_length=256, description="The model that found them.")

    @property
    def memories(self) -> Iterable[MemoryId]:
        """The turns that state its facts, and the facts that these end."""
        return {each for fact in self.facts for each in (*fact.source_ids, *fact.supersedes)}


class MarkSessionConsolidated(Command):
    """All that a session taught is learned. One that is open is ended first; turns after this are new."""

    session_id: SessionId = Field(min_length=1, max_length=256, description="The conversation.")
    facts: int = Field(default=0, ge=0, le=MAX_NUMBER, description="How many facts it taught.")
    run_id: Plain | None = Field(default=None, pattern=RUN_PATTERN, description="As in `save_facts_batch`.")


class ResolveConflict(Command):
    """One fact stands in the place of another; or, where that is not certain, the person is to be asked."""

    memory_id: MemoryId = Field(min_length=1, max_length=64, description="The fact that does not hold any more.")
    superseded_by: MemoryId = Field(min_length=1, max_length=64, description="The fact that holds.")
    is_certain: bool = Field(default=True, description="False: nothing ends, and a question is pending.")
