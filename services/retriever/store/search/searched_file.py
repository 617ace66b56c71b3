"""A person's file while it is searched: its rows, and what is held of them in memory."""

from __future__ import annotations

from typing import NamedTuple

from services.retriever.store.legs import Connection, QueryVector
from services.retriever.store.search.columns import ChangedMemories, MemoryColumns
from services.retriever.store.search.exact_vectors import AskedVector, ExactVectors
from services.retriever.store.search.put_right import KnownRightings
from services.retriever.store.search.word_search import WordSearch
from services.retriever.store.shown_rows import KnownRows
from services.retriever.store.succession import KnownEndings
from services.retriever.store.unchanged import Unchanged


class HeldInMemory:
    """What is held of a person's file while it is open."""

    def __init__(self, db: Connection) -> None:
        self.columns = MemoryColumns(db)
        self.vectors = ExactVectors()

    def change(self, db: Connection, changed: ChangedMemories) -> None:
        """Read again what events have changed."""
        self.columns.change(db, changed.rows)
        if changed.embedded:
            self.vectors.forget(self.columns.rows_of(changed.embedded))

    def close(self) -> None:
        """Hold nothing any more."""
        self.vectors.close()


class SearchedFile(NamedTuple):
    """One person's memories at the same event everywhere, and what one question, or all, have looked up of them."""

    db: Connection
    columns: MemoryColumns
    vectors: ExactVectors
    ends: KnownEndings
    rows: KnownRows
    rightings: KnownRightings
    unchanged: Unchanged

    @classmethod
    def of(cls, db: Connection, held: HeldInMemory, unchanged: Unchanged) -> SearchedFile:
        """The file for one question, of which nothing is looked up yet."""
        read, columns = KnownRows(db), held.columns
        endings, rightings = KnownEndings(db, unchanged), KnownRightings(db, columns, read)
        return cls(db, columns, held.vectors, endings, read, rightings, unchanged)

    def words(self, question: str) -> WordSearch:
        """The words of a question, as they are looked for here."""
        return WordSearch(self.db, self.columns, question)

    def vector(self, asked: QueryVector) -> AskedVector:
        """The vector of a question beside those of this file. Raises ValueError where it cannot be compared."""
        return AskedVector(self.db, self.columns, self.vectors, asked)
