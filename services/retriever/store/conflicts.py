"""The questions which of two facts holds. What is asked is made of the words of both when it is read, and nowhere kept."""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import starmap
from typing import NamedTuple

from sqlalchemy import Connection, text

from services.retriever.domain.questions import FactInDoubt, question
from services.retriever.store.changes import DoubtChange, FileChanges
from services.retriever.store.shown_rows import unpacked_slots
from services.retriever.store.unchanged import Unchanged
from shared.contracts.conflicts import ConflictReason
from shared.contracts.ids import ConflictId, MemoryId
from shared.contracts.queries import ConflictsAnswer, ConflictsQuery, PendingConflict
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
_ALL_PENDING = "SELECT id, older, newer, reason, at FROM conflicts WHERE is_pending ORDER BY number DESC"
_PENDING = f"{_ALL_PENDING} LIMIT :limit"
_FACTS = "SELECT id, content, slots FROM memories WHERE id IN (SELECT value FROM json_each(:ids))"


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
    return unchanged.of_facts(_Pending, lambda: _Pending(_pending(db, _ALL_PENDING))).about(db, memory_ids)


class _Pending:
    """All pending questions, and in words those that were asked for. They hold until anything is said of a fact."""

    def __init__(self, found: Sequence[_PendingRow]) -> None:
        self._rows = found
        self._places: defaultdict[str, list[int]] = defaultdict(list)
        for place, row in enumerate(found):
            self._places[row.older].append(place)
            self._places[row.newer].append(place)
        self._worded: dict[ConflictId, PendingConflict] = {}

    def about(self, db: Connection, memory_ids: Iterable[str]) -> tuple[PendingConflict, ...]:
        """Those about any of these memories, in the order in which all stand."""
        places = {place for each in memory_ids for place in self._places.get(each, ())}
        found = [self._rows[place] for place in sorted(places)]
        if new := [row for row in found if row.id not in self._worded]:
            self._worded |= {each.conflict_id: each for each in _worded(db, new)}
        return tuple(self._worded[row.id] for row in found)


def _pending(db: Connection, statement: str, **parameters: str | int) -> list[_PendingRow]:
    return list(starmap(_PendingRow, rows(db, statement, parameters)))


def _worded(db: Connection, found: Sequence[_PendingRow]) -> tuple[PendingConflict, ...]:
    facts = _facts(db, {each for row in found for each in (row.older, row.newer)})
    return tuple(_conflict(row, facts[row.older], facts[row.newer]) for row in found)


def _facts(db: Connection, ids: Collection[MemoryId]) -> dict[MemoryId, FactInDoubt]:
    return {
        memory_id: FactInDoubt(content, unpacked_slots(slots))
        for memory_id, content, slots in rows(db, _FACTS, {"ids": json.dumps(sorted(ids))})
    }


def _conflict(row: _PendingRow, older: FactInDoubt, newer: FactInDoubt) -> PendingConflict:
    return PendingConflict(
        conflict_id=row.id,
        question=question(older, newer),
        older=row.older,
        older_text=older.text,
        newer=row.newer,
        newer_text=newer.text,
        reason=row.reason,
        detected_at=moment(row.at),
    )
