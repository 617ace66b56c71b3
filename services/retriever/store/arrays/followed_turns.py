"""Tells which turns were put right by one that followed: by the words of both, when either is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection

from services.retriever.store.arrays.columns import HELD_BACK, MAY_PUT_RIGHT, OF_USER, WHOLLY
from services.retriever.store.corrected_turns import NEXT_TURNS, WITHIN
from services.retriever.store.shown_rows import KnownRows
from shared.domain.arrays import NDArray, np
from shared.statements.righting import Righting, righting

if TYPE_CHECKING:
    from services.retriever.store.arrays.person_arrays import PersonArrays


def rightings(db: Connection, arrays: PersonArrays, rows: NDArray[Any]) -> NDArray[np.uint8]:
    """The column `righted` of these rows, by the words of the turns and of those that follow them."""
    found = np.zeros(len(rows), np.uint8)
    followed = may_be_put_right(arrays, rows[arrays["flags"][rows] & OF_USER != 0])
    if not followed:
        return found
    said = KnownRows(db).of({number for turn, later, _ in followed for number in (turn, later)})
    righted: dict[int, int] = {}
    for turn, later, is_next in followed:
        if turn not in righted and (how := righting(said[turn].content, said[later].content, is_next=is_next)):
            righted[turn] = later - turn + WHOLLY * (how is Righting.WHOLLY)
    found[np.searchsorted(arrays["number"][rows], list(righted))] = list(righted.values())
    return found


def rows_before(rows: NDArray[Any]) -> NDArray[Any]:
    """The rows of these turns, and of all before them that they may put right, ascending."""
    return np.unique(np.maximum(rows[:, None] - np.arange(WITHIN + 1), 0))


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
