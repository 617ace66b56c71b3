"""The index of vectors: sqlite-vec's `vec0` in the person's file, by a bit for each dimension: 1 where it is above zero.

What is nearest by its signs is compared exactly afterwards. Source: https://alexgarcia.xyz/sqlite-vec, "Binary quantization".
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import Connection

from services.retriever.store.search.port import HALF_BYTES
from shared.domain.arrays import Floats, NDArray, np
from shared.runtime.sqlite import DatabaseError, driver, rows, write_rows

_MOST = 4_096
"""`vec0` takes no larger k."""

_MODELS = "SELECT id, model, dimensions FROM vector_models"
_MAKE = """
CREATE VIRTUAL TABLE IF NOT EXISTS {table} USING vec0(kind TEXT PARTITION KEY, signs BIT[{bits}], chunk_size=512)
"""
_STORED = "SELECT number, embedding FROM vec_memories WHERE model = :model AND length(embedding) = :bytes"
_IN_NO_CHUNK = "SELECT count(*) FROM {table}_rowids WHERE chunk_id NOT IN (SELECT chunk_id FROM {table}_chunks)"
_KNOWN = "SELECT number FROM vec_memories WHERE model = :model AND number IN (SELECT value FROM json_each(:numbers))"


class SignVectors:
    """The `VectorIndex` in a table `vec_signs_<n>` for each model."""

    def put(self, db: Connection, model: str, vectors: Sequence[tuple[int, str, bytes]]) -> None:
        """Index vectors of memories: number, kind and vector, in the place of another of the same model."""
        for dimensions in {len(vector) // HALF_BYTES for _, _, vector in vectors}:
            table = _table(db, model, dimensions)
            driver(db).execute(_MAKE.format(table=table, bits=-(-dimensions // 8) * 8))
            these = [each for each in vectors if len(each[2]) == dimensions * HALF_BYTES]
            asked = {"model": model, "numbers": json.dumps([number for number, _, _ in these])}
            write_rows(db, f"DELETE FROM {table} WHERE rowid = ?", rows(db, _KNOWN, asked))
            signed = [(number, kind, _signs(np.frombuffer(vector, "<f2"))) for number, kind, vector in these]
            write_rows(db, f"INSERT INTO {table}(rowid, kind, signs) VALUES (?, ?, vec_bit(?))", signed)

    def remove(self, db: Connection, numbers: Collection[int]) -> None:
        """Leave these memories out."""
        for model, _, _ in rows(db, _MODELS):
            write_rows(db, f"DELETE FROM vec_signs_{model} WHERE rowid = ?", [(number,) for number in numbers])

    def nearest(self, db: Connection, model: str, vector: Floats, kinds: Sequence[str], most: int) -> list[int]:
        """The numbers of the nearest memories by signs, at most so many of each of these kinds."""
        table = _table(db, model, len(vector))
        if table is None:
            return []
        statement = f"SELECT rowid FROM {table} WHERE signs MATCH vec_bit(:signs) AND k = :most AND kind = :kind"
        asked = {"signs": _signs(vector), "most": min(most, _MOST)}
        return [number for kind in kinds for (number,) in rows(db, statement, {**asked, "kind": kind})]

    def is_whole(self, db: Connection) -> bool:
        """True if every vector is indexed by its signs, and nothing else is."""
        try:
            return all(_is_as_stored(db, *each) for each in rows(db, _MODELS))
        except DatabaseError:
            return False


def _is_as_stored(db: Connection, number: int, model: str, dimensions: int) -> bool:
    stored = rows(db, _STORED, {"model": model, "bytes": HALF_BYTES * dimensions})
    expected = {number: _signs(np.frombuffer(vector, "<f2")) for number, vector in stored}
    [(lost,)] = rows(db, _IN_NO_CHUNK.format(table=f"vec_signs_{number}"))
    return not lost and dict(rows(db, f"SELECT rowid, signs FROM vec_signs_{number}")) == expected


def _table(db: Connection, model: str, dimensions: int) -> str | None:
    known = ((each, *of) for each, *of in rows(db, _MODELS))
    return next((f"vec_signs_{each}" for each, *of in known if of == [model, dimensions]), None)


def _signs(vector: NDArray[Any]) -> bytes:
    return np.packbits(vector > 0, bitorder="little").tobytes()
