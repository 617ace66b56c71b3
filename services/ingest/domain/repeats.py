"""Counts a fact that is told again, and brings back what had ended."""

from services.ingest.domain.memories import Status, source_key, tag_hash
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from services.ingest.domain.told_fact import ToldFact
from services.ingest.domain.twins import Twin
from services.ingest.domain.weighing import weigh
from shared.contracts.events import MemoryRepeated, MemoryRestored
from shared.contracts.ids import MemoryId
from shared.domain.importance import merged


def repeat(twin: Twin, told: ToldFact, ruling: Ruling) -> None:
    """Record a repeat of a fact, with its new sources, tags and flags. The event has the words as they came this time."""
    bring_back(twin.memory_id, ruling)
    given, state = ruling.given, ruling.state
    memory, fact = state.memories[twin.memory_id], state.facts[twin.memory_id]
    found, importance = weigh(told)
    count = fact.repeat_count + 1
    repeated = MemoryRepeated(
        memory_id=twin.memory_id,
        text=told.text,
        match=twin.match.kind,
        distance=twin.match.distance,
        similarity=twin.match.similarity,
        by_alias=twin.by_alias,
        repeat_count=count,
        session_id=told.session_id,
        message_id=told.message_id,
        added_source_ids=tuple(s for s in dict.fromkeys(told.source_ids) if source_key(s, given.digester) not in fact.sources),
        added_tags=tuple(t for t in dict.fromkeys(found.tags) if tag_hash(t, given.digester) not in memory.tags),
        entities=found.entities,
        manually_saved=fact.manually_saved or told.manually_saved,
        was_manually_saved=fact.manually_saved,
        pinned=memory.pinned or told.pins(given.policy, state.settings),
        was_pinned=memory.pinned,
        importance=merged(fact.parts, importance.parts, repeats=count),
        importance_before=fact.importance,
        origin=told.origin,
    )
    ruling.add(repeated, told.occurred_at)


def bring_back(memory_id: MemoryId, ruling: Ruling) -> None:
    """Make a retired memory live again; a live one stays as it is."""
    if ruling.state.memories[memory_id].status is Status.RETIRED:
        restore_as_it_was(memory_id, ruling)


def restore_as_it_was(memory_id: MemoryId, ruling: Ruling, *, lost_rollup: bool = False) -> None:
    """Make an ended memory live again, with the confidence that it had before it ended."""
    ruling.add(as_it_was(memory_id, ruling.state, lost_rollup=lost_rollup))


def as_it_was(memory_id: MemoryId, state: ScopeState, *, lost_rollup: bool = False) -> MemoryRestored:
    """The event by which an ended memory is live again, as it was before it ended."""
    memory, fact = state.memories[memory_id], state.facts.get(memory_id)
    return MemoryRestored(
        memory_id=memory_id,
        was=memory.ended or "superseded",
        confidence=fact.confidence_once if fact else 1.0,
        confidence_before=fact.confidence if fact else 1.0,
        superseded_by=fact.superseded_by if fact else None,
        lost_rollup=lost_rollup,
    )
