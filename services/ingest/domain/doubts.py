"""Folds events into the questions that are asked of a person: two live facts of which at most one may hold.

A question is pending until it is answered or one of its facts ends. It stays known, so that it is not asked again.
"""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from shared.contracts.conflicts import ConflictReason
from shared.contracts.ids import ConflictId, MemoryId


class KnownConflict(NamedTuple):
    """Two facts that may contradict each other."""

    older: MemoryId
    newer: MemoryId
    reason: ConflictReason
    is_pending: bool = True

    def concerns(self, memory_ids: Collection[MemoryId]) -> bool:
        """Whether one of these memories is in doubt."""
        return self.older in memory_ids or self.newer in memory_ids


Conflicts = Mapping[ConflictId, KnownConflict]


def closed(conflicts: Conflicts, memory_id: MemoryId) -> Conflicts:
    """The conflicts after this memory has ended: nobody needs to ask about it any more."""
    over = {
        conflict_id: conflict._replace(is_pending=False)
        for conflict_id, conflict in conflicts.items()
        if conflict.is_pending and conflict.concerns({memory_id})
    }
    return {**conflicts, **over} if over else conflicts


def without(conflicts: Conflicts, gone: Collection[MemoryId]) -> Conflicts:
    """The conflicts after these memories were forgotten."""
    return {each: conflict for each, conflict in conflicts.items() if not conflict.concerns(gone)} if conflicts else conflicts
