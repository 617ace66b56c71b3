"""Pins, unpins and confirms a memory. A command whose effect is there already leads to no event.

Confirming or pinning a retired memory brings it back: nobody wants to keep what is not found.
"""

from services.ingest.domain.capacity import keep_to_the_cap
from services.ingest.domain.memories import Fact, KnownMemory
from services.ingest.domain.repeats import bring_back
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from shared.contracts.commands import ConfirmFact, Pin, Unpin
from shared.contracts.errors import NotAFact, Superseded, UnknownMemory
from shared.contracts.events import FactConfirmed, MemoryPinned, MemoryUnpinned
from shared.contracts.ids import MemoryId


def known_memory(memory_id: MemoryId, state: ScopeState) -> KnownMemory:
    """The memory with this id. Raises UnknownMemory."""
    memory = state.memories.get(memory_id)
    if memory is None:
        raise UnknownMemory
    return memory


def known_fact(memory_id: MemoryId, state: ScopeState) -> Fact:
    """The fact with this id. Raises UnknownMemory or NotAFact."""
    known_memory(memory_id, state)
    fact = state.facts.get(memory_id)
    if fact is None:
        raise NotAFact
    return fact


def pin(command: Pin, ruling: Ruling) -> None:
    """Pin a memory, so that it is never trimmed. Raises UnknownMemory or Superseded."""
    memory = known_memory(command.memory_id, ruling.state)
    _refuse_superseded(command.memory_id, ruling.state)
    bring_back(command.memory_id, ruling)
    if not memory.pinned:
        ruling.add(MemoryPinned(memory_id=command.memory_id))
    keep_to_the_cap(ruling)


def unpin(command: Unpin, ruling: Ruling) -> None:
    """Unpin a memory; if the cap is exceeded, it may be trimmed at once. Raises UnknownMemory."""
    if known_memory(command.memory_id, ruling.state).pinned:
        ruling.add(MemoryUnpinned(memory_id=command.memory_id))
        keep_to_the_cap(ruling)


def confirm_fact(command: ConfirmFact, ruling: Ruling) -> None:
    """Make a fact certain: confidence 1, no decay. Raises UnknownMemory, NotAFact or Superseded.

    Source: ../reference/memory-system.md, "Agent tools".
    """
    fact = known_fact(command.memory_id, ruling.state)
    _refuse_superseded(command.memory_id, ruling.state)
    bring_back(command.memory_id, ruling)
    if not fact.confirmed:
        ruling.add(FactConfirmed(memory_id=command.memory_id, confidence_before=fact.confidence))
    keep_to_the_cap(ruling, spared={command.memory_id})


def _refuse_superseded(memory_id: MemoryId, state: ScopeState) -> None:
    fact = state.facts.get(memory_id)
    if fact and fact.superseded_by:
        raise Superseded(f"{fact.superseded_by} stands in the place of this fact; name that one, or restore this one first")
