"""A memory as a person's file has it, and all that the contracts show of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from services.retriever.domain.succession import MemoryEnding
from services.retriever.store.reading_moment import told_confidence
from services.retriever.store.shown_rows import ShownRow, unpacked, unpacked_slots
from services.retriever.store.succession import Doubt
from shared.contracts.ids import MessageId
from shared.contracts.parts import FactSlot, Kind, Role, Standing
from shared.contracts.queries import Outdated
from shared.domain.decay import Fading
from shared.domain.moments import moment

_KINDS = {kind.value: kind for kind in Kind}
_ROLES = {role.value: role for role in Role}
_STANDINGS = {standing.value: standing for standing in Standing}
_HOLDS: Mapping[str, Any] = {"outdated": None, "outdated_by": (), "outdated_slots": (), "valid_until": None}


class StoredMemory:
    """What tells whether a memory is shown is there at once, all of its fields when they are asked for.

    A context reads four memories for each that it shows.
    """

    __slots__ = (
        *("_by_then", "_ending", "_row", "conflict_ids", "kind", "memory_id", "message_id", "number", "outdated"),
        *("outdated_by", "role", "slots", "speaker", "text"),
    )

    def __init__(self, row: ShownRow, by_then: int | None, ending: MemoryEnding | None, doubts: Sequence[Doubt]) -> None:
        """`row`: of COLUMNS. `by_then`: the moment for which what fades with time is told, in microseconds."""
        self._row, self._by_then = row, by_then
        self._ending = _ended(ending) if ending and ending.is_told else _HOLDS
        self.number: int = row.number
        self.memory_id: str = row.id
        self.message_id: MessageId | None = row.message_id
        self.kind: Kind = _KINDS[row.kind]
        self.role: Role | None = _ROLES[row.source_role] if row.source_role else None
        self.speaker: str | None = row.speaker
        self.text: str = row.content
        self.slots: tuple[FactSlot, ...] = unpacked_slots(row.slots)
        self.outdated: Outdated | None = self._ending["outdated"]
        self.outdated_by: tuple[str, ...] = self._ending["outdated_by"]
        self.conflict_ids = tuple([doubt.conflict_id for doubt in doubts])

    @property
    def source_ids(self) -> tuple[str, ...]:
        """The ids of what a fact rests on; for a turn the bot's message id."""
        return unpacked(self._row.source_ids)

    @property
    def manually_saved(self) -> bool:
        """True if somebody asked for the memory to be kept."""
        return bool(self._row.manually_saved)

    @property
    def pinned(self) -> bool:
        """True if the memory is always known."""
        return bool(self._row.pinned)

    @property
    def occurred_at(self) -> datetime:
        """The moment at which the memory was said."""
        return moment(self._row.event_time)

    @property
    def fields(self) -> dict[str, Any]:
        """All fields of the contract `Memory` in its order, as they would be after validation."""
        row, is_pinned = self._row, self.pinned
        fading = Fading(row.confidence, row.confidence_at, row.decay_rate)
        return {
            "memory_id": self.memory_id,
            "kind": self.kind,
            "text": self.text,
            "number": self.number,
            "occurred_at": self.occurred_at,
            "recorded_at": moment(row.created_at),
            "session_id": row.session_id,
            "role": self.role,
            "speaker": self.speaker,
            "message_id": self.message_id,
            "source_ids": self.source_ids,
            "tags": unpacked(row.tags),
            "manually_saved": self.manually_saved,
            "pinned": is_pinned,
            "status": _STANDINGS[row.status],
            "superseded_by": row.superseded_by,
            "supersedes": row.supersedes,
            "slots": self.slots,
            **self._ending,
            "conflict_ids": self.conflict_ids,
            "repeat_count": row.repeat_count,
            "confidence": told_confidence(self._by_then, fading, pinned=is_pinned),
            "importance": row.importance,
            "needs_embedding": False,
            "access_count": row.access_count,
            "last_accessed_at": moment(row.last_accessed) if row.last_accessed else None,
        }


def _ended(ending: MemoryEnding) -> dict[str, Any]:
    """The fields that say how much of a memory does not hold any more."""
    return {
        "outdated": Outdated.WHOLLY if ending.is_whole else Outdated.PARTLY,
        "outdated_by": tuple(heir.memory_id for heir in ending.heirs),
        "outdated_slots": tuple(sorted(ending.slots)),
        "valid_until": None if ending.since is None else moment(ending.since),
    }
