"""Finds memories by their words: those of a turn itself, and with less weight those of the turns beside it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection

from services.retriever.domain.evidence import Holding
from services.retriever.domain.full_text import near_pairs, terms, too_common
from services.retriever.store.search.columns import MemoryColumns
from services.retriever.store.search.index import INDEX
from shared.domain.arrays import NDArray, np

_NEIGHBOURS_WEIGH = (0.5, 0.5, 0.25, 0.25)
_MOST_MATCHES = 5_000
"""Where there are more memories, the most common words of a question are left out until so many match."""

_ENOUGH = 1_000
"""A term that so many memories hold says next to nothing; the others that hold it are not counted."""


class WordSearch:
    """The terms of one question in one person's file."""

    def __init__(self, db: Connection, columns: MemoryColumns, question: str) -> None:
        self._db, self._columns = db, columns
        self._terms = terms(question)

    def scores(self, names: Collection[str]) -> NDArray[Any]:
        """The score of every memory, float64[n]; 0 where no word is found. Pairs do without the words of these names."""
        telling = [term for term in self._terms if term not in self._too_common()]
        found = INDEX.words.find(self._db, telling, near_pairs(telling, names))
        at, count = self._columns.rows_of(found.numbers), len(self._columns)
        scores = np.zeros(count)
        scores[at] = found.own
        whose = self._columns["beside"].take(at, axis=0)
        weights = found.said[:, None] * np.array(_NEIGHBOURS_WEIGH)
        shared: NDArray[Any] = np.bincount(whose.ravel() + 1, weights.ravel(), minlength=count + 1)[1:]  # NOBODY comes first
        return np.asarray(scores + shared)

    def holding(self, numbers: Collection[int]) -> dict[str, Holding]:
        """For each term: the number of memories with it in their own words, and the numbers of those of these."""
        return {term: Holding(*INDEX.words.holding(self._db, term, numbers, _ENOUGH)) for term in self._terms}

    def _too_common(self) -> frozenset[str]:
        if len(self._columns) <= _MOST_MATCHES:
            return frozenset()
        held = {term: INDEX.words.holding(self._db, term, (), _MOST_MATCHES + 1)[0] for term in self._terms}
        return too_common(held, _MOST_MATCHES)
