"""How events change what is known of memories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from shared.domain.importance import base_parts
from shared.domain.likeness import Likeness, likeness

from services.ingest.domain.memories import Fact, KnownMemory, Recalled, Status, source_keys, tag_hash, tag_hashes
from shared.contracts.envelope import Envelope
from shared.contracts.events import (
    CapacityExceeded,
    EpisodeRecorded,
    FactConfirmed,
    FactCorrected,
    FactRemembered,
    FactSuperseded,
    MemoriesRecalled,
    MemoryEnriched,
    MemoryPinned,
    MemoryRepeated,
    MemoryRestored,
    MemoryRetired,
    MemoryUnpinned,
)
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Kind
from shared.domain.digests import Digester


@dataclass(frozen=True, slots=True)
class Excess:
    """What was reported when more facts were live than the cap allows."""

    live: int
    cap: int


@dataclass(slots=True)
class Learned:
    """The memories of a scope while events are folded into them. What is not known, being forgotten, is passed over."""

    memories: dict[MemoryId, KnownMemory]
    facts: dict[MemoryId, Fact]
    likenesses: dict[MemoryId, Likeness]
    live: int
    excess: Excess | None

    def add(self, event: Envelope, *, position: int, digester: Digester) -> None:
        """Fold one event in."""
        if fold := _FOLDS.get(type(event.data)):
            fold(self, event, event.data, position, digester)

    def _episode(self, event: Envelope, data: EpisodeRecorded, position: int, _: Digester) -> None:
        self.memories[data.memory_id] = KnownMemory(event.number, position, Kind.EPISODE, data.session_id)

    def _remembered(self, event: Envelope, data: FactRemembered | FactCorrected, position: int, digester: Digester) -> None:
        corrected = self.memories.get(data.corrects) if isinstance(data, FactCorrected) else None
        self.memories[data.memory_id] = KnownMemory(
            event.number,
            position,
            Kind.FACT,
            data.session_id,
            pinned=data.pinned,
            tags=tag_hashes(data.tags, digester) | (corrected.tags if corrected else frozenset()),
        )
        self.facts[data.memory_id] = Fact(
            content=digester.digest("content", data.text),
            occurred_at=event.occurred_at,
            manually_saved=data.manually_saved,
            confidence=data.confidence,
            importance=data.importance,
            parts=base_parts(data.importance_parts) or {"base": data.importance},
            sources=source_keys(data.source_ids, digester),
            corrects=data.corrects if isinstance(data, FactCorrected) else None,
        )
        self.likenesses[data.memory_id] = likeness(data.text, digester)
        self.live += 1

    def _repeated(self, _event: Envelope, data: MemoryRepeated, _position: int, digester: Digester) -> None:
        memory, fact = self.memories.get(data.memory_id), self.facts.get(data.memory_id)
        if memory is None or fact is None:
            return
        tags = memory.tags | tag_hashes(data.added_tags, digester)
        self.memories[data.memory_id] = replace(memory, pinned=data.pinned, tags=tags)
        self.facts[data.memory_id] = replace(
            fact,
            manually_saved=data.manually_saved,
            repeat_count=data.repeat_count,
            importance=data.importance.value,
            parts=base_parts(data.importance.parts),
            sources=fact.sources | source_keys(data.added_source_ids, digester),
        )

    def _superseded(self, _event: Envelope, data: FactSuperseded, _position: int, _: Digester) -> None:
        fact = self.facts.get(data.memory_id)
        if fact is None:
            return
        self._end(data.memory_id, Status.SUPERSEDED, None)
        self.facts[data.memory_id] = replace(
            fact, superseded_by=data.superseded_by, confidence=data.confidence, confidence_before=data.confidence_before
        )

    def _retired(self, _event: Envelope, data: MemoryRetired, _position: int, _: Digester) -> None:
        self._end(data.memory_id, Status.RETIRED, data.reason)

    def _end(self, memory_id: MemoryId, status: Status, reason: str | None) -> None:
        memory = self.memories.get(memory_id)
        if memory is None:
            return
        self.memories[memory_id] = replace(memory, status=status, ended=reason)
        if memory.kind is Kind.FACT and memory.status is Status.LIVE:
            self.live -= 1
            if self.excess and self.live <= self.excess.cap:
                self.excess = None

    def _restored(self, _event: Envelope, data: MemoryRestored, _position: int, _: Digester) -> None:
        memory, fact = self.memories.get(data.memory_id), self.facts.get(data.memory_id)
        if memory is None or memory.status is Status.LIVE:
            return
        self.memories[data.memory_id] = replace(memory, status=Status.LIVE, ended=None)
        if fact:
            self.live += 1
            self.facts[data.memory_id] = replace(
                fact, confidence=data.confidence, superseded_by=None, confidence_before=None, recalled=None
            )

    def _confirmed(self, _event: Envelope, data: FactConfirmed, _position: int, _: Digester) -> None:
        if fact := self.facts.get(data.memory_id):
            self.facts[data.memory_id] = replace(fact, confidence=data.confidence, confirmed=True)

    def _pinned(self, _event: Envelope, data: MemoryPinned | MemoryUnpinned, _position: int, _: Digester) -> None:
        if memory := self.memories.get(data.memory_id):
            self.memories[data.memory_id] = replace(memory, pinned=isinstance(data, MemoryPinned))

    def _enriched(self, _event: Envelope, data: MemoryEnriched, _position: int, digester: Digester) -> None:
        memory, fact = self.memories.get(data.memory_id), self.facts.get(data.memory_id)
        if memory is None:
            return
        self.memories[data.memory_id] = replace(
            memory,
            tags=memory.tags | tag_hashes(data.added_tags, digester),
            enriched=memory.enriched | {finding(data, digester)},
        )
        if fact and data.importance:
            parts = base_parts(data.importance.parts)
            self.facts[data.memory_id] = replace(fact, importance=data.importance.value, parts=parts)

    def _recalled(self, _event: Envelope, data: MemoriesRecalled, _position: int, _: Digester) -> None:
        for item in data.items:
            if fact := self.facts.get(item.memory_id):
                recalled = Recalled(item.score.relevance, item.score.recency, data.computed_at)
                self.facts[item.memory_id] = replace(fact, recalled=recalled)

    def _exceeded(self, _event: Envelope, data: CapacityExceeded, _position: int, _: Digester) -> None:
        self.excess = Excess(data.live, data.cap)


def finding(found: Any, digester: Digester) -> bytes:  # noqa: ANN401 - a command or the event that it led to
    """8 bytes for what a method found."""
    return tag_hash(f"{found.method}\0{found.entities}", digester)


_Fold = Callable[[Learned, Envelope, Any, int, Digester], None]

_FOLDS: dict[type, _Fold] = {
    EpisodeRecorded: Learned._episode,
    FactRemembered: Learned._remembered,
    FactCorrected: Learned._remembered,
    MemoryRepeated: Learned._repeated,
    FactSuperseded: Learned._superseded,
    FactConfirmed: Learned._confirmed,
    MemoryPinned: Learned._pinned,
    MemoryUnpinned: Learned._pinned,
    MemoryRetired: Learned._retired,
    MemoryRestored: Learned._restored,
    MemoryEnriched: Learned._enriched,
    MemoriesRecalled: Learned._recalled,
    CapacityExceeded: Learned._exceeded,
}
