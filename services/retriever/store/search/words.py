"""The index of words: SQLite's FTS5 in the person's file, with its own BM25. It holds no text.

Source: Robertson, Zaragoza 2009; https://www.sqlite.org/fts5.html, "The bm25() function".
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from itertools import chain

from sqlalchemy import Connection

from services.retriever.store.search.port import FoundWords, IndexedText
from shared.domain.arrays import np
from shared.runtime.sqlite import rows, write_rows

_REACH = 4
"""The most words that stand between two words near each other."""

_PUT = "INSERT INTO memory_words(rowid, said, dated, tags) VALUES (?, ?, ?, ?)"
_REMOVE = "INSERT INTO memory_words(memory_words, rowid, said, dated, tags) VALUES ('delete', ?, ?, ?, ?)"
_FIND = (
    "SELECT rowid, -bm25(memory_words), -bm25(memory_words, 1.0, 0.0, 0.0) FROM memory_words WHERE memory_words MATCH :asked"
)
_COUNT = "SELECT count(*) FROM (SELECT 1 FROM memory_words WHERE memory_words MATCH :asked LIMIT :most)"
_AMONG = """
SELECT rowid FROM memory_words WHERE memory_words MATCH :asked AND rowid IN (SELECT value FROM json_each(:among))
"""
_IS_WHOLE = """
SELECT (SELECT count(*) FROM memory_words_docsize) = (SELECT count(*) FROM memories WHERE ended_because IS NOT 'held_back')
"""
_NUMBERS = "SELECT rowid FROM memory_words WHERE memory_words MATCH :asked ORDER BY rowid LIMIT :most"


class FtsWords:
    """The `WordIndex` in the table `memory_words`."""

    def put(self, db: Connection, texts: Sequence[IndexedText]) -> None:
        """Index the texts of memories that are not in the index yet."""
        write_rows(db, _PUT, texts)

    def remove(self, db: Connection, texts: Sequence[IndexedText]) -> None:
        """Remove memories. The texts must be those that they were indexed by."""
        write_rows(db, _REMOVE, texts)

    def find(self, db: Connection, *terms: str) -> FoundWords:
        """Return the memories that hold a term, or that hold two terms near each other."""
        asked = terms[0] if len(terms) == 1 else f"NEAR({' '.join(terms)}, {_REACH})"
        found = rows(db, _FIND, {"asked": asked})
        flat = np.fromiter(chain.from_iterable(found), np.float64, 3 * len(found))  # a third of the time of `np.array`
        columns = flat.reshape(-1, 3).T
        return FoundWords(columns[0].astype(np.int64), columns[1], columns[2])

    def count(self, db: Connection, term: str, most: int) -> int:
        """Return the number of memories that hold a term, counted up to `most`."""
        return int(rows(db, _COUNT, {"asked": term, "most": most})[0][0])

    def among(self, db: Connection, term: str, numbers: Collection[int]) -> list[int]:
        """Return those of the given memories that hold a term."""
        return [number for (number,) in rows(db, _AMONG, {"asked": term, "among": json.dumps(list(numbers))})]

    def numbers(self, db: Connection, terms: Sequence[str], most: int) -> list[int]:
        """Return up to `most` memories that hold any of the terms in their text, not only in a tag; ascending."""
        return [number for (number,) in rows(db, _NUMBERS, {"asked": f"{{said dated}} : ({' OR '.join(terms)})", "most": most})]

    def is_whole(self, db: Connection) -> bool:
        """True if every memory that may be found is in the index."""
        return bool(rows(db, _IS_WHOLE)[0][0])
