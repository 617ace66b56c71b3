"""What a person decides about a memory that is there: pinned, confirmed, restored. What holds already leads to no event.

To confirm or pin a retired memory brings it back: nobody keeps what is not to be found.
"""

from __future__ import annotations

from services.ingest.domain.capacity import keep_to_the_cap
from services.ingest.domain.memories import Fact, KnownMemory, Status
from services.ingest.domain.repeats import bring_back, restore_as_it_was
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from shared.contracts.commands import ConfirmFact, Pin, Restore, Unpin
from shared.contracts.errors import NotAFact, Superseded, UnknownMemory
from shared.contracts.events import FactConfirmed, MemoryPinned, MemoryUnpinned
from shared.contracts.ids import MemoryId


def known_memory(memory_id: MemoryId, state: ScopeState) -> KnownMemory:
    """The memory. Raises UnknownMemory."""
    memory = state.memories.get(memory_id)
    if memory is None:
        raise UnknownMemory
    return memory


def known_fact(memory_id: MemoryId, state: ScopeState) -> Fact:
    """The fact. Raises UnknownMemory or NotAFact."""
    known_memory(memory_id, state)
    fact = state.facts.get(memory_id)
    if fact is None:
        raise NotAFact
    return fact


def pin(command: Pin, ruling: Ruling) -> None:
    """Keep the memory, whatever the cap and the decay say. Raises UnknownMemory or Superseded."""
    memory = known_memory(command.memory_id, ruling.state)
    _refuse_superseded(command.memory_id, ruling.state)
    bring_back(command.memory_id, ruling)
    if not memory.pinned:
        ruling.add(MemoryPinned(memory_id=command.memory_id))
    keep_to_the_cap(ruling)


def unpin(command: Unpin, ruling: Ruling) -> None:
    """Keep the memory like any other: it may be trimmed at once, where the cap is exceeded. Raises UnknownMemory."""
    if known_memory(command.memory_id, ruling.state).pinned:
        ruling.add(MemoryUnpinned(memory_id=command.memory_id))
        keep_to_the_cap(ruling)


def confirm_fact(command: ConfirmFact, ruling: Ruling) -> None:
    """The fact is certain: confidence 1, no decay. Raises UnknownMemory, NotAFact or Superseded.

    Source: ../reference/memory-system.md, "Agent tools".
    """
    fact = known_fact(command.memory_id, ruling.state)
    _refuse_superseded(command.memory_id, ruling.state)
    bring_back(command.memory_id, ruling)
    if not fact.confirmed:
        ruling.add(FactConfirmed(memory_id=command.memory_id, confidence_before=fact.confidence))
    keep_to_the_cap(ruling, spared={command.memory_id})


def restore(command: Restore, ruling: Ruling) -> None:
    """Make the memory live again, at the cost of a weaker one where the cap is reached. Raises UnknownMemory."""
    if known_memory(command.memory_id, ruling.state).status is Status.LIVE:
        return
    restore_as_it_was(command.memory_id, ruling)
    keep_to_the_cap(ruling, spared={command.memory_id})


def _refuse_superseded(memory_id: MemoryId, state: ScopeState) -> None:
    fact = state.facts.get(memory_id)
    if fact and fact.superseded_by:
        raise Superseded(f"{fact.superseded_by} stands in the place of this fact; name that one, or restore this one first")
