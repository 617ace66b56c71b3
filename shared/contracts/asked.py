"""The queries, requested on `ask.<space>.<user>.<query>`. The scope comes from the subject, never from here."""

from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from .answers import (
    ConflictsAnswer,
    ContextAnswer,
    DiffAnswer,
    EntitiesAnswer,
    EntityAnswer,
    EpisodesAnswer,
    ExplainAnswer,
    ListAnswer,
    SearchAnswer,
    SessionsAnswer,
    SharesAnswer,
    ShowAnswer,
    SimilarAnswer,
    StatsAnswer,
    SummaryAnswer,
)
from .contract import MAX_NUMBER, Contract, Utc, name_by_class
from .ids import MessageId, RecallId, SessionId
from .log_answers import AuditAnswer, ExportAnswer, ForgetPreviewAnswer, OutcomeAnswer, ReceiptAnswer
from .moving import MAX_RECORDS
from .parts import Identifier, Kind, Metadata, Standing
from .preferences import RankingOptions
from .privacy import ForgetTarget

MAX_QUERY_CHARACTERS = 16_384
DEFAULT_CONTEXT_ITEMS = 100
DEFAULT_BUDGET_TOKENS = 2_000
USUAL_KINDS = (Kind.FACT, Kind.EPISODE, Kind.ROLLUP)
SPECIFIED_ITEMS = 5
"""So many facts the preset `specification` gives. Source: ../reference/memory-system.md, "Context injection"."""


class Asked(Contract):
    """What every query has."""

    query_name: ClassVar[str]
    """The last token of its subject: the name of its class without `Query`."""
    answer: ClassVar[type[Contract]]
    """What it is answered with."""
    answered_by: ClassVar[str] = "retriever"

    timeout_s: float = Field(default=2.0, gt=0, le=30, description="How long to wait at most, in seconds.")

    def __init_subclass__(cls, **options: Any) -> None:  # noqa: ANN401 - pydantic's own
        super().__init_subclass__(**options)
        name_by_class(cls, "query_name", without="_query")


class Query(Asked):
    """What every query about memories has."""

    min_position: int = Field(
        default=0, ge=0, le=MAX_NUMBER, description="Wait until the log is applied up to this position (read your writes)."
    )


class OfThen(Query):
    """A query that can be put to the past: what was known then, without what was forgotten since. Nothing is recorded."""

    as_of: Utc | None = Field(default=None, description="As of this moment: what was recorded until then. Null: now.")
    at_number: int | None = Field(default=None, ge=0, le=MAX_NUMBER, description="As of this event of the person's. Null: now.")

    @model_validator(mode="after")
    def _one_then(self) -> Self:
        if self.as_of is not None and self.at_number is not None:
            raise PydanticCustomError("malformed", "give as_of or at_number, not both")
        return self

    @property
    def until(self) -> datetime | int | None:
        """The moment or the number of the event up to which the query is put to the past; None: to the present."""
        return self.at_number if self.as_of is None else self.as_of


class Preset(StrEnum):
    """Which ranking to use."""

    SHIPPED = "shipped"  # words and vectors fused by a weighted mean; relevance before recency and importance
    RRF = "rrf"  # the same, fused by reciprocal ranks
    SPECIFICATION = "specification"  # cosine relevance, all three scores weighing the same; a context holds 5 facts


class Narrowed(Contract):
    """A query that can be limited to some memories."""

    tags: tuple[Identifier, ...] = Field(default=(), max_length=32, description="Only with all of these tags, in any case.")
    entities: tuple[Identifier, ...] = Field(
        default=(), max_length=32, description="Only those that mention all of these: names, aliases or `ent_` ids."
    )
    metadata: Metadata = Field(
        default_factory=dict,
        description="Only turns with all of these values in their metadata, and facts that rest on such a turn. A list means"
        " any of its values.",
    )
    occurred_after: Utc | None = Field(default=None, description="Only what was said at this moment or later.")
    occurred_before: Utc | None = Field(default=None, description="Only what was said before this moment.")

    @property
    def is_narrowed(self) -> bool:
        """True if the query is limited in any of these ways."""
        return any((self.tags, self.entities, self.metadata, self.occurred_after, self.occurred_before))


class RankedQuery(Narrowed):
    """A query for what matters, in the order of a ranking."""

    session_id: SessionId | None = Field(default=None, max_length=256, description="The current session; left out.")
    kinds: tuple[Kind, ...] = Field(default=USUAL_KINDS, min_length=1, description="What to look for.")
    limit: int = Field(default=DEFAULT_CONTEXT_ITEMS, ge=1, le=200, description="Most items; fewer where fewer matter, or fit.")
    budget_tokens: int | None = Field(
        default=DEFAULT_BUDGET_TOKENS, ge=1, le=MAX_NUMBER, description="Most tokens of the block, estimated; null: no budget."
    )
    preset: Preset = Field(default=Preset.SHIPPED, description="Which ranking to use.")
    ranking: RankingOptions | None = Field(default=None, description="Over the preset and all settings, for this query only.")


