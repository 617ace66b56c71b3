"""Recognises a fact that is told again, and counts it.

A retired fact that is told again is brought back: it was true all the time, only unused. A superseded one is not: what took its
place was put there by somebody who knew better, and who says the old words again now says something new.
"""

from __future__ import annotations

from typing import NamedTuple

from services.ingest.domain.drafts import Pending
from services.ingest.domain.likeness import Likeness, Match, match
from services.ingest.domain.memories import Status, source_key, tag_hash
from services.ingest.domain.state import ScopeState
from services.ingest.domain.told import Told
from services.ingest.domain.weighing import weigh
from shared.contracts.events import MemoryRepeated, MemoryRestored
from shared.contracts.ids import MemoryId
from shared.domain.importance import merged


class Twin(NamedTuple):
    """A known fact that says the same."""

    memory_id: MemoryId
    match: Match
    by_alias: bool = False  # a name in it is another one of the same entity


def find_twin(new: Likeness, state: ScopeState, *, apart_from: MemoryId | None = None) -> Twin | None:
    """The fact that says the same: a live one before a retired one, then the likest, then the oldest."""
    twins = [
        Twin(memory_id, found)
        for memory_id, known in state.likenesses.items()
        if memory_id != apart_from
        and state.memories[memory_id].status is not Status.SUPERSEDED
        and (known.digest == new.digest or known.key == new.key)  # as the index does; all others cannot match
        and (found := match(known, new))
    ]
    return min(twins, key=lambda twin: in_order(twin, state), default=None)


def in_order(twin: Twin, state: ScopeState) -> tuple[bool, bool, float, int]:
    """As which twins are sorted: a live one before a retired one, then the likest, then the oldest."""
    memory = state.memories[twin.memory_id]
    return memory.status is not Status.LIVE, twin.match.kind != "exact", -twin.match.similarity, memory.number


def repeat(twin: Twin, told: Told, pending: Pending) -> None:
    """Count it once more, with the sources, tags and flags that are new. Its words are in the event: nothing told is lost."""
    bring_back(twin.memory_id, pending)
    given, state = pending.given, pending.state
    memory, fact = state.memories[twin.memory_id], state.facts[twin.memory_id]
    weighed = weigh(told)
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
        added_tags=tuple(t for t in dict.fromkeys(weighed.tags) if tag_hash(t, given.digester) not in memory.tags),
        entities=weighed.entities,
        manually_saved=fact.manually_saved or told.manually_saved,
        was_manually_saved=fact.manually_saved,
        pinned=memory.pinned or told.pins(given.policy, state.settings),
        was_pinned=memory.pinned,
        importance=merged(fact.parts, weighed.importance.parts, repeats=count),
        importance_before=fact.importance,
        origin=told.origin,
    )
    pending.add(repeated, told.occurred_at)


def bring_back(memory_id: MemoryId, pending: Pending) -> None:
    """Make a retired memory live again; a live one stays as it is."""
    if pending.state.memories[memory_id].status is Status.RETIRED:
        restore_as_it_was(memory_id, pending)


def restore_as_it_was(memory_id: MemoryId, pending: Pending) -> None:
    """Make an ended memory live again, with the confidence that it had before it ended."""
    memory, fact = pending.state.memories[memory_id], pending.state.facts.get(memory_id)
    confidence = fact.confidence if fact else 1.0
    restored = MemoryRestored(
        memory_id=memory_id,
        was=memory.ended or "superseded",
        confidence=fact.confidence_before if fact and fact.confidence_before is not None else confidence,
        confidence_before=confidence,
        superseded_by=fact.superseded_by if fact else None,
    )
    pending.add(restored)
