"""What a roll-up stands for, by what was decided: which memories, and whether it still does."""

from collections.abc import Iterable, Sequence
from typing import Final

from services.ingest.domain.lacks import Needs
from services.ingest.domain.memories import Status
from services.ingest.domain.recollection import Recollection
from services.ingest.domain.repeats import as_it_was
from services.ingest.domain.state import ScopeState
from shared.contracts.ageing import MemoryRolledUp
from shared.contracts.envelope import Envelope
from shared.contracts.events import MemoryRestored, MemoryRetired
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Kind

ROLLED_UP: Final = "rolled_up"


def of_rollup(memory_id: MemoryId, deeds: Sequence[Envelope]) -> list[Envelope]:
    """What recording a roll-up did: the roll-up, and the end of each memory that it stands for."""
    return [
        deed
        for deed in deeds
        if (isinstance(deed.data, MemoryRolledUp) and deed.data.memory_id == memory_id) or into(deed) == memory_id
    ]


def into(deed: Envelope) -> MemoryId | None:
    """The roll-up by which an event ends a memory, if it does."""
    return deed.data.rolled_up_into if isinstance(deed.data, MemoryRetired) else None


def last_rolled_up(deeds: Sequence[Envelope]) -> dict[MemoryId, Envelope]:
    """By memory, how it was rolled up last. Whether it still is, its state says."""
    return {deed.data.subject: deed for deed in deeds if into(deed) and deed.data.subject}


def is_whole(memory_id: MemoryId, words: Recollection) -> bool:
    """Whether all that a roll-up was made of is known still, so that nothing is lost with it."""
    made = (deed.data for deed in words.deeds if isinstance(deed.data, MemoryRolledUp) and deed.data.memory_id == memory_id)
    return all(source in words.told for said in made for source in said.source_ids)


def with_sources(memory_ids: Iterable[MemoryId], words: Recollection) -> list[MemoryId]:
    """These memories, and those that the roll-ups among them stand for: whoever means a roll-up means what it says."""
    found: dict[MemoryId, None] = {}
    for memory_id in memory_ids:
        found[memory_id] = None
        told = words.told.get(memory_id)
        if told and told.kind is Kind.ROLLUP:
            found |= dict.fromkeys(MemoryId(each) for each in sorted(told.sources) if each in words.told)
    return list(found)


def left_alone(gone: Iterable[MemoryId], words: Recollection, state: ScopeState) -> list[MemoryRestored]:
    """The events by which memories are live again for which a roll-up among these has stood. Raises Lacks."""
    gone = set(gone)
    left = [each for each, deed in last_rolled_up(words.deeds).items() if into(deed) in gone and each not in gone]
    state.require(Needs(memories=set(left)))
    return [
        as_it_was(each, state, lost_rollup=True)
        for each in left
        if (memory := state.memories.get(each)) and memory.ended == ROLLED_UP
    ]


def stood_for_again(back: Iterable[MemoryId], state: ScopeState) -> list[MemoryRetired]:
    """The events by which roll-ups among these, which come back, stand again for what they stood for. Raises Lacks."""
    back = set(back)
    was = {each: deed for each, deed in last_rolled_up(state.words().deeds).items() if into(deed) in back}
    state.require(Needs(memories=set(was)))
    return [
        MemoryRetired(memory_id=each, reason=ROLLED_UP, rolled_up_into=into(deed))
        for each, deed in was.items()
        if (memory := state.memories.get(each)) and memory.status is Status.LIVE and not memory.pinned
    ]
