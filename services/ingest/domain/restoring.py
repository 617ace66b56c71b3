"""Brings back what has ended, in whole or in part. Where a live fact contradicts it, the person is asked which holds."""

from collections.abc import Iterator, Sequence

from services.ingest.domain.capacity import keep_to_the_cap
from services.ingest.domain.claims import unpacked
from services.ingest.domain.conflicts import ask_anew
from services.ingest.domain.deeds import slots_of
from services.ingest.domain.keeping import known_memory
from services.ingest.domain.memories import Fact, Status
from services.ingest.domain.repeats import restore_as_it_was
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.superseding import contradicting
from shared.contracts.commands import Restore
from shared.contracts.envelope import Envelope
from shared.contracts.events import FactOutdated, FactSuperseded
from shared.contracts.ids import MemoryId
from shared.contracts.undoing import OutdatingUndone


def restore(command: Restore, ruling: Ruling) -> None:
    """Make a memory live again, and all that a fact states; if the cap is reached, a weaker one is retired.

    Raises UnknownMemory.
    """
    memory_id = command.memory_id
    is_live = known_memory(memory_id, ruling.state).status is Status.LIVE
    fact = ruling.state.facts.get(memory_id)
    ended = unpacked(fact.claims).ended if fact else frozenset[int]()
    if is_live and not ended:
        return
    deeds = ruling.state.words().deeds if fact and (fact.claims or fact.superseded_by) else ()
    others = list(_ended_by(memory_id, fact, ended, deeds)) if fact else []
    if is_live:
        _hold_wholly(memory_id, ended, deeds, ruling)
    else:
        restore_as_it_was(memory_id, ruling)
    if fact:
        _ask(memory_id, others, deeds, ruling)
    keep_to_the_cap(ruling, spared={memory_id})


def _ended_by(memory_id: MemoryId, fact: Fact, ended: frozenset[int], deeds: Sequence[Envelope]) -> Iterator[MemoryId]:
    """The facts by which something of a fact has ended, the last first. Whoever corrected it said that it was wrong."""
    for said in (deed.data for deed in reversed(deeds) if deed.data.subject == memory_id):
        match said:
            case FactSuperseded(reason="conflict", memory_id=old, superseded_by=by) if (old, by) == (
                memory_id,
                fact.superseded_by,
            ):
                yield by
            case FactOutdated(memory_id=old, outdated_by=by, slots=slots) if old == memory_id and ended.intersection(slots):
                yield by
            case _:
                pass


def _hold_wholly(memory_id: MemoryId, ended: frozenset[int], deeds: Sequence[Envelope], ruling: Ruling) -> None:
    """Take back what says that parts of a live fact are outdated."""
    for said in (deed.data for deed in reversed(deeds) if isinstance(deed.data, FactOutdated)):
        if said.memory_id == memory_id and (over := ended.intersection(said.slots)):
            ruling.add(OutdatingUndone(memory_id=memory_id, outdated_by=said.outdated_by, slots=tuple(sorted(over))))
            ended -= over


def _ask(memory_id: MemoryId, others: Sequence[MemoryId], deeds: Sequence[Envelope], ruling: Ruling) -> None:
    """Ask which holds, the fact that is brought back or the live one that contradicts it; one question is enough."""
    against = [live for each in others if (live := _standing(each, ruling))]
    against = against or list(contradicting(memory_id, slots_of(memory_id, deeds), ruling))
    for other in against[:1]:
        facts = ruling.state.facts
        older, newer = sorted((memory_id, other), key=lambda each: facts[each].told_at)
        ask_anew(newer, older, "restored", ruling)


def _standing(memory_id: MemoryId | None, ruling: Ruling) -> MemoryId | None:
    """The live fact that stands in the place of a fact by now, perhaps itself."""
    while memory_id:
        fact = ruling.state.facts.get(memory_id)
        if fact is None or not fact.superseded_by:
            return memory_id if fact is not None and ruling.state.is_live(memory_id) else None
        memory_id = fact.superseded_by
    return None