class ContextQuery(OfThen, RankedQuery):
    """What do I know that matters here? The ready block for a prompt, and the same as structured items."""

    answer = ContextAnswer

    query: str = Field(max_length=MAX_QUERY_CHARACTERS, description="The user's words; any text.")
    incognito: bool = Field(default=False, description="True: the answer is empty and nothing of the question is recorded.")
    record: bool = Field(default=True, description="False where the answer is only looked at, not given to a model.")
    message_id: MessageId | None = Field(default=None, max_length=256, description="The turn that asks.")

    @property
    def in_full(self) -> Self:
        """The query with the kinds and the limit of its preset; other ones than the shipped stay."""
        if self.preset is not Preset.SPECIFICATION:
            return self
        kinds = (Kind.FACT,) if self.kinds == USUAL_KINDS else self.kinds
        limit = SPECIFIED_ITEMS if self.limit == DEFAULT_CONTEXT_ITEMS else self.limit
        return self.model_copy(update={"kinds": kinds, "limit": limit})


class SearchQuery(OfThen, Narrowed):
    """Memories by their words, best first. Nothing is recorded."""

    answer = SearchAnswer

    query: str = Field(max_length=MAX_QUERY_CHARACTERS, description="Words to look for; any text.")
    kinds: tuple[Kind, ...] = Field(default=USUAL_KINDS, min_length=1, description="What to look for.")
    limit: int = Field(default=10, ge=1, le=200, description="Most items.")
    exclude_session_id: SessionId | None = Field(default=None, max_length=256, description="A session to leave out.")
    rolled_up: bool = Field(default=False, description="True: also the old memories for which a roll-up stands, word for word.")
    preset: Preset = Field(default=Preset.SHIPPED, description="Which ranking to use.")
    ranking: RankingOptions | None = Field(default=None, description="Over the preset and all settings, for this query only.")


class ListQuery(OfThen, Narrowed):
    """Memories in the order in which they were learned, newest first."""

    answer = ListAnswer

    kinds: tuple[Kind, ...] = Field(default=USUAL_KINDS, min_length=1, description="What to look for.")
    session_id: SessionId | None = Field(default=None, max_length=256, description="Only of this session.")
    status: Standing | Literal["all"] = Field(
        default=Standing.ACTIVE, description="active, superseded, retired, or all of them."
    )
    pinned: bool | None = Field(default=None, description="True: only pinned ones; false: only others.")
    manually_saved: bool | None = Field(default=None, description="True: only those saved by hand; false: only others.")
    tag: Identifier | None = Field(default=None, description="Only with this tag, in any case.")
    entity: Identifier | None = Field(default=None, description="Only those that mention it: a name, an alias or an `ent_` id.")
    limit: int = Field(default=50, ge=1, le=500, description="Most items of a page.")
    before_number: int | None = Field(
        default=None, ge=1, le=MAX_NUMBER, description="For the next page: `next_before_number` of the last."
    )


class DiffQuery(OfThen):
    """What was learned, superseded, retired, restored and forgotten between two moments: by default from the earlier to now."""

    answer = DiffAnswer

    since: Utc | None = Field(default=None, description="The earlier moment.")
    since_number: int | None = Field(
        default=None, ge=0, le=MAX_NUMBER, description="The earlier moment, as an event of the person's."
    )
    kinds: tuple[Kind, ...] = Field(default=(Kind.FACT, Kind.ROLLUP), min_length=1, description="Memories of these kinds.")
    limit: int = Field(default=200, ge=1, le=500, description="Most changes.")
    timeout_s: float = Field(default=10.0, gt=0, le=30, description="How long to wait at most, in seconds.")

    @model_validator(mode="after")
    def _one_since(self) -> Self:
        if (self.since is None) == (self.since_number is None):
            raise PydanticCustomError("malformed", "give since or since_number, one of them")
        return self


class ShowQuery(Query):
    """One memory with everything that is known of it."""

    answer = ShowAnswer

    memory_id: Identifier = Field(
        description="As a search or a context names it; or its beginning, with at least 4 digits, where no other begins so."
    )


class EntityQuery(Query):
    """Everything that is known of a person, a place or a thing: its profile, and the memories that mention it."""

    answer = EntityAnswer

    name: Identifier = Field(description="Its name, an alias of it, or its `ent_` id.")
    limit: int = Field(default=20, ge=1, le=200, description="Most memories.")


class EntitiesQuery(Query):
    """Who and what is mentioned, those mentioned most first, with the names that each was put together from."""

    answer = EntitiesAnswer

    name: Identifier | None = Field(default=None, description="Only those that this name, alias or `ent_` id may mean.")
    types: tuple[Identifier, ...] = Field(default=(), max_length=16, description="Only these types; empty: all.")
    limit: int = Field(default=50, ge=1, le=200, description="Most entities of a page.")
    offset: int = Field(default=0, ge=0, le=1_000_000, description="For the next page: `next_offset` of the last.")


