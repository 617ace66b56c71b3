"""What a context handed out, as it is recorded."""

from datetime import datetime

from pydantic import Field

from .content import Plain
from .contract import Contract, Utc
from .ids import MemoryId, MessageId, RecallId, SessionId
from .parts import RecalledItem
from .preferences import RecallTerms

MAX_RECALLS = 32
"""Of one command: with a dozen memories each they take 80 KB."""


class Recall(Contract):
    """A context that was handed out, and how it was asked for. Holds no words: neither the question nor the memories."""

    recall_id: RecallId = Field(min_length=1, max_length=64, description="Names the answer.")
    session_id: SessionId | None = Field(default=None, max_length=256, description="The session that asked.")
    turn_id: MessageId | None = Field(default=None, max_length=256, description="message_id of the turn that asked.")
    at_number: int = Field(ge=0, description="The scope's last event that the answer knew; explain recomputes there.")
    computed_at: Utc = Field(description="When the scores were computed.")
    ranking: Plain = Field(max_length=64, description="Hash of the weights and settings that ranked.")
    items: tuple[RecalledItem, ...] = Field(max_length=256, description="What was handed out, best first.")
    insight: MemoryId | None = Field(default=None, description="The reflection that was handed out beside them.")
    profile: tuple[MemoryId, ...] = Field(
        default=(), max_length=256, description="The facts that its first line told. Using them, too, keeps them from fading."
    )
    shared: tuple[RecalledItem, ...] = Field(
        default=(),
        max_length=256,
        description="What other spaces of the person gave, with keyed hashes of its words, by which an echo is recognised."
        " Nothing changes there.",
    )
    asked: RecallTerms | None = Field(default=None, description="How it was asked for, so that it can be explained.")

    @property
    def handed_out(self) -> tuple[MemoryId, ...]:
        """The memories that were handed out, best first."""
        return tuple(item.memory_id for item in self.items)

    @property
    def used(self) -> tuple[MemoryId, ...]:
        """The memories that were handed out, and those that the first line told, each once."""
        return tuple(dict.fromkeys((*self.handed_out, *self.profile)))


class RecallGroup(Recall):
    """A recall, and with it those of the same person soon after."""

    further: tuple[Recall, ...] = Field(default=(), max_length=MAX_RECALLS - 1, description="Those that came after it.")

    @property
    def recalls(self) -> tuple[Recall, ...]:
        """The recall and the further ones, in their order."""
        return (self, *self.further)

    @property
    def last_used(self) -> dict[MemoryId, datetime]:
        """When the memories were used last, each of them."""
        last: dict[MemoryId, datetime] = {}
        for recall in self.recalls:
            at = recall.computed_at
            for memory_id in recall.used:
                if memory_id not in last or last[memory_id] < at:
                    last[memory_id] = at
        return last
