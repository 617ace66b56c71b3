"""Tells which turns stand beside which: up to two on either side in the same session, by the time at which they were said."""

from __future__ import annotations

from typing import Any

from shared.domain.arrays import NDArray, np

_STEPS = (-1, 1, -2, 2)
BESIDE = len(_STEPS)
NOBODY = -1


def beside(rows: NDArray[Any], sessions: NDArray[Any], times: NDArray[Any]) -> NDArray[Any]:
    """The rows of the turns beside each of these turns, int[n, 4]: one before, one after, two before, two after; -1 for none.

    >>> beside(np.array([0, 1, 2]), np.array([7, 7, 8]), np.array([50, 40, 60])).tolist()
    [[1, -1, -1, -1], [-1, 0, -1, -1], [-1, -1, -1, -1]]
    """
    order = np.lexsort((rows, times, sessions))
    said, of = rows[order], sessions[order]
    found = np.full((len(rows), len(_STEPS)), NOBODY)
    for column, step in enumerate(_STEPS):
        here, there = (slice(0, -step), slice(step, None)) if step > 0 else (slice(-step, None), slice(0, step))
        found[here, column] = np.where(of[here] == of[there], said[there], NOBODY)
    placed = np.empty_like(found)
    placed[order] = found
    return placed