class SummaryQuery(Query):
    """What is known in this space, to read: by topic, facts first. No model is asked."""

    answer = SummaryAnswer

    limit: int = Field(default=10, ge=1, le=200, description="Most facts of a topic.")
    topics: int = Field(default=20, ge=1, le=200, description="Most topics.")


class ExplainQuery(Query, RankedQuery):
    """Why a context was as it was: every candidate with its scores, and why it was left out.

    With `recall_id` a recorded recall is computed again as of then. Its question is read from the turn that asked, if the
    recall named one that was recorded; else `query` must give it again, for a recall holds no words. Without `recall_id` it
    explains what `context` would answer to `query`.
    """

    answer = ExplainAnswer

    recall_id: RecallId | None = Field(default=None, max_length=64, description="Of a context that was recorded.")
    query: str | None = Field(default=None, max_length=MAX_QUERY_CHARACTERS, description="The words of the question.")
    at_number: int | None = Field(
        default=None, ge=0, le=MAX_NUMBER, description="Without recall_id: as of this event of the person's; null: now."
    )
    most_candidates: int = Field(default=50, ge=1, le=500, description="Most candidates of the answer.")
    timeout_s: float = Field(default=10.0, gt=0, le=30, description="How long to wait at most, in seconds.")


class SimilarQuery(Query):
    """The memories most like one memory, by their vectors."""

    answer = SimilarAnswer

    memory_id: Identifier = Field(description="The memory, as a search or a context names it.")
    kinds: tuple[Kind, ...] = Field(default=USUAL_KINDS, min_length=1, description="What to look for.")
    limit: int = Field(default=5, ge=1, le=50, description="Most items.")


class SessionsQuery(Query):
    """The conversations, with the runs that learned from them, the latest first."""

    answer = SessionsAnswer

    session_id: SessionId | None = Field(default=None, max_length=256, description="Only this one.")
    limit: int = Field(default=50, ge=1, le=500, description="Most sessions.")


class EpisodesQuery(Query):
    """The turns of a session that no run has learned from yet, for an agent that learns from them itself."""

    answer = EpisodesAnswer

    session_id: SessionId = Field(min_length=1, max_length=256, description="The conversation.")
    after_number: int = Field(default=0, ge=0, le=MAX_NUMBER, description="For the next page: `next_after_number` of the last.")
    limit: int = Field(default=30, ge=1, le=200, description="Most turns of a page.")


class ConflictsQuery(Query):
    """The facts that may contradict each other, and what to ask the person about them; `answer_conflict` takes the answer."""

    answer = ConflictsAnswer

    limit: int = Field(default=50, ge=1, le=200, description="Most questions, the latest first.")


class SharesQuery(Query):
    """The tags that this space shares with other spaces of the person."""

    answer = SharesAnswer


class StatsQuery(Query):
    """How much is remembered."""

    answer = StatsAnswer


class AuditQuery(Query):
    """Who did what, when, by which channel, and what came of it; newest first. Ids, counts and codes, no text."""

    answer = AuditAnswer

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
    before_number: int | None = Field(
        default=None, ge=1, le=MAX_NUMBER, description="For the next page: `next_before_number` of the last."
    )


class ExportQuery(Query):
    """A page of everything that is remembered of this person, in the order in which it was learned."""

    answer = ExportAnswer

    after_position: int = Field(
        default=0, ge=0, le=MAX_NUMBER, description="For the next page: `next_after_position` of the last."
    )
    through_position: int | None = Field(
        default=None, ge=0, le=MAX_NUMBER, description="For the next page: as in the first answer; what came later is left out."
    )
    limit: int = Field(default=MAX_RECORDS, ge=1, le=MAX_RECORDS, description="Most records of a page.")
    timeout_s: float = Field(default=10.0, gt=0, le=30, description="How long to wait at most, in seconds.")


class OutcomeQuery(Asked):
    """What became of something that was sent. Waits until it is decided, up to `timeout_s`."""

    answer = OutcomeAnswer
    answered_by = "ingest"

    sequence: int | None = Field(
        default=None, ge=1, le=MAX_NUMBER, description="The `seq` of the publish acknowledgement: the surest way."
    )
    what: str | None = Field(default=None, max_length=64, description="With message_id: the command's name.")
    message_id: MessageId | None = Field(default=None, max_length=256, description="With what: the id it was sent with.")


class ForgetPreviewQuery(Asked, ForgetTarget):
    """What would be forgotten, and why; nothing is changed."""

    answer = ForgetPreviewAnswer
    answered_by = "ingest"


class ReceiptQuery(Asked):
    """How far a forgetting has come, and its receipt."""

    answer = ReceiptAnswer
    answered_by = "ingest"

    number: int = Field(ge=1, le=MAX_NUMBER, description="The `number` of the outcome of the forget command.")
