"""What can be set: by a person for themselves in a space, and by the operator for everybody."""

from enum import StrEnum
from typing import Annotated, ClassVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from .content import Content, Plain
from .contract import Contract
from .event import EventData
from .parts import Kind


class Fusion(StrEnum):
    """How the legs become one relevance."""

    LEARNED = "learned"  # convex, and with learned weights what else is known of a memory: who speaks, how it is said
    CONVEX = "convex"  # weighted mean of exact scores
    RRF = "rrf"  # reciprocal ranks
    COSINE = "cosine"  # candidates as in rrf; relevance is the cosine, or the sparse score where there is no vector


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise PydanticCustomError("malformed", "no such time zone; use a name of the IANA list, as Europe/Berlin") from error
    return name


TimeZone = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_known_zone), Content.PLAIN]
"""A time zone by its IANA name."""


class RankingOptions(Contract):
    """What can be tuned of the ranking. What is left out stays as the wider setting says.

    Narrow before wide: the query, the person's settings, the operator's for the space, the operator's, the shipped ones.
    """

    fusion: Fusion | None = Field(default=None, description="How the legs become one relevance.")
    alpha: float | None = Field(default=None, ge=0, le=10, description="Weight of relevance.")
    beta: float | None = Field(default=None, ge=0, le=10, description="Weight of recency.")
    gamma: float | None = Field(default=None, ge=0, le=10, description="Weight of importance.")
    tau_days: float | None = Field(default=None, gt=0, le=36_500, description="Recency is exp(-age / tau).")
    rrf_k: int | None = Field(default=None, ge=1, le=10_000, description="The constant of reciprocal rank fusion.")
    candidates: int | None = Field(default=None, ge=1, le=1_000, description="Most candidates of a leg.")
    mmr_lambda: float | None = Field(
        default=None, ge=0, le=1, description="1: the best only; towards 0: the more different from what stands above."
    )
    abstain_below: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Nothing is returned where the evidence for all of it is weaker; 0: always answer.",
    )
    lexical: float | None = Field(default=None, ge=0, le=10, description="In convex and learned: weight of the words.")
    vector: float | None = Field(default=None, ge=0, le=10, description="In convex and learned: weight of the vectors.")
    speaker: float | None = Field(
        default=None, ge=0, le=10, description="In convex and learned: weight of who speaks, where one is named."
    )
    entity: float | None = Field(
        default=None, ge=0, le=10, description="In convex and learned: weight of the entities asked for."
    )
    time: float | None = Field(default=None, ge=0, le=10, description="In convex and learned: weight of the time asked for.")
    session: float | None = Field(
        default=None, ge=0, le=10, description="In convex and learned: share of the best of the same session."
    )
    question: float | None = Field(
        default=None, ge=0, le=1, description="In convex and learned: taken from a turn that only asks."
    )
    profile_tokens: int | None = Field(
        default=None, ge=0, le=2_000, description="Most tokens of what a context says of its person first; 0: nothing."
    )
    cut_below: float | None = Field(
        default=None, ge=0, le=1, description="In a context: share of the best relevance that a line has at least; 0: all."
    )


class RecallTerms(Contract):
    """How a context was asked for: all that explaining it needs, but for the words of the question."""

    kinds: tuple[Kind, ...] = Field(description="What was looked for.")
    limit: int = Field(ge=1, description="Most items.")
    budget_tokens: int | None = Field(default=None, ge=1, description="Most tokens of the block; null: no budget.")
    ranking: RankingOptions = Field(description="The effective ranking, complete.")
    time_zone: Plain = Field(default="UTC", max_length=64, description="Whose days are meant by `yesterday`.")
    legs_failed: tuple[Plain, ...] = Field(default=(), max_length=16, description="Search legs that gave no answer.")


class PersonSettings(Contract):
    """Settings of one person in one space; null: not set, the operator's default counts."""

    memory_enabled: bool | None = Field(default=None, description="False: nothing is written or read.")
    incognito_default: bool | None = Field(default=None, description="True: every new session starts incognito.")
    time_zone: TimeZone | None = Field(default=None, description="For relative dates, as `last week`.")
    soft_cap: int | None = Field(
        default=None, ge=1, le=1_000_000, description="Most live facts before the weakest are retired."
    )
    pin_manual_saves: bool | None = Field(default=None, description="True: what is saved by hand is pinned as well.")
    idle_minutes: int | None = Field(default=None, ge=1, le=525_600, description="A session this long without a turn is over.")
    ranking: RankingOptions | None = Field(default=None, description="How contexts and searches are ranked.")
    retention_days: int | None = Field(
        default=None,
        ge=0,
        le=36_500,
        description="What a roll-up stands for is forgotten after so many days; 0: never.",
    )


class SettingsChanged(EventData):
    """A person's settings in a space, as they are from now on."""

    caused_by: ClassVar = ("change_settings", "user_message", "add_turns", "import_memories")
    is_exported = True
    read_by: ClassVar = {
        "ingest": "the settings",
        "retriever": "the settings",
        "maintenance": "after how long a silence a session is over; whether and when old memories are rolled up and forgotten",
    }

    settings: PersonSettings
    before: PersonSettings
    asked: PersonSettings = Field(default=PersonSettings(), description="What was to be changed; null: nothing of that kind.")
    unset: tuple[Plain, ...] = Field(default=(), description="Names of settings that were to fall back to the default.")

    @property
    def content(self) -> str:
        """The change that was asked for."""
        return self.asked.model_dump_json(exclude_none=True) + " ".join(sorted(self.unset))
