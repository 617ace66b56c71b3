"""Memories as answers show them."""

from enum import StrEnum
from typing import Any, Literal

from pydantic import Field

from .contract import Contract, Utc
from .ids import ConflictId, MessageId, SessionId
from .parts import Echo, Entity, FactSlot, Kind, Metadata, Origin, Role, Score, Standing


class Outdated(StrEnum):
    """How much of what a memory states does not hold any more."""

    WHOLLY = "wholly"
    PARTLY = "partly"


class Memory(Contract):
    """One memory."""

    memory_id: str
    kind: Kind
    text: str
    number: int = Field(description="The event that made it.")
    occurred_at: Utc
    recorded_at: Utc
    session_id: SessionId | None = None
    role: Role | None = Field(default=None, description="Who spoke, for an episode.")
    speaker: str | None = None
    message_id: MessageId | None = None
    source_ids: tuple[str, ...] = Field(default=(), description="What it rests on; for an episode the bot's message_id.")
    tags: tuple[str, ...] = ()
    manually_saved: bool = False
    pinned: bool = False
    status: Standing = Field(default=Standing.ACTIVE, description="Only what is active is found and injected.")
    superseded_by: str | None = Field(default=None, description="The fact that stands in its place.")
    supersedes: str | None = Field(default=None, description="The fact in whose place it stands.")
    slots: tuple[FactSlot, ...] = Field(default=(), description="What a fact states, in the respects that could be told.")
    outdated: Outdated | None = Field(
        default=None,
        description="Whether what it states does not hold any more; of a turn, what facts were learned from it, or what was put"
        " right a moment later.",
    )
    outdated_by: tuple[str, ...] = Field(
        default=(),
        description="The live facts that hold in the place of what does not; of a turn perhaps the one that puts it right.",
    )
    outdated_slots: tuple[int, ...] = Field(
        default=(), description="Of a fact of which some holds: those of `slots` that do not, by their places from 0."
    )
    valid_until: Utc | None = Field(default=None, description="When it ceased to hold; null: some of it holds.")
    conflict_ids: tuple[ConflictId, ...] = Field(default=(), description="Pending questions whether it holds.")
    repeat_count: int = Field(default=0, description="How often it was told again.")
    confidence: float = Field(
        default=1.0,
        description="How sure it is at the moment for which was asked, in thousandths; of a fact it fades while nobody"
        " comes back to it.",
    )
    importance: float = 0.5
    needs_embedding: bool = Field(
        default=False, description="In `list` and `show`: it has no vector yet, and is found by its words alone."
    )
    access_count: int = Field(default=0, description="How often it was handed out in a context.")
    last_accessed_at: Utc | None = None


class ScoredMemory(Memory):
    """A memory that a search found."""

    score: Score
    line: int | None = Field(default=None, description="In a context: the number in brackets by which the block names it.")
    excerpt: str | None = Field(
        default=None, description="In a context: what the block shows of a long text; null: all of it. `show` gives the whole."
    )
    gathers: tuple[str, ...] = Field(
        default=(),
        description="In a context: ids of facts whose values its line lists as well; `source_ids` are those of all.",
    )
    by_now: str | None = Field(default=None, description="What an age or a duration in it comes to: `36 or 37 now`.")
    said_again: tuple[str, ...] = Field(
        default=(), description="In a context: ids of turns in the same words that were found as well, and left out."
    )
    origin: str | None = Field(
        default=None,
        description="The other space of the person that shares it, by one of its `tags`; null: it is of this space. There"
        " it is shown, kept and forgotten; its `number` is 0.",
    )


class KnownEntity(Contract):
    """A person, a place or a thing under all of its names."""

    entity_id: str
    name: str = Field(description="The fullest name, as it was written most often.")
    type: str
    aliases: tuple[str, ...] = Field(default=(), description="As they were written, the most frequent first.")
    mention_count: int


class EntityName(Contract):
    """One of the names that mean an entity."""

    entity_id: str = Field(description="For `unmerge_entities`: the id that it would have as an entity of its own.")
    name: str = Field(description="As it was written most often.")
    type: str
    mention_count: int
    counted: Literal["itself", "alike", "merged"] = Field(
        description="itself: the entity goes by it; alike: the names are alike, and nobody else can be meant; merged: somebody"
        " said that the two are one."
    )


class ListedEntity(KnownEntity):
    """An entity with the names that it was put together from."""

    names: tuple[EntityName, ...] = Field(description="The one that it goes by first.")


class MentionedEntity(Entity):
    """An entity where it stands in a memory, and whom it names."""

    entity_id: str = Field(description="For the query `entity`; after a merge that of the survivor.")


class Repeat(Contract):
    """A time that a fact was told again, in the words of that time."""

    text: str
    number: int = Field(description="The event.")
    occurred_at: Utc
    recorded_at: Utc
    match: str = Field(description="What recognised it: exact, simhash, jaccard or slot.")
    distance: int | None = Field(default=None, description="Bits between the two SimHashes.")
    similarity: float | None = Field(default=None, description="Jaccard similarity of the two token sets.")
    session_id: SessionId | None = None
    message_id: MessageId | None = None
    run_id: str | None = Field(default=None, description="The consolidation run that told it, for `undo`.")


class MemoryDetail(Memory):
    """A memory with everything that is known of it, and what it rests on."""

    entities: tuple[MentionedEntity, ...] = ()
    metadata: Metadata = Field(default_factory=dict)
    metadata_confidence: float = Field(default=0.0, description="Mean confidence of the entities and tags found.")
    enriched_at: Utc | None = Field(default=None, description="When a better method looked at it last.")
    importance_parts: dict[str, float] = Field(default_factory=dict, description="What each rule added to the importance.")
    decay_rate: float = Field(default=0.0, description="A day; 0: it does not decay. While it is pinned it does not either.")
    confidence_at: Utc | None = Field(
        default=None, description="The anchor: confidence(t) = confidence_then * exp(-decay_rate * days since this moment)."
    )
    confidence_then: float = Field(default=1.0, description="The confidence at `confidence_at`, in thousandths.")
    last_scores: dict[str, Any] | None = Field(
        default=None, description="relevance, recency, importance, total, and computed_at of the last recall."
    )
    ended_at: Utc | None = Field(default=None, description="When it was superseded or retired.")
    ended_because: str | None = Field(
        default=None, description="corrected, conflict, trimmed, decayed, rolled_up, denied, undone or held_back."
    )
    chain: tuple[Memory, ...] = Field(default=(), description="Its corrections, oldest first, itself included; empty: none.")
    repeats: tuple[Repeat, ...] = Field(default=(), description="Oldest first.")
    sources: tuple[Memory, ...] = Field(
        default=(), description="Those of `source_ids` that are memories: what it was learned from."
    )
    origin: Origin | None = Field(
        default=None, description="What extracted it: its `run_id` can be undone. Null where it was told as a fact."
    )
    echoes: tuple[Echo, ...] = Field(default=(), description="Parts that only repeat what memstream had handed out.")
