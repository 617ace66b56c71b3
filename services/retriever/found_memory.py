"""A memory that was found, at its place: what decides whether it is shown, and all of it where it is."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from datetime import datetime
from typing import Self, TypeAlias

from services.retriever.domain.candidate import Placed
from services.retriever.store.stored_memory import StoredMemory
from shared.contracts.queries import ScoredMemory
from shared.language.statements.ageing import aged


class FoundMemory(StoredMemory):
    """A stored memory with its place and what ages in it come to by now; `whole` is what an answer shows of it."""

    __slots__ = ("by_now", "place", "said_again")

    place: Placed
    by_now: str | None
    said_again: tuple[str, ...]

    def at(self, place: Placed, now: datetime) -> Self:
        """The memory itself, now that it has a place."""
        self.place, self.said_again = place, ()
        self.by_now = self._by_now(now) if self.slots else None
        return self

    def replaced(self, *, said_again: tuple[str, ...]) -> Self:
        """The memory with the ids of others that say the same."""
        repeated = copy(self)
        repeated.said_again = said_again
        return repeated

    @property
    def whole(self) -> ScoredMemory:
        """The memory with all fields, as an answer has it before a block shows it."""
        return ScoredMemory.of_fields(
            {
                **self.fields,
                "score": self.place.score(),
                "line": None,
                "excerpt": None,
                "gathers": (),
                "by_now": self.by_now,
                "said_again": self.said_again,
                "origin": None,
            }
        )

    def _by_now(self, now: datetime) -> str | None:
        told = (aged(slot, told_at=self.occurred_at, now=now) for slot in self.slots)
        return ", ".join(dict.fromkeys(filter(None, told))) or None


Shown: TypeAlias = FoundMemory | ScoredMemory
"""A memory that may be shown: of a person's file, or whole already as what another space gives."""


def wholes(memories: Iterable[Shown]) -> Iterable[ScoredMemory]:
    """These memories as an answer has them, each made when its turn comes."""
    return (memory.whole if isinstance(memory, FoundMemory) else memory for memory in memories)
