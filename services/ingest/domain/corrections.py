"""Corrects a fact: a new one takes its place, and the old one stays readable from it.

A superseded fact cannot be corrected: the sender has not seen the newer one, and might undo it. The refusal names that.
"""

from dataclasses import replace

from services.ingest.domain.capacity import keep_to_the_cap
from services.ingest.domain.endings import supersede
from services.ingest.domain.facts import look_up_for
from services.ingest.domain.keeping import known_fact
from services.ingest.domain.own_name import known_by_name
from services.ingest.domain.repeats import repeat
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.superseding import reconcile
from services.ingest.domain.told_fact import ToldFact
from services.ingest.domain.twins import Twin, find_twin
from services.ingest.domain.weighing import weigh
from services.ingest.domain.withholding import beside_its_words, lifted_by_hand, require_memory
from shared.contracts.commands import CorrectFact
from shared.contracts.errors import Superseded
from shared.contracts.events import FactCorrected
from shared.contracts.ids import MemoryId


def correct_fact(command: CorrectFact, ruling: Ruling) -> None:
    """Record the new fact, or a repeat of one that says the same, and supersede the old one.

    Raises UnknownMemory, NotAFact, or Superseded if another correction took its place.
    """
    require_memory(ruling.state, session_id=command.session_id)
    fact = known_fact(command.memory_id, ruling.state)
    told = known_by_name(ToldFact.by_hand(command, ruling.given), ruling)
    look_up_for([told], ruling)
    twin = find_twin(told, ruling, apart_from={command.memory_id})
    if fact.superseded_by:
        if twin and twin.memory_id == fact.superseded_by:
            return
        raise Superseded(f"{fact.superseded_by} stands in the place of this fact; correct that one")
    if fact.content == ruling.given.digester.digest("content", command.text):
        return
    pinned = ruling.state.memories[command.memory_id].pinned
    ruling.add_all(lifted_by_hand(command.text, ruling.state, ruling.given))
    told = beside_its_words(replace(told, pinned=pinned), ruling.state, ruling.given)
    new = _tell(told, command.memory_id, twin, ruling)
    supersede(command.memory_id, new, "corrected", ruling)
    reconcile(new, told, ruling, is_new=twin is None)
    keep_to_the_cap(ruling)


def _tell(told: ToldFact, corrects: MemoryId, twin: Twin | None, ruling: Ruling) -> MemoryId:
    if twin:
        repeat(twin, told, ruling)
        return twin.memory_id
    found, importance = weigh(told)
    memory_id = ruling.new_memory_id("fact")
    corrected = FactCorrected(
        memory_id=memory_id,
        corrects=corrects,
        text=told.text,
        session_id=told.session_id,
        message_id=told.message_id,
        source_ids=told.source_ids,
        tags=found.tags,
        entities=found.entities,
        pinned=told.pins(ruling.given.policy, ruling.state.settings),
        decay_rate=ruling.given.policy.rate_of(told.stated),
        importance=importance.value,
        importance_parts=importance.parts,
        metadata_confidence=found.metadata_confidence,
        slots=told.stated,
        is_whole=told.is_whole,
        says_more=told.says_more,
    )
    ruling.add(corrected, told.occurred_at)
    return memory_id
