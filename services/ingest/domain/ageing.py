"""Lets one text stand for old memories, and forgets these after a time.

Maintenance proposes both. Whether a memory may still be rolled up or forgotten is decided here, by what is known now.
"""

from datetime import datetime

from services.ingest.domain.cascade import Going
from services.ingest.domain.forgetting import HowNamed, forgotten
from services.ingest.domain.lacks import Needs
from services.ingest.domain.memories import Status
from services.ingest.domain.recollection import Recollection
from services.ingest.domain.rollups import ROLLED_UP, into, last_rolled_up
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from services.ingest.domain.withholding import require_memory, stones_on
from shared.contracts.ageing import EraseRolledUp, MemoryRolledUp, SaveRollup
from shared.contracts.envelope import Envelope
from shared.contracts.errors import Forgotten
from shared.contracts.events import MemoryRetired
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Kind


def save_rollup(command: SaveRollup, ruling: Ruling) -> None:
    """Record a roll-up and retire what it stands for; nothing where one of these is to be kept as it is by now.

    Raises MemoryOff, or Forgotten if the text may say what is forgotten.
    """
    state = ruling.state
    require_memory(state)
    sources = tuple(dict.fromkeys(command.source_ids))
    if any(each not in state.memories for each in sources) or stones_on(command, state, ruling.given, by_others=True):
        raise Forgotten
    if not all(_is_old(each, state) for each in sources) or {
        each for asked in state.conflicts.values() if asked.is_pending for each in (asked.older, asked.newer)
    } & set(sources):
        return
    rolled_up = MemoryRolledUp(
        memory_id=ruling.new_memory_id("roll"),
        text=command.text,
        source_ids=sources,
        tags=command.tags,
        first_at=command.first_at,
        last_at=command.last_at,
        origin=command.origin,
        tokens=command.tokens,
    )
    ruling.add(rolled_up, min(command.last_at, ruling.given.now))
    for source in sources:
        ruling.add(MemoryRetired(memory_id=source, reason=ROLLED_UP, rolled_up_into=rolled_up.memory_id))


def erase_rolled_up(command: EraseRolledUp, ruling: Ruling) -> None:
    """Forget those of these memories that a roll-up has stood for long enough; the roll-up stays.

    No tombstone is left: whoever says it again is not told that it was forgotten. An import does not bring it back.
    """
    state = ruling.state
    state.require(Needs(memories=set(command.memory_ids)))
    words = state.words()
    since = last_rolled_up(words.deeds)
    state.require(Needs(memories={rollup for each in command.memory_ids if each in since and (rollup := into(since[each]))}))
    gone = [
        each
        for each in dict.fromkeys(command.memory_ids)
        if each in words.told and _is_rolled_up(each, state) and _is_over(since.get(each), command.before, words, state)
    ]
    if gone:
        taken = Going(dict.fromkeys(gone, "named"), ())
        ruling.add_all(forgotten(taken, words, state, ruling.given, HowNamed("retention")))


def _is_old(memory_id: MemoryId, state: ScopeState) -> bool:
    """Whether a memory may go into a roll-up."""
    memory = state.memories[memory_id]
    return memory.status is Status.LIVE and memory.kind is not Kind.ROLLUP and not _is_kept(memory_id, state)


def _is_rolled_up(memory_id: MemoryId, state: ScopeState) -> bool:
    """Whether a roll-up stands for a memory that nobody asked to keep."""
    memory = state.memories.get(memory_id)
    return memory is not None and memory.ended == ROLLED_UP and not _is_kept(memory_id, state)


def _is_kept(memory_id: MemoryId, state: ScopeState) -> bool:
    memory, fact = state.memories[memory_id], state.facts.get(memory_id)
    return memory.pinned or memory.held_back or bool(fact and (fact.manually_saved or fact.confirmed))


def _is_over(since: Envelope | None, before: datetime, words: Recollection, state: ScopeState) -> bool:
    """Whether a memory was rolled up so long ago, and what stands for it is there."""
    rollup = into(since) if since else None
    if since is None or rollup not in words.told or since.told_at > before:
        return False
    return state.memories[rollup].status is Status.LIVE
