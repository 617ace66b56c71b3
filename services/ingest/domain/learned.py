"""Folds events into what ingest knows of memories."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from services.ingest.domain.claims import claims_of, packed, unpacked
from services.ingest.domain.doubts import Conflicts, KnownConflict, closed, without
from services.ingest.domain.likeness import Likeness
from services.ingest.domain.memories import (
    Ending,
    Excess,
    Fact,
    KnownMemory,
    Recalled,
    Status,
    source_keys,
    tag_hash,
    tag_hashes,
)
from services.ingest.domain.recognising import likeness_of
from shared.contracts.conflicts import ConflictAnswered, ConflictDetected
from shared.contracts.envelope import Envelope
from shared.contracts.event import EventData
from shared.contracts.events import (
    CapacityExceeded,
    FactConfirmed,
    FactOutdated,
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
from shared.contracts.undoing import OutdatingUndone, RepeatUndone
from shared.domain.decay import SHIPPED
from shared.domain.digests import Digester


@dataclass(slots=True)
class Learned:
    """The memories of a scope while events are folded into them. Events of unknown, forgotten memories change nothing."""

    memories: dict[MemoryId, KnownMemory]
    facts: dict[MemoryId, Fact]
    likenesses: dict[MemoryId, Likeness]
    live: int
    excess: Excess | None
    conflicts: Conflicts

    def add(self, event: Envelope, *, position: int, digester: Digester) -> None:
        """Fold one event in."""
        at = _At(event, position, digester)
        if event.data.makes:
            _made(self, event.data, at)
        elif fold := _FOLDS.get(type(event.data)):
            fold(self, event.data, at)

    def drop(self, memory_ids: Collection[MemoryId]) -> None:
        """Drop these memories: they are forgotten."""
        self.conflicts = without(self.conflicts, memory_ids)
        for memory_id in memory_ids:
            memory = self.memories.pop(memory_id, None)
            self.likenesses.pop(memory_id, None)
            if self.facts.pop(memory_id, None) and memory and memory.status is Status.LIVE:
                self.live -= 1


class _At(NamedTuple):
    """What is needed of an event besides its data."""

    event: Envelope
    position: int
    digester: Digester


def _made(known: Learned, data: EventData, at: _At) -> None:
    """Add the memory that an event made."""
    if data.makes is None or data.subject is None:
        return
    said = vars(data)  # of a model that has no such field, getattr is slow
    session_id = said.get("session_id")
    corrected = known.memories.get(said["corrects"]) if "corrects" in said else None
    known.memories[data.subject] = KnownMemory(
        at.event.number,
        at.position,
        data.makes,
        session_id and at.digester.session_key(session_id),
        pinned=said.get("pinned", False),
        tags=tag_hashes(said.get("tags", ()), at.digester) | (corrected.tags if corrected else frozenset()),
        held_back=said.get("held_back", False),
    )
    if data.makes is Kind.FACT:
        _begin(known, data.subject, data, at)


def _begin(known: Learned, memory_id: MemoryId, data: EventData, at: _At) -> None:
    """Add a fact: its importance, its sources, and the hashes that recognise it when it is told again."""
    said, words = vars(data), "\n".join(data.words)
    importance = said.get("importance", 0.5)
    told = {name: said.get(name, False) for name in ("is_whole", "says_more")}
    known.facts[memory_id] = Fact(
        content=at.digester.digest("content", words),
        told_at=at.event.told_at,
        manually_saved=said.get("manually_saved", False),
        confidence=said.get("confidence", 1.0),
        importance=importance,
        parts=said.get("importance_parts") or {"base": importance},
        fades_from=at.event.recorded_at,
        decay_rate=said.get("decay_rate", SHIPPED.rate),
        sources=source_keys(said.get("source_ids", ()), at.digester),
        corrects=said.get("corrects"),
        claims=packed(claims_of(said.get("slots", ()), at.digester, **told, text=words)),
    )
    known.likenesses[memory_id] = likeness_of(words, at.digester)
    known.live += 1


def _repeated(known: Learned, data: MemoryRepeated, at: _At) -> None:
    memory, fact = known.memories.get(data.memory_id), known.facts.get(data.memory_id)
    if memory is None or fact is None:
        return
    tags = memory.tags | tag_hashes(data.added_tags, at.digester)
    known.memories[data.memory_id] = memory._replace(pinned=data.pinned, tags=tags)
    known.facts[data.memory_id] = replace(
        fact,
        told_at=max(fact.told_at, at.event.told_at),
        fades_from=max(fact.fades_from, at.event.recorded_at),
        manually_saved=data.manually_saved,
        repeat_count=data.repeat_count,
        importance=data.importance.value,
        parts=data.importance.parts,
        sources=fact.sources | source_keys(data.added_source_ids, at.digester),
    )


def _repeat_undone(known: Learned, data: RepeatUndone, at: _At) -> None:
    memory, fact = known.memories.get(data.memory_id), known.facts.get(data.memory_id)
    if memory is None or fact is None:
        return
    known.memories[data.memory_id] = memory._replace(tags=memory.tags - tag_hashes(data.removed_tags, at.digester))
    known.facts[data.memory_id] = replace(
        fact,
        told_at=data.told_at,
        repeat_count=data.repeat_count,
        importance=data.importance.value,
        parts=data.importance.parts,
        sources=fact.sources - source_keys(data.removed_source_ids, at.digester),
    )


def _superseded(known: Learned, data: FactSuperseded, at: _At) -> None:
    fact = known.facts.get(data.memory_id)
    if fact is None:
        return
    _end(known, data.memory_id, Status.SUPERSEDED, None)
    known.facts[data.memory_id] = replace(
        fact,
        superseded_by=data.superseded_by,
        fades_from=max(fact.fades_from, at.event.recorded_at),
        confidence=data.confidence,
        confidence_before=data.confidence_before,
        gave_way_at=at.event.occurred_at if data.reason == "conflict" else None,
    )


def _outdated(known: Learned, data: FactOutdated, _: _At) -> None:
    if fact := known.facts.get(data.memory_id):
        claims = unpacked(fact.claims)
        known.facts[data.memory_id] = replace(fact, claims=packed(claims.with_ended(claims.ended | frozenset(data.slots))))


def _outdating_undone(known: Learned, data: OutdatingUndone, _: _At) -> None:
    if fact := known.facts.get(data.memory_id):
        claims = unpacked(fact.claims)
        known.facts[data.memory_id] = replace(fact, claims=packed(claims.with_ended(claims.ended.difference(data.slots))))


def _retired(known: Learned, data: MemoryRetired, _: _At) -> None:
    _end(known, data.memory_id, Status.RETIRED, data.reason)


def _end(known: Learned, memory_id: MemoryId, status: Status, reason: Ending | None) -> None:
    memory = known.memories.get(memory_id)
    if memory is None:
        return
    known.memories[memory_id] = memory._replace(status=status, ended=reason)
    known.conflicts = closed(known.conflicts, memory_id)
    if memory.kind is Kind.FACT and memory.status is Status.LIVE:
        known.live -= 1
        if known.excess and known.live <= known.excess.cap:
            known.excess = None


def _restored(known: Learned, data: MemoryRestored, at: _At) -> None:
    memory, fact = known.memories.get(data.memory_id), known.facts.get(data.memory_id)
    if memory is None or memory.status is Status.LIVE:
        return
    known.memories[data.memory_id] = memory._replace(status=Status.LIVE, ended=None)
    if fact:
        known.live += 1
        known.facts[data.memory_id] = replace(
            fact,
            confidence=data.confidence,
            fades_from=max(fact.fades_from, at.event.recorded_at),
            superseded_by=None,
            confidence_before=None,
            gave_way_at=None,
            recalled=None,
            claims=packed(unpacked(fact.claims).with_ended(frozenset())),
        )


def _confirmed(known: Learned, data: FactConfirmed, at: _At) -> None:
    if fact := known.facts.get(data.memory_id):
        known.facts[data.memory_id] = replace(
            fact,
            confidence=data.confidence,
            fades_from=max(fact.fades_from, at.event.recorded_at),
            decay_rate=data.decay_rate,
            confirmed=True,
        )


def _pinned(known: Learned, data: MemoryPinned, _: _At) -> None:
    if memory := known.memories.get(data.memory_id):
        known.memories[data.memory_id] = memory._replace(pinned=True)


def _unpinned(known: Learned, data: MemoryUnpinned, at: _At) -> None:
    """While it was pinned it did not fade."""
    memory, fact = known.memories.get(data.memory_id), known.facts.get(data.memory_id)
    if memory:
        known.memories[data.memory_id] = memory._replace(pinned=False)
    if fact:
        known.facts[data.memory_id] = replace(fact, fades_from=max(fact.fades_from, at.event.recorded_at))


def _enriched(known: Learned, data: MemoryEnriched, at: _At) -> None:
    memory, fact = known.memories.get(data.memory_id), known.facts.get(data.memory_id)
    if memory is None:
        return
    known.memories[data.memory_id] = memory._replace(
        tags=memory.tags | tag_hashes(data.added_tags, at.digester),
        enriched=memory.enriched | {finding(data, at.digester)},
    )
    if fact and data.importance:
        parts = data.importance.parts
        known.facts[data.memory_id] = replace(fact, importance=data.importance.value, parts=parts)


def _recalled(known: Learned, data: MemoriesRecalled, _: _At) -> None:
    last = {item.memory_id: (item.score, recall.computed_at) for recall in data.recalls for item in recall.items}
    for memory_id, used_at in data.last_used.items():
        if fact := known.facts.get(memory_id):
            score, computed_at = last.get(memory_id, (None, None))
            recalled = Recalled(score.relevance, score.recency, computed_at) if score and computed_at else fact.recalled
            known.facts[memory_id] = replace(fact, recalled=recalled, fades_from=max(fact.fades_from, used_at))


def _exceeded(known: Learned, data: CapacityExceeded, _: _At) -> None:
    known.excess = Excess(data.live, data.cap)


def _doubted(known: Learned, data: ConflictDetected, _: _At) -> None:
    if data.memory_id in known.memories and data.newer in known.memories:
        conflict = KnownConflict(data.memory_id, data.newer, data.reason)
        known.conflicts = {**known.conflicts, data.conflict_id: conflict}


def _answered(known: Learned, data: ConflictAnswered, _: _At) -> None:
    if conflict := known.conflicts.get(data.conflict_id):
        known.conflicts = {**known.conflicts, data.conflict_id: conflict._replace(is_pending=False)}


def finding(found: Any, digester: Digester) -> bytes:  # noqa: ANN401 - a command or the event that it led to
    """A keyed hash of 8 bytes of what a method found."""
    return tag_hash(f"{found.method}\0{found.entities}", digester)


_FOLDS: dict[type, Callable[[Learned, Any, _At], None]] = {
    MemoryRepeated: _repeated,
    RepeatUndone: _repeat_undone,
    OutdatingUndone: _outdating_undone,
    FactSuperseded: _superseded,
    FactOutdated: _outdated,
    FactConfirmed: _confirmed,
    MemoryPinned: _pinned,
    MemoryUnpinned: _unpinned,
    MemoryRetired: _retired,
    MemoryRestored: _restored,
    MemoryEnriched: _enriched,
    MemoriesRecalled: _recalled,
    CapacityExceeded: _exceeded,
    ConflictDetected: _doubted,
    ConflictAnswered: _answered,
}
