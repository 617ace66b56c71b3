"""The index of vectors: sqlite-vec's `vec0` in the person's file. A vector is a bit for each dimension, 1 if it is above zero.

The nearest by these signs are compared exactly afterwards. Source: https://alexgarcia.xyz/sqlite-vec, "Binary quantization".
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from sqlalchemy import Connection

from services.retriever.store.search.port import HALF_BYTES, StoredVector
from shared.domain.arrays import Floats, np
from shared.domain.vectors import floats
from shared.runtime.sqlite import DatabaseError, driver, rows, write_rows

_MOST = 4_096
"""The largest k that `vec0` accepts."""

_MODELS = "SELECT id, model, dimensions FROM vector_models"
_MAKE = """
CREATE VIRTUAL TABLE IF NOT EXISTS {table} USING vec0(kind TEXT PARTITION KEY, signs BIT[{bits}], chunk_size=512)
"""
_STORED = "SELECT number, embedding FROM vec_memories WHERE model = :model AND length(embedding) = :bytes"
_IN_NO_CHUNK = "SELECT count(*) FROM {table}_rowids WHERE chunk_id NOT IN (SELECT chunk_id FROM {table}_chunks)"
_KNOWN = "SELECT number FROM vec_memories WHERE model = :model AND number IN (SELECT value FROM json_each(:numbers))"


class SignVectors:
    """The `VectorIndex` in a table `vec_signs_<n>` for each model."""

    def put(self, db: Connection, model: str, dimensions: int, vectors: Sequence[StoredVector]) -> None:
        """Index vectors. Each replaces the vector of the same memory and model."""
        table = _table(db, model, dimensions)
        driver(db).execute(_MAKE.format(table=table, bits=-(-dimensions // 8) * 8))
        asked = {"model": model, "numbers": json.dumps([each.number for each in vectors])}
        write_rows(db, f"DELETE FROM {table} WHERE rowid = ?", rows(db, _KNOWN, asked))
        signs = _signs_of_each([each.halves for each in vectors])
        signed = [(each.number, each.kind, of_it) for each, of_it in zip(vectors, signs, strict=True)]
        write_rows(db, f"INSERT INTO {table}(rowid, kind, signs) VALUES (?, ?, vec_bit(?))", signed)

    def remove(self, db: Connection, numbers: Collection[int]) -> None:
        """Remove memories, whether they have vectors or not."""
        for model, _, _ in rows(db, _MODELS):
            write_rows(db, f"DELETE FROM vec_signs_{model} WHERE rowid = ?", [(number,) for number in numbers])

    def nearest(self, db: Connection, model: str, vector: Floats, kinds: Sequence[str], most: int) -> list[int]:
        """Return the nearest memories by signs, up to `most` of each kind."""
        table = _table(db, model, len(vector))
        if table is None:
            return []
        statement = f"SELECT rowid FROM {table} WHERE signs MATCH vec_bit(:signs) AND k = :most AND kind = :kind"
        asked = {"signs": _signs(vector), "most": min(most, _MOST)}
        return [number for kind in kinds for (number,) in rows(db, statement, {**asked, "kind": kind})]

    def is_whole(self, db: Connection) -> bool:
        """True if the index holds the signs of every stored vector, and nothing else."""
        try:
            return all(_is_as_stored(db, *each) for each in rows(db, _MODELS))
        except DatabaseError:
            return False


def _is_as_stored(db: Connection, number: int, model: str, dimensions: int) -> bool:
    stored = rows(db, _STORED, {"model": model, "bytes": HALF_BYTES * dimensions})
    signs = _signs_of_each([vector for _, vector in stored])
    expected = {memory: of_it for (memory, _), of_it in zip(stored, signs, strict=True)}
    [(lost,)] = rows(db, _IN_NO_CHUNK.format(table=f"vec_signs_{number}"))
    return not lost and dict(rows(db, f"SELECT rowid, signs FROM vec_signs_{number}")) == expected


def _table(db: Connection, model: str, dimensions: int) -> str | None:
    known = ((each, *of) for each, *of in rows(db, _MODELS))
    return next((f"vec_signs_{each}" for each, *of in known if of == [model, dimensions]), None)


def _signs_of_each(vectors: Sequence[bytes]) -> list[bytes]:
    """Return the signs of each float16 vector; all have one length. Packing them at once takes a tenth of the time."""
    if not vectors:
        return []
    packed = np.packbits(floats(b"".join(vectors)).reshape(len(vectors), -1) > 0, axis=1, bitorder="little")
    return [row.tobytes() for row in packed]


def _signs(vector: Floats) -> bytes:
    return np.packbits(vector > 0, bitorder="little").tobytes()
