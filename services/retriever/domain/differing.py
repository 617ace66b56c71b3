"""What became of memories between two moments."""

from collections.abc import Mapping
from typing import NamedTuple

from shared.contracts.answers import ChangeOfMemory
from shared.contracts.parts import Standing

_BECAME = {
    Standing.ACTIVE: ChangeOfMemory.RESTORED,
    Standing.SUPERSEDED: ChangeOfMemory.SUPERSEDED,
    Standing.RETIRED: ChangeOfMemory.RETIRED,
}


class MemoryThen(NamedTuple):
    """What can change of a memory, as it was at a moment."""

    status: Standing
    pinned: bool
    confirmed: bool
    repeats: int


def change_of(before: MemoryThen | None, after: MemoryThen) -> ChangeOfMemory | None:
    """What became of one memory, the weightiest where there is more; None: nothing.

    >>> change_of(None, MemoryThen(Standing.ACTIVE, pinned=False, confirmed=False, repeats=0))
    <ChangeOfMemory.LEARNED: 'learned'>
    """
    if before is None:
        return ChangeOfMemory.LEARNED
    if before.status is not after.status:
        return _BECAME[after.status]
    if before.pinned is not after.pinned:
        return ChangeOfMemory.PINNED if after.pinned else ChangeOfMemory.UNPINNED
    if after.confirmed and not before.confirmed:
        return ChangeOfMemory.CONFIRMED
    return ChangeOfMemory.REPEATED if after.repeats > before.repeats else None


def changes_between(before: Mapping[str, MemoryThen], after: Mapping[str, MemoryThen]) -> dict[str, ChangeOfMemory]:
    """What became of each memory that is known at the later moment, in its order."""
    found = {memory_id: change_of(before.get(memory_id), now) for memory_id, now in after.items()}
    return {memory_id: change for memory_id, change in found.items() if change is not None}
