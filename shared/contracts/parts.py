"""Pieces that events, commands and queries have in common."""

import re
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, JsonValue, model_validator
from pydantic_core import PydanticCustomError, to_json

from .content import Content, Plain, Trace
from .contract import Contract, Utc
from .ids import MemoryId, SessionId

MAX_TEXT_CHARACTERS = 65_536
MAX_METADATA_BYTES = 16_384
MAX_METADATA_DEPTH = 16
MAX_ID_CHARACTERS = 256
BYTES_PER_DIMENSION = 2
HASH_BYTES = 8
"""Most hashes of one recall: about 16 KiB, or the words of a block of 2,000 tokens."""
_BASE64 = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")


ChatOutcome = Literal["done", "asked_back", "nothing_found", "unchanged", "declined"]
"""What became of a command that the user spoke in chat; the language files have a saying for each but the last."""


class Role(StrEnum):
    """Who speaks in a turn."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"


class Kind(StrEnum):
    """What a memory is."""

    EPISODE = "episode"
    FACT = "fact"
    REFLECTION = "reflection"
    ROLLUP = "rollup"  # many old memories in one text

    @property
    def is_derived(self) -> bool:
        """True for what memstream itself writes about other memories."""
        return self in {Kind.REFLECTION, Kind.ROLLUP}


class Standing(StrEnum):
    """Whether a memory is live."""

    ACTIVE = "active"
    SUPERSEDED = "superseded"  # a newer fact stands in its place
    RETIRED = "retired"  # trimmed, decayed or rolled up; the text stays


def _some_words(text: str) -> str:
    if not text.strip():
        raise PydanticCustomError("empty_text", "the text is empty; send only turns that say something")
    if len(text) > MAX_TEXT_CHARACTERS:
        raise PydanticCustomError("too_large", f"the text has {len(text)} characters, at most {MAX_TEXT_CHARACTERS}; split it")
    return text


def _depth(value: JsonValue) -> int:
    """How deep containers are nested; stops counting past what is allowed."""
    level, depth = [value], 0
    while level and depth <= MAX_METADATA_DEPTH:
        inner = [item for item in level if isinstance(item, dict | list)]
        level = [child for item in inner for child in (item.values() if isinstance(item, dict) else item)]
        depth += bool(inner)
        if not inner:
            break
    return depth


def _small(metadata: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if not metadata:
        return metadata
    if len(to_json(metadata)) > MAX_METADATA_BYTES:
        raise PydanticCustomError("too_large", f"metadata takes more than {MAX_METADATA_BYTES} bytes; keep references in it")
    if _depth(metadata) > MAX_METADATA_DEPTH:
        raise PydanticCustomError("too_large", f"metadata is nested deeper than {MAX_METADATA_DEPTH} levels; flatten it")
    return metadata


def _whole_hashes(packed: str) -> str:
    if packed and (not _BASE64.fullmatch(packed) or (len(packed) // 4 * 3 - packed.count("=")) % HASH_BYTES):
        raise PydanticCustomError("malformed", "the shingles are not whole hashes in base64")
    return packed


Text = Annotated[str, AfterValidator(_some_words), Content.WORDS]
"""What was said or is known: 1 to 65,536 characters, not only white space, kept as it came."""

Shingles = Annotated[str, AfterValidator(_whole_hashes), Content.PLAIN]
"""Keyed hashes of 8 bytes each, in base64."""

SessionKey = Annotated[SessionId, Field(min_length=1, max_length=MAX_ID_CHARACTERS)]
"""A session id: 1 to 256 characters."""

Identifier = Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARACTERS)]
"""An id of the bot's: 1 to 256 characters."""

Metadata = Annotated[dict[str, JsonValue], AfterValidator(_small), Content.TRACE]
"""The bot's own JSON, at most 16 KiB, stored and returned as it came."""


RULES = "rules/"
"""How the names of the embedded extractor's versions begin."""


