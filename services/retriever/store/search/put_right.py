"""Tells how their speaker put turns right or took them back, by the words of the turns and of those that follow them."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from services.retriever.domain.succession import Heir, MemoryEnding
from services.retriever.domain.word_traits import JOKES, MAY_PUT_RIGHT
from services.retriever.store.corrected_turns import NEXT_TURNS, WITHIN, joke, put_right
from services.retriever.store.legs import Connection
from services.retriever.store.search.columns import HELD_BACK, OF_USER, MemoryColumns
from services.retriever.store.shown_rows import KnownRows
from shared.domain.arrays import NDArray, np
from shared.language.statements.righting import Righting, righting


class KnownRightings:
    """What speakers put right, each turn looked up once: while a file does not change, and one thread reads it."""

    def __init__(self, db: Connection, columns: MemoryColumns, read: KnownRows) -> None:
        self._db, self._columns, self._read = db, columns, read
        self._found: dict[int, MemoryEnding | None] = {}

    def corrected(self, numbers: Collection[int]) -> dict[int, MemoryEnding]:
        """As `corrected_turns.corrected`: how much of each of these turns was put right; the others are left out."""
        if new := [number for number in numbers if number not in self._found]:
            self._found |= dict.fromkeys(new) | self._looked_up(new)
        return {number: ending for number in numbers if (ending := self._found[number])}

    def _looked_up(self, numbers: Collection[int]) -> dict[int, MemoryEnding]:
        rows = self._columns.rows_of(numbers)
        flags = self._columns["flags"][rows]
        righted = self._righted(rows[flags & OF_USER != 0])
        at = rows[flags & JOKES != 0]  # hardly ever any
        said_at = zip(self._columns["number"][at].tolist(), self._columns["time"][at].tolist(), strict=True)
        return {number: joke(moment) for number, moment in said_at} | righted

    def _righted(self, rows: NDArray[Any]) -> dict[int, MemoryEnding]:
        """Return the endings of the turns in these rows that another turn puts right."""
        followed = _may_be_put_right(self._columns, rows)
        said = self._read.of({number for turn, later, _ in followed for number in (turn, later)})
        found = dict[int, MemoryEnding]()
        for turn, later, is_next in followed:
            by = said[later]
            if turn not in found and (how := righting(said[turn].content, by.content, is_next=is_next)):
                since = by.event_time if how is Righting.WHOLLY else None
                found[turn] = put_right(self._db, said[turn].id, Heir(later, by.id), since=since)
        return found


def _may_be_put_right(columns: MemoryColumns, rows: NDArray[Any]) -> list[tuple[int, int, bool]]:
    """Which of these turns is followed by one of its speaker that begins as corrections do: the numbers of both, ascending.

    Only the next two turns of its speaker are looked at; True: of the next one.
    """
    rows = rows[_may_be_followed(columns, rows)]
    if not len(rows):
        return []
    later = rows[:, None] + np.arange(1, WITHIN + 1)
    is_there = later < len(columns)
    later = np.minimum(later, len(columns) - 1)
    number, session, speaker = columns["number"], columns["session"], columns["speaker"]
    flags = columns["flags"][later]
    follows = is_there & (flags & (OF_USER | HELD_BACK) == OF_USER) & (number[later] <= number[rows][:, None] + WITHIN)
    follows &= (session[later] == session[rows][:, None]) & (session[rows] >= 0)[:, None]
    follows &= speaker[later] == speaker[rows][:, None]
    place = np.cumsum(follows, axis=1)
    of, at = (follows & (place <= NEXT_TURNS) & (flags & MAY_PUT_RIGHT != 0)).nonzero()
    is_next = (place[of, at] == 1).tolist()
    return list(zip(number[rows[of]].tolist(), number[later[of, at]].tolist(), is_next, strict=True))


def _may_be_followed(columns: MemoryColumns, rows: NDArray[Any]) -> NDArray[Any]:
    """Whether any turn that begins as corrections do comes soon after each of these rows: hardly after any."""
    righting = columns.computed("putting right", _rows_putting_right)
    begins, ends = np.searchsorted(righting, rows + 1), np.searchsorted(righting, rows + WITHIN, side="right")
    return np.asarray(begins < ends)


def _rows_putting_right(columns: MemoryColumns) -> NDArray[Any]:
    """The turns that begin as corrections do, ascending."""
    return np.flatnonzero(columns["flags"] & MAY_PUT_RIGHT)
