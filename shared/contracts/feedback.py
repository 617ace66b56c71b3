"""Whether a memory that was recalled helped, as a bot or its person says: the command, and its event. Neither holds a word.

Source: ../reference/memory-upgrade-spec.md, "Telemetry & Alerts": hit rate.
"""

from typing import ClassVar

from pydantic import Field

from .command import OfMemory
from .event import EventData
from .ids import MemoryId, RecallId


class RecordFeedback(OfMemory):
    """A memory that was recalled helped to answer, or did not. It is counted and audited; the memory stays as it is."""

    helped: bool = Field(description="Whether it helped.")
    recall_id: RecallId | None = Field(
        default=None, min_length=1, max_length=64, description="The context that handed it out, as that names itself."
    )

    @property
    def content(self) -> str:
        """The opinion that is given."""
        return _opinion(self.memory_id, self.recall_id, helped=self.helped)


class FeedbackRecorded(EventData):
    """Somebody said whether a memory that was recalled helped."""

    caused_by: ClassVar = ("record_feedback",)
    read_by: ClassVar = {"ingest": "the id is seen", "retriever": "nothing but the number"}

    memory_id: MemoryId
    helped: bool
    recall_id: RecallId | None = Field(default=None, description="The context that handed it out.")

    @property
    def content(self) -> str:
        """The opinion that was given."""
        return _opinion(self.memory_id, self.recall_id, helped=self.helped)


def _opinion(memory_id: MemoryId, recall_id: RecallId | None, *, helped: bool) -> str:
    return f"{memory_id} {recall_id or ''} {helped}"
