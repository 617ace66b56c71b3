"""Retires facts that nobody came back to. Maintenance proposes them; whether they are so low is reckoned here, too.

So whatever was confirmed, told again, pinned or used since maintenance looked stays, and who proposes twice retires once.
"""

from services.ingest.domain.memories import Status
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from shared.contracts.commands import RetireMemories
from shared.contracts.events import MemoryRetired
from shared.contracts.ids import MemoryId


def retire_memories(command: RetireMemories, ruling: Ruling) -> None:
    """Retire those of these facts that have fallen so low, as of the moment for which that was reckoned."""
    state = ruling.state
    gone = [each for each in dict.fromkeys(command.memory_ids) if _has_faded(each, command, state)]
    ruling.add_all((MemoryRetired(memory_id=each, reason="decayed") for each in gone), command.at)


def _has_faded(memory_id: MemoryId, command: RetireMemories, state: ScopeState) -> bool:
    memory, fact = state.memories.get(memory_id), state.facts.get(memory_id)
    if memory is None or fact is None or memory.status is not Status.LIVE or memory.pinned or fact.confirmed:
        return False
    return fact.confidence_by(command.at) < command.below
