"""The queries, requested on `ask.<space>.<user>.<query>`, and their answers. The scope comes from the subject, never from here.

An answer is the model's JSON, or `{"error": {"code": ..., "message": ...}}`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar, Literal

from pydantic import Field

from .envelope import Contract, Utc
from .errors import MemstreamError, error_classes
from .ids import MessageId, RecallId, SessionId
from .parts import Entity, Identifier, Kind, Metadata, Role, Score
from .privacy import ForgetTarget, Scan

MAX_QUERY_CHARACTERS = 16_384
DEFAULT_CONTEXT_ITEMS = 12
DEFAULT_BUDGET_TOKENS = 2_000


class Asked(Contract):
    """What every query has."""

    query_name: ClassVar[str]
    answered_by: ClassVar[str] = "retriever"

    timeout_s: float = Field(default=2.0, gt=0, le=30, description="How long to wait at most, in seconds.")


class Query(Asked):
    """What every query about memories has."""

    min_position: int = Field(
        default=0, ge=0, description="Wait until the log is applied up to this position (read your writes)."
    )


class Preset(StrEnum):
    """Which ranking to use."""

    SHIPPED = "shipped"  # words and vectors fused by a weighted mean; relevance before recency and importance
    RRF = "rrf"  # the same, fused by reciprocal ranks
    SPECIFICATION = "specification"  # cosine relevance, all three scores weighing the same


class LegFailure(StrEnum):
    """Why a search leg gave no answer."""

    NO_EMBEDDER = "no_embedder"  # the operator switched vectors off
    EMBEDDER_SLOW = "embedder_slow"  # the question's vector did not come in time
    EMBEDDER_FAILED = "embedder_failed"
    NO_VECTORS = "no_vectors"  # of this person's memories none has a vector yet
    OTHER_MODEL = "other_model"  # their vectors are of another model, or of other dimensions
    BROKEN = "broken"  # a table of this person's file; a damaged file is built again when it is asked next


class ContextQuery(Query):
    """What do I know that matters here? The ready block for a prompt, and the same as structured items."""

    query_name = "context"

    query: str = Field(max_length=MAX_QUERY_CHARACTERS, description="The user's words; any text.")
    incognito: bool = Field(default=False, description="True: the answer is empty and nothing of the question is recorded.")
    session_id: SessionId | None = Field(default=None, max_length=256, description="The current session; left out.")
    kinds: tuple[Kind, ...] = Field(default=(Kind.FACT, Kind.EPISODE), min_length=1, description="What to look for.")
    limit: int = Field(default=DEFAULT_CONTEXT_ITEMS, ge=1, le=200, description="Most items.")
    budget_tokens: int | None = Field(
        default=DEFAULT_BUDGET_TOKENS, ge=1, description="Most tokens of the block, estimated; null: no budget."
    )
    preset: Preset = Field(default=Preset.SHIPPED, description="Which ranking to use.")
    record: bool = Field(default=True, description="False where the answer is only looked at, not given to a model.")
    message_id: MessageId | None = Field(default=None, max_length=256, description="The turn that asks.")


class SearchQuery(Query):
    """Memories by their words, best first. Nothing is recorded."""

    query_name = "search"

    query: str = Field(max_length=MAX_QUERY_CHARACTERS, description="Words to look for; any text.")
    kinds: tuple[Kind, ...] = Field(default=(Kind.FACT, Kind.EPISODE), min_length=1, description="What to look for.")
    limit: int = Field(default=10, ge=1, le=200, description="Most items.")
    exclude_session_id: SessionId | None = Field(default=None, max_length=256, description="A session to leave out.")
    preset: Preset = Field(default=Preset.SHIPPED, description="Which ranking to use.")


class ListQuery(Query):
    """Memories in the order in which they were learned, newest first."""

    query_name = "list"

    kinds: tuple[Kind, ...] = Field(default=(Kind.FACT, Kind.EPISODE), min_length=1, description="What to look for.")
    session_id: SessionId | None = Field(default=None, max_length=256, description="Only of this session.")
    limit: int = Field(default=50, ge=1, le=500, description="Most items of a page.")
    before_number: int | None = Field(default=None, ge=1, description="For the next page: `next_before_number` of the last.")


class ShowQuery(Query):
    """One memory with everything that is known of it."""

    query_name = "show"

    memory_id: Identifier = Field(description="As a search or a context names it.")


class SimilarQuery(Query):
    """The memories most like one memory, by their vectors."""

    query_name = "similar"

    memory_id: Identifier = Field(description="The memory, as a search or a context names it.")
    kinds: tuple[Kind, ...] = Field(default=(Kind.FACT, Kind.EPISODE), min_length=1, description="What to look for.")
    limit: int = Field(default=5, ge=1, le=50, description="Most items.")


class StatsQuery(Query):
    """How much is remembered."""

    query_name = "stats"


class OutcomeQuery(Asked):
    """What became of something that was sent. Waits until it is decided, up to `timeout_s`."""

    query_name = "outcome"
    answered_by = "ingest"

    sequence: int | None = Field(default=None, ge=1, description="The `seq` of the publish acknowledgement: the surest way.")
    what: str | None = Field(default=None, max_length=64, description="With message_id: the command's name.")
    message_id: MessageId | None = Field(default=None, max_length=256, description="With what: the id it was sent with.")


class ForgetPreviewQuery(Asked, ForgetTarget):
    """What would be forgotten, and why; nothing is changed."""

    query_name = "forget_preview"
    answered_by = "ingest"


class ReceiptQuery(Asked):
    """How far a forgetting has come, and its receipt."""

    query_name = "receipt"
    answered_by = "ingest"

    number: int = Field(ge=1, description="The `number` of the outcome of the forget command.")


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
    confidence: float = 1.0
    importance: float = 0.5
    access_count: int = Field(default=0, description="How often it was handed out in a context.")
    last_accessed_at: Utc | None = None


class ScoredMemory(Memory):
    """A memory that a search found."""

    score: Score


class MemoryDetail(Memory):
    """A memory with its entities, its metadata and the scores of its last recall."""

    entities: tuple[Entity, ...] = ()
    metadata: Metadata = Field(default_factory=dict)
    last_scores: dict[str, Any] | None = Field(
        default=None, description="relevance, recency, importance, total, and computed_at of the last recall."
    )


class Answer(Contract):
    """What every answer says of itself."""

    position: int = Field(description="The log is applied up to here.")


class CommandAnswer(Contract):
    """What became of a command that the user spoke in chat."""

    name: str
    outcome: Literal["done", "asked_back", "nothing_found", "unchanged", "declined"]
    say: str = Field(description="What the bot may say to the user.")
    memory_ids: tuple[str, ...] = ()


class ContextAnswer(Answer):
    """The memories that matter, best first, and the block to put into the prompt."""

    recall_id: RecallId
    markdown: str = Field(description="Empty where nothing matters.")
    items: tuple[ScoredMemory, ...]
    tokens: int = Field(description="Estimated tokens of `markdown`.")
    legs_failed: tuple[str, ...] = Field(default=(), description="Search legs that gave no answer this time.")
    withheld: Literal["incognito", "memory_off"] | None = Field(default=None, description="Why nothing is returned at all.")
    command: CommandAnswer | None = Field(default=None, description="Where the turn that asks was a command to memstream.")
    leg_failures: dict[str, LegFailure] = Field(default_factory=dict, description="Why, by leg.")


class SearchAnswer(Answer):
    """The memories found, best first."""

    items: tuple[ScoredMemory, ...]
    legs_failed: tuple[str, ...] = Field(default=(), description="Search legs that gave no answer this time.")
    leg_failures: dict[str, LegFailure] = Field(default_factory=dict, description="Why, by leg.")


class ListAnswer(Answer):
    """A page of memories."""

    items: tuple[Memory, ...]
    next_before_number: int | None = Field(default=None, description="Null on the last page.")


class ShowAnswer(Answer):
    """The memory."""

    memory: MemoryDetail


class SimilarMemory(Memory):
    """A memory, and how like another it is."""

    cosine_similarity: float = Field(ge=-1, le=1, description="1: the same direction; 0: nothing in common.")


class SimilarAnswer(Answer):
    """The nearest memories, best first."""

    model: str | None = Field(description="Fingerprint of the embedder that compared; null: the memory has no vector yet.")
    items: tuple[SimilarMemory, ...]


class StatsAnswer(Answer):
    """Counts by kind, and the latest record."""

    memories: dict[Kind, int]
    sessions: int
    open_sessions: int
    entities: int
    latest_recorded_at: Utc | None


class Verdict(StrEnum):
    """What became of something that was sent."""

    RECORDED = "recorded"
    UNCHANGED = "unchanged"
    REJECTED = "rejected"
    NOT_RECORDED = "not_recorded"


class WouldForget(Contract):
    """A memory that would be forgotten."""

    memory_id: str
    kind: Kind
    why: Literal["named", "near_duplicate", "states_it", "rests_on_it"] = Field(
        description="named: by the command; near_duplicate: says the same; states_it: a turn that says it; rests_on_it: a fact"
        " whose every source goes."
    )


class ForgetPreviewAnswer(Answer):
    """What a forget command would do now."""

    memories: tuple[WouldForget, ...] = Field(description="Named ones first.")
    events: int = Field(ge=0, description="Events of the log that would be erased.")
    losing_a_source: tuple[str, ...] = Field(default=(), description="Facts that would stay, with one source less.")


class ReceiptAnswer(Contract):
    """The receipt of a forgetting."""

    state: Literal["erasing", "done"] = Field(description="erasing: hidden from every query already, bytes still going.")
    scope: str = Field(description="Keyed name of space and user.")
    forgotten_at: Utc
    completed_at: Utc | None = None
    memories: int = Field(ge=0, description="Memories that were forgotten.")
    events: int = Field(ge=0, description="Events to erase from the log.")
    erased: int = Field(ge=0, description="Of those, erased by now.")
    scan: Scan | None = Field(default=None, description="The proof, once it is done.")
    backups: tuple[str, ...] = Field(default=(), description="Backups that cannot be changed and still hold it.")


class OutcomeAnswer(Contract):
    """What became of something that was sent, and from which position on a query knows it."""

    verdict: Verdict = Field(
        description="recorded: events were appended; unchanged: it was known already; rejected;"
        " not_recorded: the person does not want it kept."
    )
    position: int = Field(description="Give it as min_position to a query that must know this.")
    memory_id: str | None = Field(default=None, description="The memory that it made, where it made exactly one.")
    number: int | None = Field(default=None, description="Its last event.")
    code: str | None = Field(
        default=None, description="Why it was rejected or not recorded; the reason of a rejection lies in REJECTED."
    )


QUERIES: dict[str, type[Asked]] = {
    model.query_name: model
    for model in (
        ContextQuery,
        SearchQuery,
        ListQuery,
        ShowQuery,
        SimilarQuery,
        StatsQuery,
        ForgetPreviewQuery,
        ReceiptQuery,
        OutcomeQuery,
    )
}
"""Every query by its name, the last token of its subject."""

ANSWERS: dict[str, type[Contract]] = {
    "context": ContextAnswer,
    "search": SearchAnswer,
    "list": ListAnswer,
    "show": ShowAnswer,
    "similar": SimilarAnswer,
    "stats": StatsAnswer,
    "forget_preview": ForgetPreviewAnswer,
    "receipt": ReceiptAnswer,
    "outcome": OutcomeAnswer,
}
"""What each query is answered with."""


class Problem(Contract):
    """An error as it travels in a reply."""

    code: str
    message: str


class ErrorAnswer(Contract):
    """The reply to a query that failed."""

    error: Problem

    @classmethod
    def of(cls, error: MemstreamError) -> ErrorAnswer:
        """The reply for an error."""
        return cls(error=Problem(code=error.code, message=error.message))

    def raised(self) -> MemstreamError:
        """The error of the same code, to raise on the asking side."""
        return error_classes().get(self.error.code, MemstreamError)(self.error.message)
