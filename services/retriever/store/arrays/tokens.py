"""Splits texts into the words by which they are found: lower case, without accents, stemmed as English.

SQLite's own full-text module does it, in memory; nothing is kept there.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import NamedTuple

from shared.runtime.sqlite import in_memory

_TABLE = "CREATE VIRTUAL TABLE text USING fts5(turn, tags, content='', tokenize='porter unicode61 remove_diacritics 2')"
_WORDS = "CREATE VIRTUAL TABLE word USING fts5vocab(text, instance)"
_PUT = "INSERT INTO text(rowid, turn, tags) VALUES (?, ?, ?)"
TAGS_FROM = 1 << 24
"""Where the places of tags begin: no word of a text stands beside one of a tag."""

_GET = f"SELECT term, doc, offset + {TAGS_FROM} * (col = 'tags') FROM word"


class TextWords(NamedTuple):
    """Words where they stand: in which of several texts, and at which place."""

    words: Sequence[str] = ()
    texts: Sequence[int] = ()
    places: Sequence[int] = ()


class Tokenizer:
    """Splits texts; one thread at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._db = in_memory()
        self._db.execute(_TABLE)
        self._db.execute(_WORDS)

    def words(self, texts: Sequence[tuple[str, str]]) -> TextWords:
        """The words of texts with their tags, in the order of the words; a text is known by its place in the sequence."""
        with self._lock:
            self._db.execute("BEGIN")
            try:
                self._db.executemany(_PUT, [(index, *text) for index, text in enumerate(texts)])
                found = self._db.execute(_GET).fetchall()
            finally:
                self._db.execute("ROLLBACK")
        return TextWords(*zip(*found, strict=True)) if found else TextWords()


@functools.cache
def tokenizer() -> Tokenizer:
    """The tokenizer of this process."""
    return Tokenizer()


@functools.lru_cache(20_000)
def words_of_term(term: str) -> tuple[str, ...]:
    """The words of one term of a question, in order, as texts are indexed by them.

    >>> words_of_term('"painted"'), words_of_term('"katz"*')
    (('paint',), ('katz',))
    """
    found = tokenizer().words([(term.rstrip("*").strip('"'), "")])
    return tuple(word for _, word in sorted(zip(found.places, found.words, strict=True)))
