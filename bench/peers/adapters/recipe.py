"""The plain recipe that many build for themselves: SQLite's FTS5 and exact vectors, half and half, nothing around it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from pysqlite3 import dbapi2 as sqlite

from bench.peers.contender import LIMIT, Ask, Given, Memory
from shared.runtime.embedders.port import Vectors

_DEPTH = 100
_WORD = re.compile(r"\w+")
_STOP_WORDS = frozenset(
    _WORD.findall(
        "a about an and are as at be but by did do does for from had has have he how i in is it me my of on or our she that the"
        " their they this to us was we were what when where which who why will with you your"
    )
)
_SCHEMA = """
    create table if not exists memory(n integer primary key, id text, spoken text, vector blob);
    create virtual table if not exists words
        using fts5(spoken, content='memory', content_rowid='n', tokenize='porter unicode61');
"""
_MATCHES = "select rowid, -bm25(words) from words where words match ? order by rank limit ?"


@contextmanager
def contender(given: Given) -> Iterator[Recipe]:
    """Open the file in the folder."""
    yield Recipe(given, given.folder / "memories.db")


class Recipe:
    """One file, its vectors held in memory as one array."""

    def __init__(self, given: Given, path: Path) -> None:
        self._given = given
        self._path = path
        with self._open() as db:
            db.executescript(_SCHEMA)
            self._vectors = _vectors(db)

    def load(self, memories: Sequence[Memory], vectors: Vectors) -> None:
        """Write them in one transaction."""
        with self._open() as db, db:
            rows = zip(memories, vectors, strict=True)
            db.executemany(
                "insert into memory values(?, ?, ?, ?)",
                ((n, memory.id, memory.spoken, vector.tobytes()) for n, (memory, vector) in enumerate(rows)),
            )
            db.execute("insert into words(words) values('rebuild')")
            self._vectors = _vectors(db)

    def add(self, memory: Memory) -> None:
        """Insert one, and wait for the disk."""
        [vector] = self._given.embed([memory.spoken])
        n = len(self._vectors)
        with self._open() as db, db:
            db.execute("insert into memory values(?, ?, ?, ?)", (n, memory.id, memory.spoken, vector.tobytes()))
            db.execute("insert into words(rowid, spoken) values(?, ?)", (n, memory.spoken))
        self._vectors = np.concatenate([self._vectors.reshape(n, len(vector)), vector[None]])

    def delete(self, memory_id: str) -> None:
        """Delete its row, and its words from the index."""
        with self._open() as db, db:
            [(n, spoken)] = db.execute("select n, spoken from memory where id = ?", (memory_id,)).fetchall()
            db.execute("insert into words(words, rowid, spoken) values('delete', ?, ?)", (n, spoken))
            db.execute("delete from memory where n = ?", (n,))
        self._vectors[n] = 0

    def known(self) -> set[str]:
        """The id of every row."""
        with self._open() as db:
            return {id_ for (id_,) in db.execute("select id from memory")}

    def find(self, question: str) -> list[str]:
        """Those that are best by words and vectors together."""
        with self._open() as db:
            return self._ask(db, question)

    @contextmanager
    def client(self) -> Iterator[Ask]:
        """A connection of its own for each, so that they need not wait for one another."""
        with self._open(check_same_thread=False) as db:
            yield lambda question: self._ask(db, question)

    def _ask(self, db: Any, question: str) -> list[str]:  # noqa: ANN401 - untyped
        matching = dict(db.execute(_MATCHES, (_any_word_of(question), _DEPTH)).fetchall())
        likeness = self._vectors @ self._given.embed([question])[0]
        depth = min(_DEPTH, len(likeness))
        nearest = np.argpartition(-likeness, depth - 1)[:depth].tolist()
        return self._ids(db, _best({*matching, *nearest}, matching, likeness))

    def _ids(self, db: Any, chosen: Sequence[int]) -> list[str]:  # noqa: ANN401
        marks = ",".join("?" * len(chosen))
        found = {n: id_ for n, id_, _ in db.execute(f"select n, id, spoken from memory where n in ({marks})", chosen)}
        return [found[n] for n in chosen if n in found]

    def _open(self, **options: bool) -> Any:  # noqa: ANN401
        return closing(sqlite.connect(str(self._path), **options))


def _vectors(db: Any) -> Vectors:  # noqa: ANN401
    """The vector of each row at the place of its number; zeros where a row was deleted."""
    rows = {n: np.frombuffer(blob, np.float32) for n, blob in db.execute("select n, vector from memory")}
    dimensions = len(next(iter(rows.values()), ()))
    vectors = np.zeros((max(rows, default=-1) + 1, dimensions), np.float32)
    for n, vector in rows.items():
        vectors[n] = vector
    return vectors


def _best(candidates: set[int], matching: Mapping[int, float], likeness: Vectors) -> list[int]:
    """Half the share of the best match by words, half the cosine."""
    most = max(matching.values(), default=0.0) or 1.0
    scores = {n: 0.5 * max(float(likeness[n]), 0.0) + 0.5 * matching.get(n, 0.0) / most for n in candidates}
    return sorted(candidates, key=lambda n: (-scores[n], n))[:LIMIT]


def _any_word_of(question: str) -> str:
    words = [word for word in _WORD.findall(question.lower()) if word not in _STOP_WORDS] or _WORD.findall(question.lower())
    return " OR ".join(f'"{word}"' for word in dict.fromkeys(words))
