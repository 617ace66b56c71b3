"""Finds memories by the words of a turn, and with less weight by the words of the turns beside it.

The BM25 score of a term approaches `idf * (k1 + 1)` as the term is repeated. The words of the turns beside a turn are added
before this limit applies, so that four turns that repeat a word do not outweigh one turn that answers.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from typing import Any

from sqlalchemy import Connection

from services.retriever.domain.evidence import Holding
from services.retriever.domain.full_text import near_pairs, terms, too_common
from services.retriever.store.search.columns import HELD_BACK, MemoryColumns
from services.retriever.store.search.index import INDEX
from services.retriever.store.search.port import FoundWords
from shared.domain.arrays import NDArray, np

_NEIGHBOURS_WEIGH = (0.5, 0.5, 0.25, 0.25)
_K1 = 1.2
"""The k1 of FTS5's `bm25()`."""

_LEAST_IDF = 1e-6
_FULL = 0.999
_MOST_MATCHES = 5_000
"""The most matches in a file with more memories than that. The most common words of a question are left out to reach it."""

_ENOUGH = 1_000
"""The count at which a term tells next to nothing. Higher counts are cut to it."""


class WordSearch:
    """Searches one person's file for the terms of one question."""

    def __init__(self, db: Connection, columns: MemoryColumns, question: str) -> None:
        self._db, self._columns = db, columns
        self._terms = terms(question)
        self._found: dict[str, FoundWords] = {}

    def scores(self, names: Collection[str]) -> NDArray[Any]:
        """Return the score of every memory, float64[n], 0 without a match. `names`: words that form no pairs."""
        common = self._too_common()
        telling = [term for term in self._terms if term not in common]
        scores, idf = np.zeros(len(self._columns)), dict[str, float]()
        for term in telling:
            found = self._found[term] = INDEX.words.find(self._db, term)
            if len(found.numbers):
                idf[term] = self._idf(len(found.numbers))
                self._add(scores, found, idf[term])
        for one, other in near_pairs(telling, names):
            if one in idf and other in idf:
                self._add(scores, INDEX.words.find(self._db, one, other), idf[one] + idf[other])
        return scores

    def holding(self, numbers: Collection[int]) -> dict[str, Holding]:
        """Return for each term how many memories hold it, and which of the given ones do. Call `scores` first."""
        held = {term: (len(found.numbers), found.numbers.tolist()) for term, found in self._found.items()}
        for term in self._terms:
            if term not in held:  # it is too common
                held[term] = _ENOUGH, INDEX.words.among(self._db, term, numbers)
        return {term: Holding(min(many, _ENOUGH), frozenset(numbers).intersection(who)) for term, (many, who) in held.items()}

    def _too_common(self) -> frozenset[str]:
        if len(self._columns) <= _MOST_MATCHES:
            return frozenset()
        counts = {term: INDEX.words.count(self._db, term, _MOST_MATCHES + 1) for term in self._terms}
        return too_common(counts, _MOST_MATCHES)

    def _idf(self, holding: int) -> float:
        indexed = int(self._columns.computed("indexed", _indexed)[0])
        return max(math.log((indexed - holding + 0.5) / (holding + 0.5)), _LEAST_IDF)

    def _add(self, scores: NDArray[Any], found: FoundWords, idf: float) -> None:
        """Add the scores of one term, or of two near each other, to the memories that hold it and the turns beside them."""
        if not len(found.numbers):
            return
        most, count = idf * (_K1 + 1), len(scores)
        at = self._columns.rows_of(found.numbers)
        shares = _filled(found.said / most)[:, None] * np.array(_NEIGHBOURS_WEIGH)
        beside = self._columns["beside"].take(at, axis=0).ravel() + 1  # nobody comes first
        filled: NDArray[Any] = np.bincount(beside, shares.ravel(), minlength=count + 1)[1:]
        filled[at] += _filled(found.own / most)
        scores += most * filled / (1 + filled)


def _filled(shares: NDArray[Any]) -> NDArray[Any]:
    """Return the weighted term frequency f = s / (1 - s) of each memory. `shares`: its score s in units of the limit.

    BM25 has s = f / (f + 1); a share of 0.5 is f = 1.
    """
    shares = np.minimum(shares, _FULL)
    return np.asarray(shares / (1 - shares))


def _indexed(columns: MemoryColumns) -> NDArray[Any]:
    """Return the number of indexed memories, as an array of one."""
    return np.array([np.count_nonzero(columns["flags"] & HELD_BACK == 0)])
