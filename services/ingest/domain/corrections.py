"""A fact is corrected: the new one takes its place, and the old one stays readable from it.

A fact that was superseded already cannot be corrected: who does so has not seen what stands in its place, and might undo it.
The refusal names the newer fact.
"""

from __future__ import annotations

from dataclasses import replace

from services.ingest.domain.capacity import keep_to_the_cap
from services.ingest.domain.drafts import Circumstances, Pending, Ruling
from services.ingest.domain.keeping import known_fact
from services.ingest.domain.namesakes import find_namesake
from services.ingest.domain.recognising import likeness_of
from services.ingest.domain.repeats import Twin, find_twin, repeat
from services.ingest.domain.state import ScopeState
from services.ingest.domain.told import Told
from services.ingest.domain.weighing import weigh
from services.ingest.domain.withholding import lifted_by_hand, require_memory
from shared.contracts.commands import CorrectFact
from shared.contracts.errors import Superseded
from shared.contracts.events import FactCorrected, FactSuperseded
from shared.contracts.ids import MemoryId

CONFIDENCE_WHEN_SUPERSEDED = 0.3
"""Source: ../reference/memory-system.md, "Consolidator tools", `resolve_conflict`."""


def correct_fact(command: CorrectFact, state: ScopeState, given: Circumstances) -> Ruling:
    """The new fact, or a repeat of one that says so already; and the end of the old one.

    Raises UnknownMemory, NotAFact, or Superseded where something else than this correction took its place.
    """
    require_memory(state, session_id=command.session_id)
    fact = known_fact(command.memory_id, state)
    twin = find_twin(likeness_of(command.text, given.digester), state, apart_from=command.memory_id)
    twin = twin or find_namesake(command.text, state, given.digester, before=state.names, apart_from=command.memory_id)
    if fact.superseded_by:
        if twin and twin.memory_id == fact.superseded_by:
            return []
        raise Superseded(f"{fact.superseded_by} stands in the place of this fact; correct that one")
    if fact.content == given.digester.digest("content", command.text):
        return []
    pending = Pending(state, given)
    for lifted in lifted_by_hand(command.text, state, given):
        pending.add(lifted)
    told = replace(Told.by_hand(command, given.now), pinned=state.memories[command.memory_id].pinned)
    successor_id = _tell(told, command.memory_id, twin, pending)
    pending.add(
        FactSuperseded(
            memory_id=command.memory_id,
            superseded_by=successor_id,
            reason="corrected",
            confidence=min(fact.confidence, CONFIDENCE_WHEN_SUPERSEDED),
            confidence_before=fact.confidence,
        )
    )
    keep_to_the_cap(pending)
    return pending


def _tell(told: Told, corrects: MemoryId, twin: Twin | None, pending: Pending) -> MemoryId:
    if twin:
        repeat(twin, told, pending)
        return twin.memory_id
    weighed = weigh(told)
    memory_id = pending.new_memory_id("fact")
    corrected = FactCorrected(
        memory_id=memory_id,
        corrects=corrects,
        text=told.text,
        session_id=told.session_id,
        message_id=told.message_id,
        source_ids=told.source_ids,
        tags=weighed.tags,
        entities=weighed.entities,
        pinned=told.pins(pending.given.policy, pending.state.settings),
        importance=weighed.importance.value,
        importance_parts=weighed.importance.parts,
        metadata_confidence=weighed.metadata_confidence,
    )
    pending.add(corrected, told.occurred_at)
    return memory_id