class Origin(Contract):
    """What drew a fact out of a conversation. Recorded, so that a replay needs no model."""

    extractor: Plain = Field(max_length=128, description="`rules/<version>`, or `llm`.")
    model: Plain | None = Field(default=None, max_length=256, description="The model, where one was asked.")
    prompt: Plain | None = Field(default=None, max_length=64, description="Version of the prompt.")
    parameters: Annotated[dict[str, JsonValue], Content.PLAIN] = Field(
        default_factory=dict, description="Temperature and the like."
    )
    run_id: Plain = Field(max_length=64, description="The consolidation run.")


class Entity(Contract):
    """A name, address or date found in a text."""

    name: Trace = Field(description="As it stands in the text.")
    type: Plain = Field(description="person, project, organization, location, email, url, hashtag, date or other.")
    start: int = Field(ge=0, description="First character in the text.")
    end: int = Field(ge=0, description="One past its last character.")
    confidence: float = Field(ge=0, le=1)


class FactSlot(Contract):
    """What a fact states in one respect, so that a newer statement of the same can take its place."""

    subject: Trace = Field(
        min_length=1, max_length=256, description="`user`, a name in lower case, or whose somebody is: `user's sister`."
    )
    attribute: Trace = Field(
        min_length=1, max_length=256, description="`home`, `employer`, `favourite colour`, `dentist appointment` and the like."
    )
    value: Trace | None = Field(default=None, max_length=256, description="As it is compared; none where any is meant.")
    negated: bool = Field(default=False, description="It does not hold, or not any more.")
    valid_from: Utc | None = Field(default=None, description="Since when it holds, where it is said.")
    valid_until: Utc | None = Field(default=None, description="Until when it holds, where it is said.")
    is_doubtful: bool = Field(default=False, description="Hedged: maybe, I think, might, considering.")
    is_future: bool = Field(default=False, description="Not yet true when it was said.")
    is_implied: bool = Field(default=False, description="It only goes with another slot: who is vegan eats no meat.")
    replaces: Trace | None = Field(
        default=None, max_length=256, description="The old value, where it is named: `from X to Y`, `not X, Y`."
    )


class Embedding(Contract):
    """A vector, and what made it."""

    model: Plain = Field(max_length=256, description="Fingerprint of the embedder: its id, dimensions and weights.")
    dimensions: int = Field(ge=1, le=4096)
    vector: Trace = Field(description="float16[dimensions], little-endian, of length 1, in base64.", repr=False)

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if len(self.vector) != 4 * ((self.dimensions * BYTES_PER_DIMENSION + 2) // 3):
            raise PydanticCustomError("malformed", "the vector's length does not fit its dimensions")
        return self


class Importance(Contract):
    """How much a memory matters: the sum of its parts, clamped to [0, 1].

    Source: ../reference/memory-upgrade-spec.md, "Importance Heuristics".
    """

    value: float = Field(ge=0, le=1)
    parts: dict[Plain, float] = Field(
        default_factory=dict,
        description="What each rule added: base (or an extractor's estimate), asked, lasting, entities, small_talk, repeats.",
    )


class Echo(Contract):
    """A part of a turn that says again what memstream itself had handed out. It is no new evidence."""

    memory_id: MemoryId = Field(max_length=64, description="The memory that is echoed.")
    start: int = Field(ge=0, description="First character in the turn's text.")
    end: int = Field(ge=0, description="One past its last character.")


def _without_negative_zero(value: float) -> float:
    return value + 0.0


Real = Annotated[float, AfterValidator(_without_negative_zero)]
"""A number that is to be shown: -0.0 is 0.0."""


class Score(Contract):
    """Why a memory stands where it stands: total = alpha * relevance + beta * recency + gamma * importance.

    The total of a memory whose confidence is below 0.5 is multiplied by confidence / 0.5.
    """

    total: Real
    relevance: Real = Field(ge=0, le=1, description="The fused score of the search legs.")
    recency: Real = Field(ge=0, le=1, description="exp(-age / tau).")
    importance: Real = Field(ge=0, le=1)
    legs: dict[Plain, Real] = Field(default_factory=dict, description="What each search leg gave, in [0, 1].")


class RecalledItem(Contract):
    """One memory of a recall, with the scores that placed it."""

    memory_id: MemoryId
    score: Score
    shingles: Shingles = Field(
        default="",
        repr=False,
        description="Of older recalls, and of what is shared: keyed 64-bit hashes of its words as handed out, in base64.",
    )
