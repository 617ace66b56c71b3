"""Tells where the terms of a question stand in the texts of a person's memories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from services.retriever.store.arrays.person_arrays import PersonArrays
from services.retriever.store.arrays.tokens import TAGS_FROM, words_of_term
from services.retriever.store.arrays.words import NO_MORE
from shared.domain.arrays import NDArray, np

_ROW = 1 << 32
_BEGINNING = "*"


class TermPlaces(NamedTuple):
    """Where a term stands: rows of memories, and places in their texts."""

    rows: NDArray[Any]
    places: NDArray[Any]

    @property
    def keys(self) -> NDArray[Any]:
        """Row and place as one number."""
        keys: NDArray[Any] = self.rows.astype(np.int64) * _ROW + self.places
        return keys

    @property
    def own_rows(self) -> NDArray[Any]:
        """The memories that hold it in their text, not as a tag; each once, ascending."""
        rows = np.sort(self.rows[self.places < TAGS_FROM])
        return np.asarray(rows[are_first(rows)])

    def only(self, which: NDArray[Any] | slice) -> TermPlaces:
        """Some of them."""
        return TermPlaces(self.rows[which], self.places[which])


def are_first(ordered: NDArray[Any]) -> NDArray[Any]:
    """Whether each of these values, which ascend, is the first of its equals: a third of the time of `np.unique`."""
    found = np.ones(len(ordered), bool)
    np.not_equal(ordered[1:], ordered[:-1], out=found[1:])
    return found


def places_of(arrays: PersonArrays, term: str) -> TermPlaces:
    """Where a term stands: a quoted word, the beginning of one, or a phrase; of a phrase where it begins."""
    return arrays.of_term(("places", term), lambda arrays: _places_of(arrays, term), size=lambda places: len(places.rows))


def own_rows_of(arrays: PersonArrays, term: str) -> NDArray[Any]:
    """The memories that hold a term in their text, not as a tag; each once, ascending."""
    return arrays.of_term(("own", term), lambda arrays: places_of(arrays, term).own_rows, size=len)


def _places_of(arrays: PersonArrays, term: str) -> TermPlaces:
    *words, last = words_of_term(term) or ("",)
    names = arrays.names
    ends = names.beginning_with(last) if term.endswith(_BEGINNING) and last else [names.of(last)]
    found = _standing(arrays, ends)
    for distance, word in enumerate(reversed(words), start=1):
        before = _standing(arrays, [names.of(word)])
        found = before.only(np.isin(before.keys + distance, found.keys + distance - 1))
    return found


def _standing(arrays: PersonArrays, names: Sequence[int | None]) -> TermPlaces:
    """Where words stand that have these places among the names."""
    known = [name for name in names if name is not None]
    if not known:
        return TermPlaces(np.zeros(0, np.int32), np.zeros(0, np.int32))
    begin, last = arrays["begin"], arrays.sorted_words
    pieces = [slice(begin[name], begin[name + 1]) for name in known if name + 1 < len(begin)]
    unsorted = arrays["word"][last:]
    fresh = np.flatnonzero(unsorted == known[0] if len(known) == 1 else np.isin(unsorted, known)) + last
    rows, places = (
        np.concatenate([*(arrays[column][piece] for piece in pieces), arrays[column][fresh]]) for column in ("row", "place")
    )
    return TermPlaces(rows, places).only(rows != NO_MORE)
