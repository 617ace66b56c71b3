"""The words of texts as columns, one row for each word where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from services.retriever.store.arrays.tokens import TAGS_FROM, tokenizer
from shared.domain.arrays import NDArray, np

NO_MORE = -1
"""The row of a word that is not found any more."""

_DATE_WORDS = 3
"""`8 May 2023` at the end of a turn."""


class IndexedWords(NamedTuple):
    """The words of several texts, and how many each has."""

    words: Sequence[str]
    texts: NDArray[np.integer]
    places: NDArray[np.integer]
    own: NDArray[np.integer]  # of each text, tags included
    said: NDArray[np.integer]  # by which its neighbours are found too: of a turn those but its date, of a fact none


def indexed(texts: Sequence[tuple[str, str]], are_turns: Sequence[bool]) -> IndexedWords:
    """The words of texts with their tags. The text of a turn ends with its date."""
    found = tokenizer().words(texts)
    of, places = np.array(found.texts, np.int32), np.array(found.places, np.int32)
    own = np.bincount(of, minlength=len(texts))
    in_text = np.bincount(of[places < TAGS_FROM], minlength=len(texts))
    return IndexedWords(found.words, of, places, own, np.where(are_turns, in_text - _DATE_WORDS, 0))
