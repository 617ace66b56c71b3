"""Tells how their speaker put turns right or took them back, of those of which the arrays say that this happened."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from services.retriever.domain.succession import Heir, MemoryEnding
from services.retriever.store.arrays.columns import JOKES, WHOLLY
from services.retriever.store.arrays.person_arrays import PersonArrays
from services.retriever.store.corrected_turns import joke, put_right
from services.retriever.store.legs import Connection
from services.retriever.store.shown_rows import KnownRows


class KnownRightings:
    """What speakers put right, each turn looked up once: while a file does not change, and one thread reads it."""

    def __init__(self, db: Connection, arrays: PersonArrays, read: KnownRows) -> None:
        self._db, self._arrays, self._read = db, arrays, read
        self._found: dict[int, MemoryEnding | None] = {}

    def corrected(self, numbers: Collection[int]) -> dict[int, MemoryEnding]:
        """As `corrected_turns.corrected`: how much of each of these turns was put right; the others are left out."""
        if new := [number for number in numbers if number not in self._found]:
            self._found |= dict.fromkeys(new) | self._looked_up(new)
        return {number: ending for number in numbers if (ending := self._found[number])}

    def _looked_up(self, numbers: Collection[int]) -> dict[int, MemoryEnding]:
        rows = self._arrays.rows_of(numbers)
        jokes, righted = self._arrays["flags"][rows] & JOKES != 0, self._arrays["righted"][rows]
        found = dict[int, MemoryEnding]()
        if jokes.any():  # hardly ever, as what follows
            at = rows[jokes]
            said_at = zip(self._arrays["number"][at].tolist(), self._arrays["time"][at].tolist(), strict=True)
            found |= {number: joke(moment) for number, moment in said_at}
        if righted.any():
            at = righted.nonzero()[0]
            found |= self._righted(dict(zip(self._arrays["number"][rows[at]].tolist(), righted[at].tolist(), strict=True)))
        return found

    def _righted(self, by: Mapping[int, int]) -> dict[int, MemoryEnding]:
        """The endings of these turns. `by`: their values in the column `righted`."""
        later = {number: number + (told & ~WHOLLY) for number, told in by.items()}
        read = self._read.of({*later, *later.values()})
        return {
            number: put_right(
                self._db,
                read[number].id,
                Heir(by_turn, read[by_turn].id),
                since=read[by_turn].event_time if by[number] & WHOLLY else None,
            )
            for number, by_turn in later.items()
        }
