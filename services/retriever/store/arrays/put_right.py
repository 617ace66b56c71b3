"""Tells which turns their speaker put right or took back, of those of which the arrays say that they may be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any

from services.retriever.domain.succession import MemoryEnding
from services.retriever.store.arrays.columns import HELD_BACK, JOKES, MAY_PUT_RIGHT, OF_USER
from services.retriever.store.arrays.person_arrays import PersonArrays
from services.retriever.store.corrected_turns import NEXT_TURNS, WITHIN, Followed, LaterTurn, RightedTurn, joke, righted
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
        rows = np.sort(rows[self._arrays["flags"][rows] & OF_USER != 0])
        joking = rows[self._arrays["flags"][rows] & JOKES != 0]
        said_at = zip(self._arrays["number"][joking].tolist(), self._arrays["time"][joking].tolist(), strict=True)
        return {number: joke(at) for number, at in said_at} | righted(self._db, self._followed(rows))

    def _followed(self, rows: NDArray[Any]) -> Followed:
        followed = defaultdict[int, list[tuple[int, bool]]](list)
        for turn, later, is_next in may_be_put_right(self._arrays, rows):
            followed[turn].append((later, is_next))
        if not followed:
            return
        read = self._read.of({*followed, *(later for of in followed.values() for later, _ in of)})
        said = {number: RightedTurn(number, row.id, row.content) for number, row in read.items()}
        for turn, of in followed.items():
            yield said[turn], [LaterTurn(said[later], read[later].event_time, is_next) for later, is_next in of]


def may_be_put_right(arrays: PersonArrays, rows: NDArray[Any]) -> list[tuple[int, int, bool]]:
    """Which of these turns is followed by one of its speaker that begins as corrections do: the numbers of both, ascending.

    Only the next two turns of its speaker are looked at; True: of the next one.
    """
    rows = rows[_may_be_followed(arrays, rows)]
    if not len(rows):
        return []
    later = rows[:, None] + np.arange(1, WITHIN + 1)
    is_there = later < len(arrays)
    later = np.minimum(later, len(arrays) - 1)
    number, session, speaker = arrays["number"], arrays["session"], arrays["speaker"]
    flags = arrays["flags"][later]
    follows = is_there & (flags & (OF_USER | HELD_BACK) == OF_USER) & (number[later] <= number[rows][:, None] + WITHIN)
    follows &= (session[later] == session[rows][:, None]) & (session[rows] >= 0)[:, None]
    follows &= speaker[later] == speaker[rows][:, None]
    place = np.cumsum(follows, axis=1)
    of, at = (follows & (place <= NEXT_TURNS) & (flags & MAY_PUT_RIGHT != 0)).nonzero()
    is_next = (place[of, at] == 1).tolist()
    return list(zip(number[rows[of]].tolist(), number[later[of, at]].tolist(), is_next, strict=True))


def _may_be_followed(arrays: PersonArrays, rows: NDArray[Any]) -> NDArray[Any]:
    """Whether any turn that begins as corrections do comes soon after each of these rows: hardly after any."""
    righting = arrays.computed("putting right", rows_putting_right)
    begins, ends = np.searchsorted(righting, rows + 1), np.searchsorted(righting, rows + WITHIN, side="right")
    return np.asarray(begins < ends)


def rows_putting_right(arrays: PersonArrays) -> NDArray[Any]:
    """The turns that begin as corrections do, ascending."""
    return np.flatnonzero(arrays["flags"] & MAY_PUT_RIGHT)
