"""Joins the rows of a person's file with the columns and vectors that are in memory, for one question."""

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
    """The columns and vectors of a person's file that stay in memory while it is open."""

    def __init__(self, db: Connection) -> None:
        self.columns = MemoryColumns(db)
        self.vectors = ExactVectors()

    def change(self, db: Connection, changed: ChangedMemories) -> None:
        """Update the columns and vectors of the memories that events changed."""
        self.columns.change(db, changed.rows)
        if changed.embedded:
            self.vectors.forget(self.columns.rows_of(changed.embedded))

    def close(self) -> None:
        """Release the memory."""
        self.vectors.close()


class SearchedFile(NamedTuple):
    """One person's memories as of one event, with what this question, or all questions, have looked up."""

    db: Connection
    columns: MemoryColumns
    vectors: ExactVectors
    ends: KnownEndings
    rows: KnownRows
    rightings: KnownRightings
    unchanged: Unchanged

    @classmethod
    def of(cls, db: Connection, held: HeldInMemory, unchanged: Unchanged) -> SearchedFile:
        """Return the file for a new question."""
        read, columns = KnownRows(db), held.columns
        endings, rightings = KnownEndings(db, unchanged), KnownRightings(db, columns, read)
        return cls(db, columns, held.vectors, endings, read, rightings, unchanged)

    def words(self, question: str) -> WordSearch:
        """Return the search for the words of a question in this file."""
        return WordSearch(self.db, self.columns, question)

    def vector(self, asked: QueryVector) -> AskedVector:
        """Return the comparison of a question's vector with this file's. Raise ValueError if their lengths differ."""
        return AskedVector(self.db, self.columns, self.vectors, asked)
