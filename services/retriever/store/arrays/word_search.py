"""Finds memories by their words with BM25: those of a turn itself, and with less weight those of the turns beside it.

Okapi BM25 as SQLite's FTS5 has it: sum(idf * f * (k1 + 1) / (f + k1 * (1 - b + b * D / mean of D))) over the terms, where f is
the weighted number of places of a term, D the length of all that is indexed, and idf = ln((N - n + 0.5) / (n + 0.5)).
Source: Robertson, Zaragoza 2009; https://www.sqlite.org/fts5.html, "The bm25() function".
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from services.retriever.domain.evidence import Holding
from services.retriever.domain.full_text import near_pairs, terms, too_common
from services.retriever.store.arrays.columns import BESIDE, HELD_BACK
from services.retriever.store.arrays.person_arrays import PersonArrays
from services.retriever.store.arrays.word_places import TermPlaces, are_first, own_rows_of, places_of
from services.retriever.store.arrays.words import NO_MORE
from shared.domain.arrays import NDArray, np

_K1, _B = 1.2, 0.75
_LEAST_IDF = 1e-6
_NEIGHBOURS_WEIGH = (0.5, 0.5, 0.25, 0.25)
_NOWHERE = (1 << 63) - 1
_REACH = 5
"""Two words with at most four others between them are near each other."""

_MOST_MATCHES = 5_000
"""Where there are more memories, the most common words of a question are left out until so many match."""

_ENOUGH = 1_000
"""A term that so many memories hold says next to nothing; the others that hold it are not counted."""


class Matching(NamedTuple):
    """The memories that a term finds, and the weighted number of its places in each."""

    rows: NDArray[Any]
    weights: NDArray[Any]


class WordSearch:
    """The terms of one question in one person's arrays."""

    def __init__(self, arrays: PersonArrays, question: str) -> None:
        self._arrays = arrays
        self._terms = terms(question)
        self._places = {term: places_of(arrays, term) for term in self._terms}

    def scores(self, names: Collection[str]) -> NDArray[Any]:
        """The score of every memory, float64[n]; 0 where no word is found. Pairs do without the words of these names."""
        found = {term: self._matching_term(term) for term in self._places}
        common = self._too_common(found)
        scores = np.zeros(len(self._arrays))
        for term, matching in found.items():
            if term not in common:
                self._add(scores, matching, len(matching.rows))
        for one, other in near_pairs([term for term in self._terms if term not in common], names):
            for term, near in self._near(one, other):
                self._add(scores, near, len(found[term].rows))
        return scores

    def holding(self, rows: NDArray[Any]) -> dict[str, Holding]:
        """For each term: the number of memories with it in their own words, and the numbers of those of these rows."""
        numbers, found = self._arrays["number"], {}
        is_asked = self._arrays.are_among(rows)
        for term in self._places:
            own = own_rows_of(self._arrays, term)
            best = numbers[own[is_asked[own]]].tolist()
            found[term] = Holding(min(len(own), _ENOUGH), frozenset(best))
        return found

    def _too_common(self, found: Mapping[str, Matching]) -> frozenset[str]:
        if len(self._arrays) <= _MOST_MATCHES:
            return frozenset()
        return too_common({term: min(len(each.rows), _MOST_MATCHES + 1) for term, each in found.items()}, _MOST_MATCHES)

    def _add(self, scores: NDArray[Any], matching: Matching, holding: int) -> None:
        rows, weights = matching
        lengths = self._arrays.computed("lengths", _lengths)
        scores[rows] += self._idf(holding) * (_K1 + 1) * weights / (weights + lengths[rows])

    def _idf(self, holding: int) -> float:
        indexed = int(self._arrays.computed("indexed", _indexed)[0])
        return max(math.log((indexed - holding + 0.5) / (holding + 0.5)), _LEAST_IDF)

    def _matching_term(self, term: str) -> Matching:
        places = self._places[term]
        return self._arrays.of_term(
            ("matching", term), lambda _: self._matching(places, places), size=lambda each: len(each.rows)
        )

    def _matching(self, own: TermPlaces, shown: TermPlaces) -> Matching:
        """The memories with these places, themselves or in the turns beside them; of the latter those that are `shown`."""
        rows = shown.rows[shown.places < self._arrays["said_words"][shown.rows]]
        whose = np.concatenate((own.rows, self._arrays["beside"].take(rows, axis=0).ravel()))
        weights = np.ones(len(whose))
        weights[len(own.rows) :].reshape(-1, BESIDE)[:] = _NEIGHBOURS_WEIGH
        return _summed(whose, weights, len(self._arrays))

    def _near(self, one: str, other: str) -> Iterator[tuple[str, Matching]]:
        """For each of two terms the memories in which it stands near the other one, in one text."""
        both = self._places[one], self._places[other]
        near = _near(*_in_both(*both, self._arrays))
        if near is None:
            return
        shown = [places.only(places.places < self._arrays["said_words"][places.rows]) for places in near]
        shown_near = _near(*shown) or [places.only(slice(0)) for places in both]
        for term, own, said in zip((one, other), near, shown_near, strict=True):
            yield term, self._matching(own, said)


def _in_both(one: TermPlaces, other: TermPlaces, arrays: PersonArrays) -> tuple[TermPlaces, TermPlaces]:
    """The places of two terms in the memories that hold both, hardly ever many."""
    other = other.only(arrays.are_among(one.rows)[other.rows])
    return one.only(arrays.are_among(other.rows)[one.rows]), other


def _near(one: TermPlaces, other: TermPlaces) -> tuple[TermPlaces, TermPlaces] | None:
    """The places of two terms at which the other term is near; None where there are none."""
    if not (len(one.rows) and len(other.rows)):
        return None
    keys, others = one.keys, other.keys
    is_near = _is_near(keys, np.sort(others))
    return (one.only(is_near), other.only(_is_near(others, np.sort(keys)))) if is_near.any() else None


def _is_near(keys: NDArray[Any], others: NDArray[Any]) -> NDArray[Any]:
    """Whether each of these places is near one of the others, which are sorted."""
    next_one = np.append(others, _NOWHERE)[np.searchsorted(others, keys - _REACH)]
    return np.asarray(next_one <= keys + _REACH)


def _summed(rows: NDArray[Any], weights: NDArray[Any], count: int) -> Matching:
    """The sum of the weights of each of so many rows; NO_MORE is none."""
    if len(rows) * 8 >= count:
        sums = np.bincount(rows - NO_MORE, weights, minlength=count - NO_MORE)[-NO_MORE:]
        found = np.flatnonzero(sums)
        return Matching(found, sums[found])
    order = rows.argsort(kind="stable")
    ordered = rows[order]
    begins = np.flatnonzero(are_first(ordered))
    found = ordered[begins]
    known = slice(np.searchsorted(found, NO_MORE, side="right"), None)
    return Matching(found[known], np.add.reduceat(weights[order], begins)[known])


def _lengths(arrays: PersonArrays) -> NDArray[Any]:
    """For each memory k1 * (1 - b + b * D / mean of D), where D counts its own words and those of its neighbours."""
    said = np.append(arrays["said_words"], 0)
    whole = arrays["own_words"] + said[arrays["beside"]].sum(axis=1)
    mean = whole.sum() / max(int(arrays.computed("indexed", _indexed)[0]), 1)
    return np.asarray(_K1 * (1 - _B + _B * whole / max(mean, _LEAST_IDF)))


def _indexed(arrays: PersonArrays) -> NDArray[Any]:
    """The number of memories that are indexed, as an array of one."""
    return np.array([np.count_nonzero(arrays["flags"] & HELD_BACK == 0)])
