"""Fits what is imported to what is known here, so that of facts that contradict each other, or say the same, one holds.

What was decided where it was exported is taken over as far as that is still open here. Beside it an imported fact is compared
with what is known, as any fact that is told: by the time at which things were said.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from services.ingest.domain.deeds import slots_of
from services.ingest.domain.endings import supersede
from services.ingest.domain.facts import look_up_for
from services.ingest.domain.memories import Status
from services.ingest.domain.repeats import repeat, restore_as_it_was
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from services.ingest.domain.superseding import end_by_newer, reconcile
from services.ingest.domain.told_fact import ToldFact
from services.ingest.domain.twins import find_twin
from shared.contracts.conflicts import ConflictDetected
from shared.contracts.event import EventData
from shared.contracts.events import (
    FactOutdated,
    FactSuperseded,
    MemoryPinned,
    MemoryRepeated,
    MemoryRestored,
    MemoryRetired,
    NewFact,
)
from shared.contracts.ids import MemoryId
from shared.contracts.moving import ImportedRecord


class DecidedPair(NamedTuple):
    """Two facts of which somebody decided elsewhere that the newer one ends something of the older, or may."""

    older: MemoryId
    newer: MemoryId


def decided_pairs(records: Iterable[ImportedRecord]) -> frozenset[DecidedPair]:
    """The pairs of facts that these records decide on: nothing else is decided about them."""
    return frozenset(_pairs(record.said for record in records))


def look_up_imported(records: Iterable[ImportedRecord], ruling: Ruling) -> None:
    """Ask at once for what is to be known to compare the facts of these records. Raises Lacks."""
    facts = [told_by(record.said, record, ruling) for record in records if isinstance(record.said, NewFact | MemoryRepeated)]
    look_up_for(facts, ruling)


def told_by(said: NewFact | MemoryRepeated, record: ImportedRecord, ruling: Ruling) -> ToldFact:
    """An imported fact, or the repeat of one, as if it was told here; what was exported without slots is read."""
    told = ToldFact(
        said.text,
        record.occurred_at,
        session_id=said.session_id,
        manually_saved=said.manually_saved,
        names=(ruling.given.user,),
    )
    if isinstance(said, MemoryRepeated):
        return replace(told, source_ids=said.added_source_ids, tags=said.added_tags)
    confidence = getattr(said, "confidence", told.confidence)
    return replace(
        told, confidence=confidence, slots=said.slots, is_known_whole=said.is_whole, is_known_to_say_more=said.says_more
    )


def as_it_applies(said: EventData, state: ScopeState) -> EventData | None:
    """A decision of elsewhere about a memory that is known, as far as it is open here; None if it is not."""
    applies = _APPLIES.get(type(said))
    return applies(said, state) if applies else said


def take_in(said: NewFact, told: ToldFact, decided: Collection[DecidedPair], ruling: Ruling) -> None:
    """Record an imported fact; of it and one here that says the same the newer holds, and it ends what it contradicts."""
    twin = find_twin(told, ruling)
    ruling.add(said, told.occurred_at)
    elsewhere = {pair.older for pair in decided if pair.newer == said.memory_id}
    elsewhere |= {pair.newer for pair in decided if pair.older == said.memory_id}
    elsewhere |= {each for each in (ruling.state.facts[said.memory_id].corrects,) if each}
    if twin and twin.memory_id not in elsewhere and ruling.state.memories[twin.memory_id].status is Status.LIVE:
        _hold_once(said.memory_id, twin.memory_id, ruling)
    reconcile(said.memory_id, told, ruling, is_new=True, apart_from=elsewhere)


def tell_again(said: MemoryRepeated, told: ToldFact, ruling: Ruling) -> None:
    """Record a repeat of elsewhere. A fact that was ended here by what is older than this time holds again."""
    ruling.add(said, told.occurred_at)
    fact = ruling.state.facts.get(said.memory_id)
    by = ruling.state.facts.get(fact.superseded_by) if fact and fact.superseded_by else None
    if by is None or by.told_at > told.told_at(ruling.given.now):
        return
    twin = find_twin(told, ruling, apart_from={said.memory_id})
    if twin:
        repeat(twin, told, ruling)
    else:
        restore_as_it_was(said.memory_id, ruling)
    reconcile(twin.memory_id if twin else said.memory_id, told, ruling, is_new=False)


def hold_again(said: MemoryRestored, restored_at: datetime, ruling: Ruling) -> None:
    """Record that a memory was restored elsewhere. A fact that is known here is ended again by what was told since."""
    if applies := as_it_applies(said, ruling.state):
        ruling.add(applies, restored_at)
        if said.memory_id in ruling.state.facts:
            end_by_newer(said.memory_id, slots_of(said.memory_id, ruling.state.words().deeds), restored_at, ruling)


def _pairs(told: Iterable[EventData]) -> Iterator[DecidedPair]:
    for said in told:
        match said:
            case FactSuperseded(memory_id=older, superseded_by=newer):
                yield DecidedPair(older, newer)
            case FactOutdated(memory_id=older, outdated_by=newer) | ConflictDetected(memory_id=older, newer=newer):
                yield DecidedPair(older, newer)
            case _:
                pass


def _hold_once(one: MemoryId, other: MemoryId, ruling: Ruling) -> None:
    """Let the one that was told last stand for both, and be kept where the other one was."""
    facts, memories = ruling.state.facts, ruling.state.memories
    older, newer = sorted((other, one), key=lambda each: facts[each].told_at)
    is_to_be_pinned = memories[older].pinned or (facts[older].manually_saved and not facts[newer].manually_saved)
    if is_to_be_pinned and not memories[newer].pinned:
        ruling.add(MemoryPinned(memory_id=newer))
    supersede(older, newer, "conflict", ruling, told_at=facts[newer].told_at)


def _superseded(said: FactSuperseded, state: ScopeState) -> EventData | None:
    """What another fact ended here stays ended by that one, unless this one ended it before.

    The same end again is recorded: so it is known to be imported.
    """
    fact = state.facts.get(said.memory_id)
    if fact is None or fact.superseded_by in {None, said.superseded_by}:
        return said
    newer = state.facts.get(said.superseded_by)
    return said if newer and said.reason == "conflict" and fact.gave_way_after(newer.told_at) else None


def _outdated(said: FactOutdated, state: ScopeState) -> EventData | None:
    return None if state.memories[said.memory_id].status is Status.SUPERSEDED else said


def _retired(said: MemoryRetired, state: ScopeState) -> EventData | None:
    return said if state.memories[said.memory_id].status is Status.LIVE else None


def _restored(said: MemoryRestored, state: ScopeState) -> EventData | None:
    """What was ended here in another way stays so."""
    if said.was != "superseded":
        return said if state.memories[said.memory_id].ended == said.was else None
    fact = state.facts.get(said.memory_id)
    by = fact.superseded_by if fact else None
    return said if by and by == (said.superseded_by or by) else None


def _doubted(said: ConflictDetected, state: ScopeState) -> EventData | None:
    return said if state.is_live(said.memory_id) and state.is_live(said.newer) else None


_APPLIES: dict[type[EventData], Callable[[Any, ScopeState], EventData | None]] = {
    FactSuperseded: _superseded,
    FactOutdated: _outdated,
    MemoryRetired: _retired,
    MemoryRestored: _restored,
    ConflictDetected: _doubted,
}
