"""The index of vectors where SQLite cannot load `vec0`: a query compares every vector of the plain table."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection

from services.retriever.store.search.port import HALF_BYTES, StoredVector
from shared.domain.arrays import Floats, np
from shared.domain.vectors import floats
from shared.runtime.sqlite import rows

_OF_KIND = """
SELECT vec_memories.number, embedding FROM vec_memories JOIN memories ON memories.number = vec_memories.number
WHERE model = :model AND kind = :kind AND length(embedding) = :bytes
"""


class PlainVectors:
    """The `VectorIndex` that needs nothing but the table `vec_memories`."""

    def put(self, db: Connection, model: str, dimensions: int, vectors: Sequence[StoredVector]) -> None:
        """Do nothing: the caller writes the table."""

    def remove(self, db: Connection, numbers: Collection[int]) -> None:
        """Do nothing: the caller deletes from the table."""

    def nearest(self, db: Connection, model: str, vector: Floats, kinds: Sequence[str], most: int) -> list[int]:
        """Return the nearest memories by cosine, up to `most` of each kind."""
        found: list[int] = []
        for kind in kinds:
            if told := rows(db, _OF_KIND, {"model": model, "kind": kind, "bytes": HALF_BYTES * len(vector)}):
                numbers, vectors = zip(*told, strict=True)
                cosines = floats(b"".join(vectors)).reshape(len(told), -1) @ vector
                found += np.array(numbers)[np.argsort(-cosines, kind="stable")[:most]].tolist()
        return found

    def is_whole(self, db: Connection) -> bool:  # noqa: ARG002 - of the port
        """Return True: the table is the index."""
        return True
