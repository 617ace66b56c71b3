"""Finds memories by a time that a question names: when they were said, or the days that they speak of."""

from __future__ import annotations

from typing import Any

from services.retriever.store import legs
from services.retriever.store.legs import Connection, Span
from services.retriever.store.search.columns import DATED, MemoryColumns
from services.retriever.store.search.wanted_rows import best_rows
from shared.domain.arrays import NDArray, np


def of_span(db: Connection, columns: MemoryColumns, span: Span, wanted: NDArray[Any], most: int) -> NDArray[Any]:
    """The rows of this time or that speak of it, among those `wanted`, bool[n], at most so many of each kind, newest first."""
    time = columns["time"]
    said = _is_within(time, span).nonzero()[0]
    if len(said) > legs.NEWEST:
        said = said[np.lexsort((said, time[said]))[-legs.NEWEST :]]
    is_found = np.zeros(len(columns), bool)
    is_found[said] = True
    is_found[columns.rows_of(legs.speaking_of(db, span))] = True
    rows = (is_found & wanted).nonzero()[0]
    return best_rows(columns, rows, time[rows], most)


def are_of_span(db: Connection, columns: MemoryColumns, span: Span, rows: NDArray[Any]) -> NDArray[Any]:
    """Whether each of these rows is of this time, or speaks of it."""
    found = _is_within(columns["time"][rows], span)
    numbers = columns["number"][rows]
    dated = numbers[columns["flags"][rows] & DATED != 0].tolist()
    if speaking := legs.speaking_among(db, span, dated) if dated else ():
        found |= np.isin(numbers, speaking)
    return found


def _is_within(times: NDArray[Any], span: Span) -> NDArray[Any]:
    return np.asarray((times >= span.begin) & (times < span.end))
