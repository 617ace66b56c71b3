"""What ingest knows of a memory: numbers, flags and keyed hashes, no text."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal, NamedTuple

from shared.contracts.ids import MemoryId
from shared.contracts.parts import Kind
from shared.domain.decay import decayed
from shared.domain.digests import Digester

_DAY = timedelta(days=1)
_TAG_BYTES = 8
_MEMORY_ID = re.compile(r"(?:ep|fact|ref|roll)_[0-9a-f]{24}")


class Status(StrEnum):
    """Whether a memory is live or has ended, and how."""

    LIVE = "live"
    RETIRED = "retired"
    SUPERSEDED = "superseded"


Ending = Literal["trimmed", "decayed", "rolled_up", "denied", "undone"]
TAKEN_BACK = frozenset({"denied", "undone"})
"""Why a fact was retired that nobody states any more."""


class KnownMemory(NamedTuple):
    """A memory of any kind. `number` and `position` are those of the event that made it."""

    number: int
    position: int
    kind: Kind
    session: bytes | None = None  # keyed
    status: Status = Status.LIVE
    ended: Ending | None = None  # why it was retired
    pinned: bool = False
    tags: frozenset[bytes] = frozenset()  # keyed hashes
    enriched: frozenset[bytes] = frozenset()  # keyed hashes of what later methods found
    held_back: bool = False  # a turn from which nothing is learned or recalled


@dataclass(frozen=True, slots=True)
class Recalled:
    """The scores of a fact in the last recall that handed it out."""

    relevance: float
    recency: float
    computed_at: datetime


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known of a fact, beside its `KnownMemory`."""

    content: bytes  # keyed digest of the words, exactly
    told_at: datetime  # the last time that it was told
    manually_saved: bool
    confidence: float
    importance: float
    parts: Mapping[str, float]  # what each rule added to the importance
    fades_from: datetime  # the anchor of its decay
    decay_rate: float  # a day; 0: it does not fade
    repeat_count: int = 0
    confirmed: bool = False
    sources: frozenset[str] = frozenset()  # ids of memories, and keyed hashes of outside references
    corrects: MemoryId | None = None
    superseded_by: MemoryId | None = None
    confidence_before: float | None = None  # while it is superseded
    gave_way_at: datetime | None = None  # when what it gave way to was told; None: it stands, or was corrected
    recalled: Recalled | None = None
    claims: str = ""  # packed

    def confidence_by(self, moment: datetime) -> float:
        """What is left of its confidence by a moment."""
        return decayed(self.confidence, rate=self.decay_rate, days=(moment - self.fades_from) / _DAY)

    @property
    def confidence_once(self) -> float:
        """The confidence that it had before it was superseded, or has."""
        return self.confidence if self.confidence_before is None else self.confidence_before

    def gave_way_after(self, moment: datetime) -> bool:
        """Whether the fact is superseded by a statement that was told after this moment."""
        return self.gave_way_at is not None and self.gave_way_at > moment


@dataclass(frozen=True, slots=True)
class Excess:
    """The last `capacity_exceeded` that was recorded."""

    live: int
    cap: int


def tag_hashes(tags: Collection[str], digester: Digester) -> frozenset[bytes]:
    """Keyed hashes of tags, whatever their case: tags are text, so they are not kept. Most memories have none."""
    return frozenset(tag_hash(tag, digester) for tag in tags) if tags else frozenset()


def tag_hash(tag: str, digester: Digester) -> bytes:
    """The keyed hash of a tag, 8 bytes."""
    return digester.digest("tag", tag.casefold())[:_TAG_BYTES]


def source_keys(sources: Iterable[str], digester: Digester) -> frozenset[str]:
    """The keys of these sources; see `source_key`."""
    return frozenset(source_key(source, digester) for source in sources)


def source_key(source: str, digester: Digester) -> str:
    """The key of a source: the id of a memory as it is, a keyed hash of anything else, which may be text."""
    return source if _MEMORY_ID.fullmatch(source) else f"x_{digester.digest('source', source).hex()}"
