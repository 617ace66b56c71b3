"""Tells how their speaker put turns right or took them back, of those of which the arrays say that this happened."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from services.retriever.domain.succession import MemoryEnding
from services.retriever.store.arrays.columns import JOKES, PUT_RIGHT
from services.retriever.store.arrays.followed_turns import may_be_put_right
from services.retriever.store.arrays.person_arrays import PersonArrays
from services.retriever.store.corrected_turns import Followed, LaterTurn, RightedTurn, joke, righted
from services.retriever.store.legs import Connection
from services.retriever.store.shown_rows import KnownRows
from shared.domain.arrays import NDArray, np


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
        flags = self._arrays["flags"][rows]
        if not (flags & (JOKES | PUT_RIGHT)).any():  # as nearly always
            return {}
        joking = rows[flags & JOKES != 0]
        said_at = zip(self._arrays["number"][joking].tolist(), self._arrays["time"][joking].tolist(), strict=True)
        jokes = {number: joke(at) for number, at in said_at}
        return jokes | righted(self._db, self._followed(np.sort(rows[flags & PUT_RIGHT != 0])))

    def _followed(self, rows: NDArray[Any]) -> Followed:
        followed = defaultdict[int, list[tuple[int, bool]]](list)
        for turn, later, is_next in may_be_put_right(self._arrays, rows):
            followed[turn].append((later, is_next))
        read = self._read.of({*followed, *(later for of in followed.values() for later, _ in of)})
        said = {number: RightedTurn(number, row.id, row.content) for number, row in read.items()}
        for turn, of in followed.items():
            yield said[turn], [LaterTurn(said[later], read[later].event_time, is_next) for later, is_next in of]
