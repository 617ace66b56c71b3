"""The port of the index of one person's file. Another index is one folder with these methods, put into `index.INDEX`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Connection

from shared.domain.arrays import Floats, NDArray

HALF_BYTES = 2
"""Of a dimension, as vectors are stored."""


class IndexedText(NamedTuple):
    """The words by which a memory is found."""

    number: int
    said: str  # who said it, and what: the turns beside it are found by these words too
    dated: str  # the day on which a turn was said; of a fact its text, which stands beside no turn
    tags: str


class FoundWords(NamedTuple):
    """The memories that hold a term, or two near each other, and what BM25 gives each for it, the higher the better."""

    numbers: NDArray[Any]  # int64[n]
    own: NDArray[Any]  # float64[n], for all of its words
    said: NDArray[Any]  # float64[n], for the words of `IndexedText.said`


class StoredVector(NamedTuple):
    """A vector of a memory, of length 1."""

    number: int
    kind: str
    halves: bytes  # float16[dimensions]


class WordIndex(Protocol):
    """Finds memories by terms: quoted words, phrases, or beginnings of words, as `full_text.terms` gives them."""

    def put(self, db: Connection, texts: Sequence[IndexedText]) -> None:
        """Index texts of memories that are not indexed."""

    def remove(self, db: Connection, texts: Sequence[IndexedText]) -> None:
        """Leave these memories out, which are indexed by these texts."""

    def find(self, db: Connection, *terms: str) -> FoundWords:
        """The memories that hold a term; of two, those in which they stand near each other."""

    def count(self, db: Connection, term: str, most: int) -> int:
        """The number of memories that hold a term; at most so many are counted."""

    def among(self, db: Connection, term: str, numbers: Collection[int]) -> list[int]:
        """The numbers of those of these memories that hold a term."""

    def numbers(self, db: Connection, terms: Sequence[str], most: int) -> list[int]:
        """The numbers of at most so many memories that hold any of these terms, tags aside, ascending."""

    def is_whole(self, db: Connection) -> bool:
        """True if every memory is indexed that may be found."""


class VectorIndex(Protocol):
    """Finds memories by vectors. Each model has an index of its own."""

    def put(self, db: Connection, model: str, dimensions: int, vectors: Sequence[StoredVector]) -> None:
        """Index vectors of so many dimensions, each in the place of another of the same memory and model."""

    def remove(self, db: Connection, numbers: Collection[int]) -> None:
        """Leave these memories out."""

    def nearest(self, db: Connection, model: str, vector: Floats, kinds: Sequence[str], most: int) -> list[int]:
        """The numbers of about the nearest memories, at least so many of each of these kinds where there are."""

    def is_whole(self, db: Connection) -> bool:
        """True if every vector is indexed."""


class Index(NamedTuple):
    """An index of words and one of vectors."""

    words: WordIndex
    vectors: VectorIndex
