"""Tells which turns their speaker may have put right or taken back, so that the words of all others need not be read."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from services.retriever.store.arrays.columns import HELD_BACK, JOKES, MAY_PUT_RIGHT, OF_USER
from services.retriever.store.arrays.person_arrays import PersonArrays
from services.retriever.store.corrected_turns import NEXT_TURNS, WITHIN
from shared.domain.arrays import NDArray, np


def may_be_put_right(arrays: PersonArrays, numbers: Collection[int]) -> list[int]:
    """The numbers, among these, of turns in which the user jokes, and of those before one that begins as corrections do."""
    rows = arrays.rows_of(numbers)
    rows = rows[arrays["flags"][rows] & OF_USER != 0]
    found = (arrays["flags"][rows] & JOKES != 0) | _are_followed(arrays, rows)
    return [int(number) for number in arrays["number"][rows[found]]]


def _are_followed(arrays: PersonArrays, rows: NDArray[Any]) -> NDArray[Any]:
    """Whether one of the next turns of its speaker begins as corrections do, for each of these rows."""
    later = rows[:, None] + np.arange(1, WITHIN + 1)
    is_there = later < len(arrays)
    later = np.minimum(later, len(arrays) - 1)
    number, session, speaker = arrays["number"], arrays["session"], arrays["speaker"]
    flags = arrays["flags"][later]
    follows = is_there & (flags & (OF_USER | HELD_BACK) == OF_USER) & (number[later] <= number[rows][:, None] + WITHIN)
    follows &= (session[later] == session[rows][:, None]) & (session[rows] >= 0)[:, None]
    follows &= speaker[later] == speaker[rows][:, None]
    is_next = follows & (np.cumsum(follows, axis=1) <= NEXT_TURNS)
    return np.asarray((is_next & (flags & MAY_PUT_RIGHT != 0)).any(axis=1))
