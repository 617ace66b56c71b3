"""More is known about a memory: what later and better methods find, and its vector."""

from __future__ import annotations

from services.ingest.domain.drafts import Circumstances, Draft, seal
from services.ingest.domain.keeping import known_memory
from services.ingest.domain.learned import finding
from services.ingest.domain.memories import tag_hash
from services.ingest.domain.state import ScopeState
from services.ingest.domain.weighing import enriched
from shared.contracts.commands import AttachEmbedding, AttachEntities
from shared.contracts.envelope import Envelope
from shared.contracts.events import MemoryEmbedded, MemoryEnriched


def attach_embedding(command: AttachEmbedding, state: ScopeState, given: Circumstances) -> list[Envelope]:
    """The vector of a memory. Raises UnknownMemory."""
    known_memory(command.memory_id, state)
    embedded = MemoryEmbedded(memory_id=command.memory_id, embedding=command.embedding)
    return seal([Draft(embedded, given.now)], state, given)


def attach_entities(command: AttachEntities, state: ScopeState, given: Circumstances) -> list[Envelope]:
    """What a method found, if it finds something new: each method's finding counts once. Raises UnknownMemory."""
    memory = known_memory(command.memory_id, state)
    if finding(command, given.digester) in memory.enriched:
        return []
    fact = state.facts.get(command.memory_id)
    importance = enriched(fact.parts, command, repeats=fact.repeat_count) if fact else None
    changes = fact is not None and importance is not None and importance.value != fact.importance
    found = MemoryEnriched(
        memory_id=command.memory_id,
        method=command.method,
        entities=command.entities,
        added_tags=tuple(t for t in dict.fromkeys(command.tags) if tag_hash(t, given.digester) not in memory.tags),
        metadata_confidence=command.metadata_confidence,
        importance=importance if changes else None,
        importance_before=fact.importance if fact and changes else None,
    )
    return seal([Draft(found, given.now)], state, given)
