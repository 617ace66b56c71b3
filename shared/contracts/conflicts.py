"""Contradictions that nobody can decide but the person: the events of a question, and of its answer. None holds a word.

The question itself is made when it is asked for, from the words that the two facts have then; so it obeys forgetting.
Source: ../reference/memory-system.md, `detect_conflicts`; memory-upgrade-spec.md, "Conflict detection".
"""

from typing import ClassVar, Literal

from pydantic import Field

from .command import Command
from .event import EventData
from .ids import ConflictId, MemoryId

Holds = Literal["newer", "older", "both", "neither"]
"""Which of two facts in doubt holds."""

ConflictReason = Literal["hedged", "uncertain", "named", "restored", "opposite", "two_values"]
"""hedged: the newer statement says itself that it may not be so; uncertain: whoever learned it was not sure; named: somebody
who knows both facts says that they contradict each other; restored: one was brought back that the other contradicts;
opposite: the newer one denies the older one; two_values: within a day both state a value that a person has for life, and the
values differ. hedged and uncertain are in old logs only."""


class AnswerConflict(Command):
    """Which of two facts holds, as the person says. A question that was answered before stays as it is."""

    conflict_id: ConflictId = Field(min_length=1, max_length=64, description="The question, as a context names it.")
    holds: Holds = Field(description="both: nothing ends; neither: both facts are retired.")

    @property
    def content(self) -> str:
        """The answer that is given."""
        return f"{self.conflict_id} {self.holds}"


class ConflictDetected(EventData):
    """Two live facts may contradict each other. Until that is answered the newer one stands first, and both are marked."""

    caused_by: ClassVar = (
        *("remember_fact", "save_facts", "save_facts_batch", "correct_fact", "resolve_conflict"),
        *("undo", "redo", "restore", "user_message", "add_turns", "import_memories"),
    )
    is_exported = True
    read_by: ClassVar = {
        "ingest": "the question is pending, while both facts are live",
        "retriever": "the same; contexts show it",
    }

    conflict_id: ConflictId
    memory_id: MemoryId = Field(description="The older fact.")
    newer: MemoryId = Field(description="The newer one, which would take its place if it were certain.")
    reason: ConflictReason


class ConflictAnswered(EventData):
    """A conflict is answered: which of its two facts holds. What does not is ended in the same batch; nobody is asked again."""

    caused_by: ClassVar = ("answer_conflict", *ConflictDetected.caused_by)
    is_exported = True
    read_by: ClassVar = {"ingest": "the question is closed", "retriever": "the same"}

    conflict_id: ConflictId
    memory_id: MemoryId = Field(description="The older fact.")
    newer: MemoryId
    holds: Holds | None = Field(
        default=None, description="Null: nobody said; the statement that raised the question was taken back."
    )
    how: Literal["command", "chat", "later_statement", "undone"]

    @property
    def content(self) -> str | None:
        """The answer, where it was the command; any other stands for more than the answer that follows from it."""
        return f"{self.conflict_id} {self.holds}" if self.how == "command" else None
