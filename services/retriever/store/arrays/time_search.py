"""Finds memories by a time that a question names: when they were said, or the days that they speak of."""

from __future__ import annotations

from typing import Any

from services.retriever.store import legs
from services.retriever.store.arrays.columns import DATED
from services.retriever.store.arrays.person_arrays import PersonArrays
from services.retriever.store.arrays.wanted_rows import best_rows
from services.retriever.store.legs import Connection, Span
from shared.domain.arrays import NDArray, np


def of_span(db: Connection, arrays: PersonArrays, span: Span, wanted: NDArray[Any], most: int) -> NDArray[Any]:
    """The rows of this time or that speak of it, among those `wanted`, bool[n], at most so many of each kind, newest first."""
    time = arrays["time"]
    said = _is_within(time, span).nonzero()[0]
    if len(said) > legs.NEWEST:
        said = said[np.lexsort((said, time[said]))[-legs.NEWEST :]]
    is_found = np.zeros(len(arrays), bool)
    is_found[said] = True
    is_found[arrays.rows_of(legs.speaking_of(db, span))] = True
    rows = (is_found & wanted).nonzero()[0]
    return best_rows(arrays, rows, time[rows], most)


def are_of_span(db: Connection, arrays: PersonArrays, span: Span, rows: NDArray[Any]) -> NDArray[Any]:
    """Whether each of these rows is of this time, or speaks of it."""
    found = _is_within(arrays["time"][rows], span)
    numbers = arrays["number"][rows]
    dated = numbers[arrays["flags"][rows] & DATED != 0].tolist()
    if speaking := legs.speaking_among(db, span, dated) if dated else ():
        found |= np.isin(numbers, speaking)
    return found


def _is_within(times: NDArray[Any], span: Span) -> NDArray[Any]:
    return np.asarray((times >= span.begin) & (times < span.end))
