"""Raises a question where a statement may contradict a known fact, and ends what the answer says does not hold.

Source: ../reference/memory-system.md, `resolve_conflict`; ../design/mission.md, "doubt becomes a question".
"""

from typing import Literal

from services.ingest.domain.doubts import Conflicts, KnownConflict
from services.ingest.domain.endings import supersede
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from shared.contracts.conflicts import AnswerConflict, ConflictAnswered, ConflictDetected, ConflictReason, Holds
from shared.contracts.errors import UnknownConflict
from shared.contracts.events import MemoryRetired
from shared.contracts.ids import ConflictId, MemoryId
from shared.domain import digests

How = Literal["command", "chat", "later_statement"]


def doubt(newer: MemoryId, older: MemoryId, reason: ConflictReason, ruling: Ruling) -> None:
    """Ask which of two facts holds, if both are live and nobody was asked before. Raises Lacks."""
    state, named = ruling.state, digests.conflict_id(older, newer)
    if named in state.conflicts or not all(state.is_live(each) for each in (older, newer)):
        return
    ruling.add(ConflictDetected(conflict_id=named, memory_id=older, newer=newer, reason=reason))


def ask_anew(newer: MemoryId, older: MemoryId, reason: ConflictReason, ruling: Ruling) -> None:
    """Ask which of two live facts holds, also where that was answered before: what the answer had ended is live again."""
    state, named = ruling.state, digests.conflict_id(older, newer)
    known = state.conflicts.get(named)
    if not (known and known.is_pending) and all(state.is_live(each) for each in (older, newer)):
        ruling.add(ConflictDetected(conflict_id=named, memory_id=older, newer=newer, reason=reason))


def answer_conflict(command: AnswerConflict, ruling: Ruling) -> None:
    """End what does not hold. A question that is closed already stays as it is. Raises UnknownConflict."""
    conflict = ruling.state.conflicts.get(command.conflict_id)
    if conflict is None:
        raise UnknownConflict
    if conflict.is_pending:
        settle(command.conflict_id, command.holds, "command", ruling)


def settle(asked: ConflictId, holds: Holds, how: How, ruling: Ruling) -> None:
    """Record the answer to a pending question, and end the fact that does not hold; with `neither` both."""
    conflict = ruling.state.conflicts[asked]
    older, newer = conflict.older, conflict.newer
    ruling.add(_answered(asked, conflict, holds, how))
    match holds:
        case "newer":
            supersede(older, newer, "conflict", ruling)
        case "older":
            supersede(newer, older, "conflict", ruling)
        case "neither":
            ruling.add_all(MemoryRetired(memory_id=each, reason="denied") for each in (older, newer))
        case "both":
            pass


def note_answers(asked: Conflicts, ruling: Ruling) -> None:
    """Record that a statement has answered those of these questions which it has closed."""
    for conflict_id, conflict in sorted(asked.items()):
        if conflict.is_pending and not ruling.state.conflicts[conflict_id].is_pending:
            ruling.add(_answered(conflict_id, conflict, _left(conflict, ruling.state), "later_statement"))


def _answered(conflict_id: ConflictId, conflict: KnownConflict, holds: Holds, how: How) -> ConflictAnswered:
    return ConflictAnswered(conflict_id=conflict_id, memory_id=conflict.older, newer=conflict.newer, holds=holds, how=how)


def _left(conflict: KnownConflict, state: ScopeState) -> Holds:
    """Which of the two facts is live still."""
    if state.is_live(conflict.newer):
        return "newer"
    return "older" if state.is_live(conflict.older) else "neither"
