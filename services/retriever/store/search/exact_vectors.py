"""Reads the exact vectors of a person's memories from their table on demand, and keeps those read last in memory."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection

from services.retriever.store.legs import QueryVector
from services.retriever.store.search.columns import MemoryColumns
from services.retriever.store.search.index import INDEX
from services.retriever.store.search.port import HALF_BYTES
from shared.contracts.queries import LegFailure
from shared.domain.arrays import Floats, NDArray, np
from shared.domain.vectors import floats
from shared.runtime.sqlite import rows

_READ_WHOLE = 2_000
"""The most memories of a person whose vectors are all read at once."""

_MOST_KEPT_BYTES = 48 * 1024 * 1024
_MODELS = "SELECT model, dimensions FROM vector_models"
_ALL = "SELECT number, embedding FROM vec_memories WHERE model = :model AND length(embedding) = :bytes"
_THESE = f"{_ALL} AND number IN (SELECT value FROM json_each(:numbers))"


class _Matrix(NamedTuple):
    """A row for each memory. Rows that were not asked for are not read, and take no memory."""

    vectors: NDArray[Any]  # float32[n, dimensions]; zeros where there is none
    is_read: NDArray[Any]  # bool[n]
    is_there: NDArray[Any]  # bool[n]


class ExactVectors:
    """The vectors of one person's memories by one model at a time. Use it under the lock of the person's file."""

    def __init__(self) -> None:
        self._matrix: _Matrix | None = None
        self._of = "", 0
        self._dimensions: dict[str, set[int]] | None = None

    def forget(self, rows_changed: NDArray[Any]) -> None:
        """Forget the models and the vectors of these rows, so that the next query reads them again."""
        self._dimensions = None
        if (matrix := self._matrix) is not None:
            matrix.is_read[rows_changed[rows_changed < len(matrix.is_read)]] = False

    def drop(self) -> None:
        """Keep nothing in memory; any thread may call it."""
        self._matrix = None

    def close(self) -> None:
        """Keep nothing in memory, and count nothing as kept."""
        _KEPT.lose(self)
        self.drop()

    def dimensions(self, db: Connection) -> dict[str, set[int]]:
        """Return the dimensions of the vectors of each model, nearly always one number."""
        if self._dimensions is None:
            self._dimensions = {}
            for model, dimensions in rows(db, _MODELS):
                self._dimensions.setdefault(model, set()).add(dimensions)
        return self._dimensions

    def read(self, db: Connection, columns: MemoryColumns, model: str, dimensions: int, at: NDArray[Any]) -> _Matrix:
        """Return the matrix, in which the vectors of these rows are read."""
        matrix, count = self._matrix, len(columns)
        if matrix is None or self._of != (model, dimensions) or len(matrix.is_read) < count:
            room = count + count // 8 + 1
            zeros = np.zeros((room, dimensions), np.float32)
            self._of, matrix = (model, dimensions), _Matrix(zeros, np.zeros(room, bool), np.zeros(room, bool))
            self._matrix = matrix
        asked = at[~matrix.is_read[at]]
        if len(asked):
            whole = count <= _READ_WHOLE
            matrix.is_read[slice(count) if whole else asked] = True
            numbers = json.dumps([] if whole else np.unique(columns["number"][asked]).tolist())
            these = {"model": model, "bytes": HALF_BYTES * dimensions, "numbers": numbers}
            if found := rows(db, _ALL if whole else _THESE, these):
                places = columns.rows_of([number for number, _ in found])
                told = floats(b"".join([vector for _, vector in found])).reshape(len(found), -1)
                lengths = np.linalg.norm(told, axis=1)
                matrix.vectors[places] = told / (lengths + (lengths == 0))[:, None]
                matrix.is_there[places] = lengths > 0
        _KEPT.note(self, int(np.count_nonzero(matrix.is_read)) * dimensions * 4)
        return matrix


class _Kept:
    """The people whose vectors are in memory, the least recently asked first."""

    def __init__(self) -> None:
        self._bytes: OrderedDict[ExactVectors, int] = OrderedDict()
        self._total = 0
        self._lock = threading.Lock()

    def note(self, of: ExactVectors, size: int) -> None:
        """Record that these vectors were asked for and take so many bytes. Drops others beyond the limit."""
        with self._lock:
            self._total += size - self._bytes.pop(of, 0)
            self._bytes[of] = size
            while self._total > _MOST_KEPT_BYTES:
                other, taken = self._bytes.popitem(last=False)
                self._total -= taken
                other.drop()

    def lose(self, of: ExactVectors) -> None:
        """Stop counting these vectors."""
        with self._lock:
            self._total -= self._bytes.pop(of, 0)


_KEPT = _Kept()


class AskedVector:
    """The vector of one question beside those of one person. Raises ValueError where it has another length than its model's."""

    def __init__(self, db: Connection, columns: MemoryColumns, exact: ExactVectors, asked: QueryVector) -> None:
        self._db, self._columns, self._exact, self._model = db, columns, exact, asked.model
        vector = np.frombuffer(asked.vector, np.float32)
        self._asked = vector / (float(np.linalg.norm(vector)) or 1.0)
        self._dimensions = exact.dimensions(db)
        of_model = self._dimensions.get(asked.model, ())
        if of_model and len(self._asked) not in of_model:
            raise ValueError("the vectors of this model have another length than the question's")
        self._is_of_model = bool(of_model)

    @property
    def failure(self) -> LegFailure | None:
        """The reason why no memory can be compared, or None if one can or there are no memories."""
        if self._is_of_model or not len(self._columns):
            return None
        return LegFailure.OTHER_MODEL if self._dimensions else LegFailure.NO_VECTORS

    def nearest(self, wanted: NDArray[Any], kinds: Sequence[str], most: int) -> NDArray[Any]:
        """Return the rows worth an exact comparison, about `most` of each kind. `wanted`: bool[n], the rows allowed."""
        if not self._is_of_model:
            return np.zeros(0, np.int64)
        numbers = INDEX.vectors.nearest(self._db, self._model, self._asked, kinds, most)
        found = np.sort(self._columns.rows_of(numbers))
        return np.asarray(found[wanted[found]])

    def cosines(self, at: NDArray[Any]) -> NDArray[Any]:
        """Return the cosine of each row, float64[...]; NaN for a row without a vector, and for row -1."""
        found = np.full(at.shape, np.nan)
        if self._is_of_model:
            which = np.unique(at[at >= 0])
            matrix = self._read(which)
            known = which[matrix.is_there[which]]
            by_row = np.full(len(self._columns) + 1, np.nan)
            by_row[known] = matrix.vectors.take(known, axis=0) @ self._asked
            found = np.asarray(by_row[at])
        return found

    def vectors(self, at: NDArray[Any]) -> Floats | list[Floats | None]:
        """Return the vectors of these rows, float32[n, dimensions] of length 1; if some have none, a list with None."""
        if not self._is_of_model:
            return [None] * len(at)
        matrix = self._read(at)
        found, has = matrix.vectors.take(at, axis=0), matrix.is_there[at]
        return found if has.all() else [vector if there else None for vector, there in zip(found, has, strict=True)]

    def _read(self, at: NDArray[Any]) -> _Matrix:
        return self._exact.read(self._db, self._columns, self._model, len(self._asked), at)
