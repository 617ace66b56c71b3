"""The queries, requested on `ask.<space>.<user>.<query>`, and their answers. The scope comes from the subject, never from here.

An answer is the model's JSON, or `{"error": {"code": ..., "message": ...}}`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, JsonValue, model_validator
from pydantic_core import PydanticCustomError

from .envelope import Actor, Contract, Utc
from .errors import MemstreamError, error_classes
from .ids import MessageId, RecallId, SessionId
from .moving import MAX_RECORDS, ImportedRecord
from .parts import Echo, Entity, Identifier, Kind, Metadata, Real, Role, Score, Standing
from .preferences import PersonSettings, RankingOptions
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


class OfThen(Query):
    """A query that can be put to the past: what was known then, without what was forgotten since. Nothing is recorded."""

    as_of: Utc | None = Field(default=None, description="As of this moment: what was recorded until then. Null: now.")
    at_number: int | None = Field(default=None, ge=0, description="As of this event of the person's. Null: now.")

    @model_validator(mode="after")
    def _one_then(self) -> Self:
        if self.as_of is not None and self.at_number is not None:
            raise PydanticCustomError("malformed", "give as_of or at_number, not both")
        return self

    @property
    def is_of_then(self) -> bool:
        """Whether it is put to the past."""
        return self.as_of is not None or self.at_number is not None


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


class ContextQuery(OfThen):
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
    ranking: RankingOptions | None = Field(default=None, description="Over the preset and all settings, for this query only.")
    record: bool = Field(default=True, description="False where the answer is only looked at, not given to a model.")
    message_id: MessageId | None = Field(default=None, max_length=256, description="The turn that asks.")


class SearchQuery(OfThen):
    """Memories by their words, best first. Nothing is recorded."""

    query_name = "search"

    query: str = Field(max_length=MAX_QUERY_CHARACTERS, description="Words to look for; any text.")
    kinds: tuple[Kind, ...] = Field(default=(Kind.FACT, Kind.EPISODE), min_length=1, description="What to look for.")
    limit: int = Field(default=10, ge=1, le=200, description="Most items.")
    exclude_session_id: SessionId | None = Field(default=None, max_length=256, description="A session to leave out.")
    preset: Preset = Field(default=Preset.SHIPPED, description="Which ranking to use.")
    ranking: RankingOptions | None = Field(default=None, description="Over the preset and all settings, for this query only.")


class ListQuery(OfThen):
    """Memories in the order in which they were learned, newest first."""

    query_name = "list"

    kinds: tuple[Kind, ...] = Field(default=(Kind.FACT, Kind.EPISODE), min_length=1, description="What to look for.")
    session_id: SessionId | None = Field(default=None, max_length=256, description="Only of this session.")
    status: Standing | Literal["all"] = Field(
        default=Standing.ACTIVE, description="active, superseded, retired, or all of them."
    )
    pinned: bool | None = Field(default=None, description="True: only pinned ones; false: only others.")
    manually_saved: bool | None = Field(default=None, description="True: only those saved by hand; false: only others.")
    tag: Identifier | None = Field(default=None, description="Only with this tag, in any case.")
    entity: Identifier | None = Field(default=None, description="Only those that mention it: a name, an alias or an `ent_` id.")
    limit: int = Field(default=50, ge=1, le=500, description="Most items of a page.")
    before_number: int | None = Field(default=None, ge=1, description="For the next page: `next_before_number` of the last.")


class ShowQuery(Query):
    """One memory with everything that is known of it."""

    query_name = "show"

    memory_id: Identifier = Field(
        description="As a search or a context names it; or its beginning, with at least 4 digits, where no other begins so."
    )


class EntityQuery(Query):
    """Everything that is known of a person, a place or a thing: its profile, and the memories that mention it."""

    query_name = "entity"

    name: Identifier = Field(description="Its name, an alias of it, or its `ent_` id.")
    limit: int = Field(default=20, ge=1, le=200, description="Most memories.")


class SummaryQuery(Query):
    """What is known in this space, to read: by topic, facts first. No model is asked."""

    query_name = "summary"

    limit: int = Field(default=10, ge=1, le=200, description="Most facts of a topic.")
    topics: int = Field(default=20, ge=1, le=200, description="Most topics.")


class ExplainQuery(Query):
    """Why a context was as it was: every candidate with its scores, and why it was left out.

    With `recall_id` a recorded recall is computed again as of then. Its question is read from the turn that asked, if the
    recall named one that was recorded; else `query` must give it again, for a recall holds no words. Without `recall_id` it
    explains what `context` would answer to `query`.
    """

    query_name = "explain"

    recall_id: RecallId | None = Field(default=None, max_length=64, description="Of a context that was recorded.")
    query: str | None = Field(default=None, max_length=MAX_QUERY_CHARACTERS, description="The words of the question.")
    at_number: int | None = Field(
        default=None, ge=0, description="Without recall_id: as of this event of the person's; null: now."
    )
    session_id: SessionId | None = Field(default=None, max_length=256, description="As in `context`.")
    kinds: tuple[Kind, ...] = Field(default=(Kind.FACT, Kind.EPISODE), min_length=1, description="As in `context`.")
    limit: int = Field(default=DEFAULT_CONTEXT_ITEMS, ge=1, le=200, description="As in `context`.")
    budget_tokens: int | None = Field(default=DEFAULT_BUDGET_TOKENS, ge=1, description="As in `context`.")
    preset: Preset = Field(default=Preset.SHIPPED, description="As in `context`.")
    ranking: RankingOptions | None = Field(default=None, description="As in `context`.")
    most_candidates: int = Field(default=50, ge=1, le=500, description="Most candidates of the answer.")
    timeout_s: float = Field(default=10.0, gt=0, le=30, description="How long to wait at most, in seconds.")


class SimilarQuery(Query):
    """The memories most like one memory, by their vectors."""

    query_name = "similar"

    memory_id: Identifier = Field(description="The memory, as a search or a context names it.")
    kinds: tuple[Kind, ...] = Field(default=(Kind.FACT, Kind.EPISODE), min_length=1, description="What to look for.")
    limit: int = Field(default=5, ge=1, le=50, description="Most items.")


class StatsQuery(Query):
    """How much is remembered."""

    query_name = "stats"


class AuditQuery(Query):
    """Who did what, when, by which channel, and what came of it; newest first. Ids, counts and codes, no text."""

    query_name = "audit"

    since: Utc | None = Field(default=None, description="Only what was recorded at this moment or later.")
    types: tuple[str, ...] = Field(
        default=(),
        max_length=64,
        description="Only events of these types; empty: all but turns, vectors, enrichments and recalls.",
    )
    everything: bool = Field(
        default=False, description="True, without `types`: turns, vectors, enrichments and recalls as well."
    )
    limit: int = Field(default=100, ge=1, le=500, description="Most entries of a page.")
    before_number: int | None = Field(default=None, ge=1, description="For the next page: `next_before_number` of the last.")


class ExportQuery(Query):
    """A page of everything that is remembered of this person, in the order in which it was learned."""

    query_name = "export"

    after_position: int = Field(default=0, ge=0, description="For the next page: `next_after_position` of the last.")
    through_position: int | None = Field(
        default=None, ge=0, description="For the next page: as in the first answer; what came later is left out."
    )
    limit: int = Field(default=MAX_RECORDS, ge=1, le=MAX_RECORDS, description="Most records of a page.")
    timeout_s: float = Field(default=10.0, gt=0, le=30, description="How long to wait at most, in seconds.")


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
    pinned: bool = False
    status: Standing = Field(default=Standing.ACTIVE, description="Only what is active is found and injected.")
    superseded_by: str | None = Field(default=None, description="The fact that stands in its place.")
    supersedes: str | None = Field(default=None, description="The fact in whose place it stands.")
    repeat_count: int = Field(default=0, description="How often it was told again.")
    confidence: float = Field(default=1.0, description="When `confidence_at` was; it decays from there.")
    importance: float = 0.5
    access_count: int = Field(default=0, description="How often it was handed out in a context.")
    last_accessed_at: Utc | None = None


class ScoredMemory(Memory):
    """A memory that a search found."""

    score: Score
    excerpt: str | None = Field(
        default=None, description="In a context: what the block shows of a long text; null: all of it. `show` gives the whole."
    )
    said_again: tuple[str, ...] = Field(
        default=(), description="In a context: ids of turns in the same words that were found as well, and left out."
    )


class KnownEntity(Contract):
    """A person, a place or a thing under all of its names."""

    entity_id: str
    name: str = Field(description="The fullest name, as it was written most often.")
    type: str
    aliases: tuple[str, ...] = Field(default=(), description="As they were written, the most frequent first.")
    mention_count: int


class MentionedEntity(Entity):
    """An entity where it stands in a memory, and whom it names."""

    entity_id: str = Field(description="For the query `entity`; after a merge that of the survivor.")


class Repeat(Contract):
    """A time that a fact was told again, in the words of that time."""

    text: str
    number: int = Field(description="The event.")
    occurred_at: Utc
    recorded_at: Utc
    match: str = Field(description="What recognised it: exact, simhash or jaccard.")
    distance: int | None = Field(default=None, description="Bits between the two SimHashes.")
    similarity: float | None = Field(default=None, description="Jaccard similarity of the two token sets.")
    session_id: SessionId | None = None
    message_id: MessageId | None = None


class MemoryDetail(Memory):
    """A memory with everything that is known of it, and what it rests on."""

    entities: tuple[MentionedEntity, ...] = ()
    metadata: Metadata = Field(default_factory=dict)
    metadata_confidence: float = Field(default=0.0, description="Mean confidence of the entities and tags found.")
    enriched_at: Utc | None = Field(default=None, description="When a better method looked at it last.")
    importance_parts: dict[str, float] = Field(default_factory=dict, description="What each rule added to the importance.")
    decay_rate: float = Field(default=0.0, description="A day; 0: it does not decay.")
    confidence_at: Utc | None = Field(
        default=None, description="confidence(t) = confidence * exp(-decay_rate * days since this moment)."
    )
    last_scores: dict[str, Any] | None = Field(
        default=None, description="relevance, recency, importance, total, and computed_at of the last recall."
    )
    ended_at: Utc | None = Field(default=None, description="When it was superseded or retired.")
    ended_because: str | None = Field(default=None, description="corrected, conflict, trimmed, decayed or rolled_up.")
    chain: tuple[Memory, ...] = Field(default=(), description="Its corrections, oldest first, itself included; empty: none.")
    repeats: tuple[Repeat, ...] = Field(default=(), description="Oldest first.")
    sources: tuple[Memory, ...] = Field(
        default=(), description="Those of `source_ids` that are memories: what it was learned from."
    )
    echoes: tuple[Echo, ...] = Field(default=(), description="Parts that only repeat what memstream had handed out.")


class Answer(Contract):
    """What every answer says of itself."""

    position: int = Field(description="The log is applied up to here.")


class CommandAnswer(Contract):
    """What became of a command that the user spoke in chat."""

    name: str
    outcome: Literal["done", "asked_back", "nothing_found", "unchanged", "declined"]
    say: str = Field(description="What the bot may say to the user.")
    memory_ids: tuple[str, ...] = Field(default=(), description="What it was about, at most the first 200.")


class ContextAnswer(Answer):
    """The memories that matter, best first, and the block to put into the prompt."""

    recall_id: RecallId
    markdown: str = Field(description="Empty where nothing matters.")
    items: tuple[ScoredMemory, ...]
    tokens: int = Field(description="Estimated tokens of `markdown`.")
    abstained: bool = Field(
        default=False, description="True: what was found has so little to do with the question that it is not returned."
    )
    legs_failed: tuple[str, ...] = Field(default=(), description="Search legs that gave no answer this time.")
    withheld: Literal["incognito", "memory_off"] | None = Field(default=None, description="Why nothing is returned at all.")
    command: CommandAnswer | None = Field(default=None, description="Where the turn that asks was a command to memstream.")
    leg_failures: dict[str, LegFailure] = Field(default_factory=dict, description="Why, by leg.")


class SearchAnswer(Answer):
    """The memories found, best first."""

    items: tuple[ScoredMemory, ...]
    legs_failed: tuple[str, ...] = Field(default=(), description="Search legs that gave no answer this time.")
    leg_failures: dict[str, LegFailure] = Field(default_factory=dict, description="Why, by leg.")
    withheld: Literal["incognito", "memory_off"] | None = Field(default=None, description="Why nothing is returned at all.")


class LegScore(Contract):
    """What one search leg says of a candidate."""

    score: Real | None = Field(default=None, description="In [0, 1]; null: nothing.")
    rank: int | None = Field(default=None, description="1 is the best of its leg; null: not among the leg's candidates.")


class Fate(StrEnum):
    """What became of a candidate."""

    GIVEN = "given"
    OVER_LIMIT = "over_limit"  # others stood above it
    OVER_BUDGET = "over_budget"  # no tokens were left for it
    DUPLICATE = "duplicate"  # says what another one says that is given; or good enough, but too like what stood above it
    IDLE = "idle"  # a turn that only asks the same, or only told the memory what to do
    SUPERSEDED = "superseded"
    RETIRED = "retired"
    CURRENT_SESSION = "current_session"
    ABSTAINED = "abstained"  # nothing that was found had to do with the question


class Source(Contract):
    """What a memory rests on: a memory with its message, or a reference to the outside."""

    memory_id: str | None = None
    kind: Kind | None = None
    message_id: MessageId | None = Field(default=None, description="The bot's id of the message.")
    session_id: SessionId | None = None
    occurred_at: Utc | None = None
    reference: str | None = Field(default=None, description="As it was given, where it names no memory that is known.")


class Considered(Contract):
    """A candidate: how it was found, what placed it, what became of it."""

    memory: Memory
    fate: Fate
    place: int | None = Field(default=None, description="In the final order, from 1; null: it may not appear.")
    legs: dict[str, LegScore] = Field(description="By leg: lexical, vector, entity, time, speaker.")
    cosine: Real | None = Field(default=None, description="Of its own vector with the question's, as it is.")
    relevance: Real
    relevance_parts: dict[str, Real] = Field(
        default_factory=dict,
        description="What relevance is the sum of, at least 0: fused (from the legs), session (its share of the best of its"
        " session), question (what a turn that only asks loses).",
    )
    recency: Real
    importance: Real
    confidence: Real
    total: Real
    mmr_penalty: Real = Field(default=0.0, description="(1 - lambda) * likeness to the nearest one above.")
    sources: tuple[Source, ...] = Field(default=(), description="Down to the messages.")


class ExplainAnswer(Answer):
    """Everything that decided what a context holds."""

    recall_id: RecallId | None = None
    query: str = Field(description="The question that was explained.")
    at_number: int = Field(description="The person's last event that was known.")
    computed_at: Utc = Field(description="The moment from which ages were counted.")
    ranking: str = Field(description="Hash of the effective ranking.")
    options: RankingOptions = Field(description="The effective ranking.")
    evidence: Real = Field(description="What spoke for an answer; below options.abstain_below nothing is returned.")
    abstained: bool = False
    reproduced: bool | None = Field(
        default=None, description="Whether the same memories came out in the same order as recorded; null: no recall given."
    )
    candidates: tuple[Considered, ...] = Field(description="In the final order, then those that may not appear.")
    legs_failed: tuple[str, ...] = Field(default=(), description="Search legs that gave no answer now.")
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


class EntityAnswer(Answer):
    """Who or what it is, and where it is mentioned."""

    entity: KnownEntity
    summary: str = Field(description="The best facts that mention it, as they stand; empty where no fact does.")
    memories: tuple[Memory, ...] = Field(description="That mention it, newest first.")
    others: tuple[KnownEntity, ...] = Field(default=(), description="Others that the name may mean.")


class Topic(Contract):
    """The facts of one topic."""

    tag: str | None = Field(description="Null: facts without a tag.")
    facts: int = Field(description="All of them; `memories` holds the first.")
    memories: tuple[Memory, ...]


class SummaryAnswer(Answer):
    """What is known, to read and as data."""

    markdown: str = Field(description="Empty where nothing is known.")
    topics: tuple[Topic, ...] = Field(description="Largest first; facts without a tag last. A fact stands under its first tag.")
    memories: dict[Kind, int] = Field(description="Active ones by kind.")
    entities: tuple[KnownEntity, ...] = Field(description="Those mentioned most.")


class StatsAnswer(Answer):
    """Counts by kind and status, the latest record, and what is set."""

    memories: dict[Kind, int] = Field(description="Active ones by kind.")
    by_status: dict[Standing, dict[Kind, int]] = Field(default_factory=dict, description="All of them, by status and kind.")
    pinned: int = Field(default=0, description="Active ones that are pinned.")
    manually_saved: int = Field(default=0, description="Active ones that were saved by hand.")
    repeats: int = Field(default=0, description="How often known facts were told again.")
    sessions: int
    open_sessions: int
    entities: int
    latest_recorded_at: Utc | None
    soft_cap: int | None = Field(
        default=None, description="Most live facts: as the person set it, else as last applied; null: never reached, not set."
    )
    cap_usage: float | None = Field(default=None, description="Active facts as a share of `soft_cap`.")
    capacity_exceeded_at: Utc | None = Field(
        default=None, description="When the cap was last exceeded by facts that are all pinned or saved by hand."
    )
    settings: PersonSettings = Field(default_factory=PersonSettings, description="The person's settings in this space.")


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
    why: Literal["named", "near_duplicate", "earlier_version", "states_it", "rests_on_it"] = Field(
        description="named: by the command; near_duplicate: says the same; earlier_version: what the fact said before it was "
        "corrected; states_it: a turn that says it; rests_on_it: a fact whose every source goes."
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


class AuditEntry(Contract):
    """One thing that was done, or refused."""

    number: int = Field(description="The event's number among this person's events.")
    at: Utc = Field(description="When the server took the command.")
    type: str = Field(description="The event's type; command_rejected: a command was refused.")
    actor: Actor = Field(description="Who asked: the channel is authenticated, the name is claimed.")
    result: Literal["recorded", "rejected"]
    code: str | None = Field(default=None, description="Why it was refused.")
    memory_ids: tuple[str, ...] = Field(default=(), description="The memories that it is about.")
    details: dict[str, JsonValue] = Field(default_factory=dict, description="Other ids, counts, flags and codes of the event.")


class AuditAnswer(Answer):
    """A page of the trail."""

    entries: tuple[AuditEntry, ...] = Field(description="Newest first.")
    next_before_number: int | None = Field(default=None, description="Ask with it for the next page; null: no more.")


class ExportAnswer(Answer):
    """A page of an export."""

    content_digest: str | None = Field(
        default=None, description="On the first page: of everything that is remembered of this person. Null on later ones."
    )
    through_position: int = Field(description="The export ends here.")
    records: tuple[ImportedRecord, ...] = Field(description="`import_memories` takes them.")
    next_after_position: int | None = Field(default=None, description="Ask with it for the next page; null: no more.")


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
        EntityQuery,
        SummaryQuery,
        SimilarQuery,
        StatsQuery,
        ExplainQuery,
        ForgetPreviewQuery,
        ReceiptQuery,
        AuditQuery,
        ExportQuery,
        OutcomeQuery,
    )
}
"""Every query by its name, the last token of its subject."""

ANSWERS: dict[str, type[Contract]] = {
    "context": ContextAnswer,
    "search": SearchAnswer,
    "list": ListAnswer,
    "show": ShowAnswer,
    "entity": EntityAnswer,
    "summary": SummaryAnswer,
    "similar": SimilarAnswer,
    "stats": StatsAnswer,
    "explain": ExplainAnswer,
    "forget_preview": ForgetPreviewAnswer,
    "receipt": ReceiptAnswer,
    "audit": AuditAnswer,
    "export": ExportAnswer,
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
