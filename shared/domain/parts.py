"""Divides all people among workers, by their slots."""

from __future__ import annotations

from dataclasses import dataclass

from shared.contracts.ids import Slot
from shared.contracts.subjects import SLOTS


@dataclass(frozen=True, slots=True)
class Part:
    """One of `count` parts of all people: those of a range of slots. Every slot is in exactly one part."""

    index: int
    count: int

    @property
    def slots(self) -> range:
        """The slots of this part.

        >>> Part(1, 3).slots
        range(21, 42)
        """
        return range(self.index * SLOTS // self.count, (self.index + 1) * SLOTS // self.count)

    @classmethod
    def of_slot(cls, slot: Slot, count: int) -> Part:
        """The part that a slot is in.

        >>> Part.of_slot(Slot(41), 3).index
        1
        """
        return cls(((slot + 1) * count - 1) // SLOTS, count)

    @classmethod
    def each(cls, count: int) -> list[Part]:
        """All parts."""
        return [cls(index, count) for index in range(count)]


WHOLE = Part(0, 1)
"""All people."""
