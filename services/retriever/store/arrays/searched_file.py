"""A person's file while it is searched: its rows, and the arrays that are derived from them."""

from __future__ import annotations

from typing import NamedTuple

from services.retriever.store.arrays.person_arrays import PersonArrays
from services.retriever.store.arrays.put_right import KnownRightings
from services.retriever.store.legs import Connection
from services.retriever.store.shown_rows import KnownRows
from services.retriever.store.succession import KnownEndings
from services.retriever.store.unchanged import Unchanged


class SearchedFile(NamedTuple):
    """The two sides of one person's memories, both of the same event, and what one question, or all, have looked up of them."""

    db: Connection
    arrays: PersonArrays
    ends: KnownEndings
    rows: KnownRows
    rightings: KnownRightings
    unchanged: Unchanged

    @classmethod
    def of(cls, db: Connection, arrays: PersonArrays, unchanged: Unchanged) -> SearchedFile:
        """The file for one question, of which nothing is looked up yet."""
        read = KnownRows(db)
        return cls(db, arrays, KnownEndings(db, unchanged), read, KnownRightings(db, arrays, read), unchanged)
