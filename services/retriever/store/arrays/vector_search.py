"""Finds memories by the cosine of their vectors: in large files only among those that are nearest by their signs."""

from __future__ import annotations

import functools
from typing import Any

from services.retriever.store.arrays.person_arrays import PersonArrays
from services.retriever.store.legs import QueryVector
from shared.contracts.queries import LegFailure
from shared.domain.arrays import Floats, NDArray, np

_EXACT_UP_TO = 1_000
_COARSE_CANDIDATES = 500
"""Of so many that are nearest by the signs of their dimensions, the best are found exactly."""


class VectorSearch:
    """The vector of one question in one person's arrays. Raises ValueError where it has another length than its model's."""

    def __init__(self, arrays: PersonArrays, asked: QueryVector) -> None:
        self._arrays = arrays
        vector = np.frombuffer(asked.vector, np.float32)
        self._asked = vector / (float(np.linalg.norm(vector)) or 1.0)
        of_model = [model for model in arrays.models if model.fingerprint == asked.model]
        self._model = next((model for model in of_model if model.dimensions == len(vector)), None)
        if of_model and self._model is None:
            raise ValueError("the vectors of this model have another length than the question's")

    @functools.cached_property
    def _has(self) -> NDArray[Any]:
        """Whether each row has a vector, bool[n]."""
        model = self._model
        if model is None:
            return np.zeros(len(self._arrays), bool)
        return self._arrays.with_vector(model)

    def failure(self) -> LegFailure | None:
        """The reason why no memory can be compared; None if one can, or if there are no memories."""
        if self._model or not len(self._arrays):
            return None
        return LegFailure.OTHER_MODEL if self._arrays.models else LegFailure.NO_VECTORS

    @functools.cached_property
    def _of_all(self) -> NDArray[Any] | None:
        """The cosine of every row and, as the last, of none, float64[n + 1], NaN without a vector; None in large files.

        To read a few hundred kilobytes in their order once is quicker than to collect the rows of neighbours.
        """
        if self._model is None or len(self._arrays) > _EXACT_UP_TO:
            return None
        found = np.full(len(self._arrays) + 1, np.nan)
        found[:-1] = np.where(self._has, self._arrays[self._model.column] @ self._asked, np.nan)
        return found

    def cosines(self, rows: NDArray[Any]) -> NDArray[Any]:
        """The cosine of each of these rows, float64[n]; NaN where it has no vector, and for the row -1."""
        if self._of_all is not None:
            of_rows: NDArray[Any] = self._of_all[rows]
            return of_rows
        if self._model is not None:
            self._compare(self._arrays[self._model.column], rows)
        return np.asarray(self._known[rows])

    @functools.cached_property
    def _known(self) -> NDArray[Any]:
        """As `_of_all`, of the rows that were compared so far: the neighbours of the best are near each other."""
        return np.full(len(self._arrays) + 1, np.nan)

    def _compare(self, vectors: NDArray[Any], rows: NDArray[Any]) -> None:
        asked = self._arrays.are_among(rows)[:-1].nonzero()[0]
        new = asked[self._has[asked] & np.isnan(self._known[asked])]
        self._known[new] = vectors.take(new, axis=0) @ self._asked  # in half of the time that `vectors[new]` takes

    def vectors(self, rows: NDArray[Any]) -> Floats | list[Floats | None]:
        """The vectors of these rows, float32[n, dimensions] of length 1; a list where there is none of some, with None."""
        if self._model is None:
            return [None] * len(rows)
        found, has = self._arrays[self._model.column].take(rows, axis=0), self._has[rows]
        return found if has.all() else [vector if there else None for vector, there in zip(found, has, strict=True)]

    def nearest(self, wanted: NDArray[Any]) -> NDArray[Any]:
        """The rows among those `wanted`, bool[n], whose cosine is worth a look: in large files the nearest by signs."""
        if self._model is None:
            return np.zeros(0, np.int64)
        rows = np.flatnonzero(wanted & self._has)
        if len(rows) <= _EXACT_UP_TO:
            return rows
        unlike = _unlike(self._arrays[self._model.signs], np.packbits(self._asked > 0, bitorder="little"))[rows]
        least = np.partition(unlike, _COARSE_CANDIDATES - 1)[_COARSE_CANDIDATES - 1]
        near = np.flatnonzero(unlike <= least)  # ties with the last too: of these the older ones
        return np.sort(rows[near[np.argsort(unlike[near], kind="stable")[:_COARSE_CANDIDATES]]])


def _unlike(signs: NDArray[Any], asked: NDArray[Any]) -> NDArray[Any]:
    """In how many signs each row differs, uint16[n]."""
    differing = np.bitwise_count(_words(signs) ^ _words(asked[None])).astype(np.uint16)
    return functools.reduce(np.add, differing.T)  # far quicker than a sum along so short an axis


def _words(signs: NDArray[Any]) -> NDArray[Any]:
    """Rows of bytes as rows of 64-bit words, if their length allows it: an eighth of the work."""
    return signs.view(np.uint64) if signs.shape[1] % 8 == 0 else signs
