"""A fact is told: it becomes a memory, or is counted as a repeat of the one that says the same.

Only facts and what is saved by hand are compared; an episode is what was said, and stays as often as it was said.
Source: ../reference/memory-upgrade-spec.md, "Write Path Policy", under the rulings of design/mission.md.
"""

from __future__ import annotations

from services.ingest.domain.capacity import keep_to_the_cap
from services.ingest.domain.drafts import Circumstances, Pending, Ruling
from services.ingest.domain.namesakes import find_namesake
from services.ingest.domain.recognising import likeness_of
from services.ingest.domain.repeats import find_twin, repeat
from services.ingest.domain.state import ScopeState
from services.ingest.domain.told import Told
from services.ingest.domain.weighing import weigh
from services.ingest.domain.withholding import lifted_by_hand, require_memory
from shared.contracts.commands import RememberFact
from shared.contracts.events import FactRemembered


def remember_fact(command: RememberFact, state: ScopeState, given: Circumstances) -> Ruling:
    """What a person or an agent asks to keep, also what was forgotten. Raises MemoryOff or Incognito."""
    require_memory(state, session_id=command.session_id)
    pending = Pending(state, given)
    for lifted in lifted_by_hand(command.text, state, given):
        pending.add(lifted)
    tell(Told.by_hand(command, given.now), pending)
    keep_to_the_cap(pending)
    return pending


def tell(told: Told, pending: Pending) -> None:
    """Record it, as a repeat where a fact that is live or retired says the same."""
    digester, state = pending.given.digester, pending.state
    twin = find_twin(likeness_of(told.text, digester), state)
    twin = twin or find_namesake(told.text, state, digester, before=pending.names_before)
    if twin:
        repeat(twin, told, pending)
    else:
        _remember(told, pending)


def _remember(told: Told, pending: Pending) -> None:
    weighed = weigh(told)
    remembered = FactRemembered(
        memory_id=pending.new_memory_id("fact"),
        text=told.text,
        session_id=told.session_id,
        message_id=told.message_id,
        source_ids=told.source_ids,
        tags=weighed.tags,
        entities=weighed.entities,
        manually_saved=told.manually_saved,
        pinned=told.pins(pending.given.policy, pending.state.settings),
        confidence=told.confidence,
        importance=weighed.importance.value,
        importance_parts=weighed.importance.parts,
        metadata_confidence=weighed.metadata_confidence,
        origin=told.origin,
    )
    pending.add(remembered, told.occurred_at)
