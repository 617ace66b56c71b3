"""Answers of the retriever about what is remembered."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from .conflicts import ConflictReason
from .contract import Contract, Utc
from .ids import ConflictId, MemoryId, MessageId, RecallId, SessionId
from .memories import KnownEntity, ListedEntity, Memory, MemoryDetail, ScoredMemory
from .parts import ChatOutcome, Kind, Real, Standing
from .preferences import PersonSettings, RankingOptions
from .reflecting import Insight


class LegFailure(StrEnum):
    """Why a search leg gave no answer."""

    NO_EMBEDDER = "no_embedder"  # the operator switched vectors off
    EMBEDDER_SLOW = "embedder_slow"  # the question's vector did not come in time
    EMBEDDER_FAILED = "embedder_failed"
    NO_VECTORS = "no_vectors"  # of this person's memories none has a vector yet
    OTHER_MODEL = "other_model"  # their vectors are of another model, or of other dimensions
    BROKEN = "broken"  # a table of this person's file; a damaged file is built again when it is asked next


class Answer(Contract):
    """What every answer says of itself."""

    position: int = Field(
        description="The log is applied up to here. For a bot that is limited to spaces: the number of this person's last event"
        " that is known."
    )


class CommandAnswer(Contract):
    """What became of a command that the user spoke in chat."""

    name: str
    outcome: ChatOutcome
    say: str = Field(description="What the bot may say to the user.")
    memory_ids: tuple[str, ...] = Field(default=(), description="What it was about, at most the first 200.")
    erase_at: Utc | None = Field(default=None, description="Of what was forgotten: until then it can be taken back.")
    forgetting: int | None = Field(
        default=None, description="Of what was forgotten or taken back: the number for `receipt` and `take_back`."
    )


class PendingConflict(Contract):
    """Two facts of which at most one may hold, and what to ask the person."""

    conflict_id: ConflictId = Field(description="For `answer_conflict`.")
    question: str = Field(description="In the person's language where it is known.")
    older: MemoryId
    older_text: str
    newer: MemoryId
    newer_text: str
    reason: ConflictReason
    detected_at: Utc


class ConflictsAnswer(Answer):
    """The questions that nobody has answered yet, the latest first."""

    conflicts: tuple[PendingConflict, ...]


class ProfileEntry(Contract):
    """What every context says of its person first, whatever is asked."""

    about: str = Field(description="The attribute, as `name`, `allergy` or `home`; `pinned`: what was pinned.")
    value: str = Field(description="In the words of the memory.")
    memory_id: str
    source_ids: tuple[str, ...] = Field(description="The turns that it rests on.")


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
    profile: tuple[ProfileEntry, ...] = Field(
        default=(),
        description="Who the person is, in the first line of `markdown`: from facts and pins, also where nothing matters.",
    )
    pending: tuple[PendingConflict, ...] = Field(
        default=(), description="Questions about facts in `items` that may contradict each other; `markdown` says them, too."
    )
    insight: Insight | None = Field(
        default=None, description="What the last week came to, where `markdown` says it below the memories."
    )


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
    LESS_RELEVANT = "less_relevant"  # its relevance is less than the share `cut_below` of the best
    DUPLICATE = "duplicate"  # says what another one says that is given; or good enough, but too like what stood above it
    IDLE = "idle"  # a turn that only asks the same, only reacts, or only told the memory what to do
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
    line: int | None = Field(
        default=None,
        description="Its line in the block. It differs from the order of places where a better place comes from what it says as"
        " well, or where it stands right below what holds in its place.",
    )
    excerpt: str | None = Field(default=None, description="What the block shows of it, where it is shortened.")
    said_by: str | None = Field(default=None, description="The memory that says it, where it is left out as a duplicate.")
    legs: dict[str, LegScore] = Field(description="By leg: lexical, vector, entity, time, speaker.")
    cosine: Real | None = Field(default=None, description="Of its own vector with the question's, as it is.")
    relevance: Real
    relevance_parts: dict[str, Real] = Field(
        default_factory=dict,
        description="What relevance is the sum of, at least 0: fused (from the legs), session (its share of the best of its"
        " session), question (what a turn that only asks loses), nearness (of its own vector), another (what somebody else said"
        " than is asked about loses, or a bot), manner (how it is said),"
        " stands_for (what it gains by standing in the place of what it"
        " outdates), outdated (what it loses to stay behind what outdates a part of it), states (what it gains by stating just"
        " what is asked).",
    )
    features: dict[str, Real] = Field(
        default_factory=dict, description="What the learned fusion weighs, as it is before its weight; else empty."
    )
    recency: Real
    importance: Real
    confidence: Real
    total: Real
    mmr_penalty: Real = Field(default=0.0, description="(1 - lambda) * likeness to the nearest one above.")
    stands_for: tuple[str, ...] = Field(default=(), description="Ids of what was found as well and does not hold any more.")
    sources: tuple[Source, ...] = Field(default=(), description="Down to the messages.")


class ExplainAnswer(Answer):
    """Everything that decided what a context holds."""

    recall_id: RecallId | None = None
    query: str = Field(description="The question that was explained.")
    at_number: int = Field(description="The person's last event that was known.")
    computed_at: Utc = Field(description="The moment from which ages were counted.")
    ranking: str = Field(description="Hash of the effective ranking.")
    options: RankingOptions = Field(description="The effective ranking.")
    evidence: Real = Field(description="What spoke for an answer, in [0, 1].")
    signs: dict[str, Real] = Field(default_factory=dict, description="What the evidence was made of; `near` with vectors only.")
    profile: tuple[ProfileEntry, ...] = Field(default=(), description="What its first line says of the person.")
    least_evidence: Real = Field(
        default=0.0,
        description="With less nothing is returned: options.abstain_below, times what the question's kind asks for.",
    )
    abstained: bool = False
    is_small_talk: bool = Field(
        default=False, description="True if the message was taken for small talk: nothing was searched."
    )
    reproduced: bool | None = Field(
        default=None,
        description="Whether the same memories came out in the same order as recorded; null: no recall given, or one that held"
        " something of another space.",
    )
    candidates: tuple[Considered, ...] = Field(description="In the final order, then those that may not appear.")
    shared: tuple[ScoredMemory, ...] = Field(
        default=(), description="Of a context of now: what other spaces of the person give for it. It stands among the others."
    )
    legs_failed: tuple[str, ...] = Field(default=(), description="Search legs that gave no answer now.")
    leg_failures: dict[str, LegFailure] = Field(default_factory=dict, description="Why, by leg.")


class ConsolidationRun(Contract):
    """A time that a session was learned from."""

    run_id: str = Field(description="For `undo`.")
    extractor: str = Field(description="`rules/<version>`, `llm` or `agent`.")
    model: str | None = None
    facts: int = Field(description="What it found, with what was known already.")
    at: Utc
    undone_at: Utc | None = Field(default=None, description="When it was taken back.")


class ConversationState(StrEnum):
    """Whether a conversation is learned from."""

    OPEN = "open"
    PENDING = "pending"  # over, and not learned from yet
    CONSOLIDATED = "consolidated"


class Conversation(Contract):
    """A session, and what was learned from it."""

    session_id: SessionId
    state: ConversationState
    first_seen_at: Utc
    completed_at: Utc | None = Field(default=None, description="Null: it is open.")
    turns: int
    new_turns: int = Field(description="Turns that no run has read.")
    runs: tuple[ConsolidationRun, ...] = Field(default=(), description="Oldest first.")


class SessionsAnswer(Answer):
    """The sessions, the latest first."""

    sessions: tuple[Conversation, ...]


class EpisodesAnswer(Answer):
    """A page of the turns of a session that no run has read, in the order in which they were recorded."""

    session_id: SessionId
    is_consolidated: bool = Field(description="True where there is nothing to learn from it.")
    episodes: tuple[Memory, ...] = Field(description="Without the parts that repeat what memstream had handed out.")
    next_after_number: int | None = Field(default=None, description="Null on the last page.")


class ListAnswer(Answer):
    """A page of memories."""

    items: tuple[Memory, ...]
    next_before_number: int | None = Field(default=None, description="Null on the last page.")


class ChangeOfMemory(StrEnum):
    """What became of a memory between two moments."""

    LEARNED = "learned"  # it was not known before; `status` says whether it still holds
    SUPERSEDED = "superseded"
    RETIRED = "retired"
    RESTORED = "restored"  # it held no more, and does again
    PINNED = "pinned"
    UNPINNED = "unpinned"
    CONFIRMED = "confirmed"
    REPEATED = "repeated"  # told again, and nothing else


class ChangedMemory(Contract):
    """A memory as it was known at the later moment, and what became of it since the earlier one."""

    change: ChangeOfMemory
    memory: Memory


class DiffAnswer(Answer):
    """What is otherwise at the later of two moments. Of what was forgotten since, only the number is told."""

    changes: tuple[ChangedMemory, ...] = Field(description="In the order in which the memories were learned.")
    left_out: int = Field(default=0, description="So many more changes there were than `limit`.")
    forgotten: int = Field(default=0, description="Memories that were forgotten between the two moments, and not taken back.")


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


class EntitiesAnswer(Answer):
    """A page of the entities."""

    entities: tuple[ListedEntity, ...] = Field(description="Those mentioned most first.")
    next_offset: int | None = Field(default=None, description="Null on the last page.")


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


class TagShare(Contract):
    """A tag that another space of the person reads."""

    share_id: str = Field(description="Names it where its words may not stand, as in a URL.")
    tag: str
    with_space: str
    since: Utc
    memories: int = Field(description="Active facts and turns that have it now.")


class SharesAnswer(Answer):
    """What this space shares, by tag and then by space."""

    shares: tuple[TagShare, ...]


class StatsAnswer(Answer):
    """Counts by kind and status, the latest record, and what is set."""

    memories: dict[Kind, int] = Field(description="Active ones by kind.")
    by_status: dict[Standing, dict[Kind, int]] = Field(default_factory=dict, description="All of them, by status and kind.")
    pinned: int = Field(default=0, description="Active ones that are pinned.")
    manually_saved: int = Field(default=0, description="Active ones that were saved by hand.")
    repeats: int = Field(default=0, description="How often known facts were told again.")
    trims: int = Field(default=0, description="Facts that the soft cap retired, and that are retired still.")
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
