"""The questions which of two facts holds. What is asked is made of the words of both when it is read, and nowhere kept."""

import json
from collections.abc import Collection, Sequence
from itertools import starmap
from typing import NamedTuple

from sqlalchemy import Connection, text

from services.retriever.domain.questions import FactInDoubt, question
from services.retriever.store.changes import DoubtChange, FileChanges
from services.retriever.store.read_memories import by_ids
from services.retriever.store.unchanged import Unchanged
from shared.contracts.conflicts import ConflictReason
from shared.contracts.ids import ConflictId, MemoryId
from shared.contracts.queries import ConflictsAnswer, ConflictsQuery, Memory, PendingConflict
from shared.domain.moments import moment
from shared.runtime.sqlite import rows

_CHANGES = {
    DoubtChange.RAISED: text(
        """
        INSERT OR REPLACE INTO conflicts (id, number, older, newer, reason, at, is_pending)
        VALUES (:id, :number, :older, :newer, :reason, :at, 1)
        """
    ),
    DoubtChange.ANSWERED: text("UPDATE conflicts SET is_pending = 0 WHERE id = :id"),
    DoubtChange.ENDED: text("UPDATE conflicts SET is_pending = 0 WHERE :memory IN (older, newer)"),
}
_OF_PENDING = "SELECT id, older, newer, reason, at FROM conflicts WHERE is_pending"
_PENDING = f"{_OF_PENDING} ORDER BY number DESC LIMIT :limit"
_ABOUT = f"""
{_OF_PENDING} AND (older IN (SELECT value FROM json_each(:ids)) OR newer IN (SELECT value FROM json_each(:ids)))
ORDER BY number DESC
"""


class _PendingRow(NamedTuple):
    """A question as it is stored."""

    id: ConflictId
    older: MemoryId
    newer: MemoryId
    reason: ConflictReason
    at: int


def write_conflicts(db: Connection, changes: FileChanges) -> None:
    """Write what was asked and answered, in the order in which it was."""
    for kind, row in changes.doubts:
        db.execute(_CHANGES[kind], row)


def conflicts(db: Connection, query: ConflictsQuery, position: int) -> ConflictsAnswer:
    """The pending questions of a person, the latest first."""
    return ConflictsAnswer(position=position, conflicts=_worded(db, _pending(db, _PENDING, limit=query.limit)))


def no_conflicts(position: int) -> ConflictsAnswer:
    """The answer about a person of whom nothing is known."""
    return ConflictsAnswer(position=position, conflicts=())


def pending_about(db: Connection, memory_ids: Collection[str], unchanged: Unchanged) -> tuple[PendingConflict, ...]:
    """The pending questions about any of these memories, the latest first; opens no transaction."""
    if not memory_ids:
        return ()
    found = _pending(db, _ABOUT, ids=json.dumps(sorted(memory_ids)))
    known = unchanged.of_facts(_PendingRow, dict[ConflictId, PendingConflict])
    if new := [row for row in found if row.id not in known]:
        known |= {each.conflict_id: each for each in _worded(db, new)}
    return tuple(known[row.id] for row in found)


def _pending(db: Connection, statement: str, **parameters: str | int) -> list[_PendingRow]:
    return list(starmap(_PendingRow, rows(db, statement, parameters)))


def _worded(db: Connection, found: Sequence[_PendingRow]) -> tuple[PendingConflict, ...]:
    facts = {fact.memory_id: fact for fact in by_ids(db, [each for row in found for each in (row.older, row.newer)])}
    return tuple(_conflict(row, facts[row.older], facts[row.newer]) for row in found)


def _conflict(row: _PendingRow, older: Memory, newer: Memory) -> PendingConflict:
    return PendingConflict(
        conflict_id=row.id,
        question=question(FactInDoubt(older.text, older.slots), FactInDoubt(newer.text, newer.slots)),
        older=row.older,
        older_text=older.text,
        newer=row.newer,
        newer_text=newer.text,
        reason=row.reason,
        detected_at=moment(row.at),
    )
