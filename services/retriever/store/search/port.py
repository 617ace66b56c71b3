"""The port of the index of one person's file. Another index is one folder with these methods, put into `index.INDEX`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Connection

from shared.domain.arrays import Floats, NDArray

HALF_BYTES = 2
"""The bytes of one dimension of a stored vector."""


class IndexedText(NamedTuple):
    """The words that find a memory."""

    number: int
    said: str  # who said it, and what: the turns beside it are found by these words too
    dated: str  # the day on which a turn was said; of a fact its text, which stands beside no turn
    tags: str


class FoundWords(NamedTuple):
    """The memories that hold a term, or two terms near each other, with their BM25 scores; higher is better."""

    numbers: NDArray[Any]  # int64[n]
    own: NDArray[Any]  # float64[n], for all words of a memory
    said: NDArray[Any]  # float64[n], for the words of `IndexedText.said` alone


class StoredVector(NamedTuple):
    """A vector of a memory, of length 1."""

    number: int
    kind: str
    halves: bytes  # float16[dimensions]


class WordIndex(Protocol):
    """Finds memories by terms: quoted words, phrases, or beginnings of words, as `full_text.terms` gives them."""

    def put(self, db: Connection, texts: Sequence[IndexedText]) -> None:
        """Index the texts of memories that are not in the index yet."""

    def remove(self, db: Connection, texts: Sequence[IndexedText]) -> None:
        """Remove memories. The texts must be those that they were indexed by."""

    def find(self, db: Connection, *terms: str) -> FoundWords:
        """Return the memories that hold a term, or that hold two terms near each other."""

    def count(self, db: Connection, term: str, most: int) -> int:
        """Return the number of memories that hold a term, counted up to `most`."""

    def among(self, db: Connection, term: str, numbers: Collection[int]) -> list[int]:
        """Return those of the given memories that hold a term."""

    def numbers(self, db: Connection, terms: Sequence[str], most: int) -> list[int]:
        """Return up to `most` memories that hold any of the terms in their text, not only in a tag; ascending."""

    def is_whole(self, db: Connection) -> bool:
        """True if every memory that may be found is in the index."""


class VectorIndex(Protocol):
    """Finds memories by vectors. Each model has an index of its own."""

    def put(self, db: Connection, model: str, dimensions: int, vectors: Sequence[StoredVector]) -> None:
        """Index vectors. Each replaces the vector of the same memory and model."""

    def remove(self, db: Connection, numbers: Collection[int]) -> None:
        """Remove memories, whether they have vectors or not."""

    def nearest(self, db: Connection, model: str, vector: Floats, kinds: Sequence[str], most: int) -> list[int]:
        """Return approximately the nearest memories, up to `most` of each kind."""

    def is_whole(self, db: Connection) -> bool:
        """True if every stored vector is in the index."""


class Index(NamedTuple):
    """An index of words and one of vectors."""

    words: WordIndex
    vectors: VectorIndex
