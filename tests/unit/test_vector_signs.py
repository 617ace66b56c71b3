"""Vectors by their signs: what is packed, and which are the nearest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from sqlalchemy import Connection, text

from services.retriever.store import vector_signs
from services.retriever.store.memory_file import MemoryFile

MODEL = "model"
MANY = 1_500
_MEMORY = text(
    """
    INSERT INTO memories (number, id, kind, content, event_time, created_at, valid_until, status, confidence, confidence_at,
      decay_rate, access_count, source_ids, tags, attributes, importance, importance_parts, metadata_confidence, manually_saved,
      pinned, repeat_count, echoes, slots)
    VALUES (:number, 'm' || :number, 'fact', '', 0, 0, NULL, 'active', 1, 0, 0, 0, '[]', '[]', '{}', 0, '[]', 0, 0, 0, 0, '[]',
      '[]')
    """
)
_VECTOR = text("INSERT INTO vec_memories(number, model, embedding) VALUES (:number, :model, :embedding)")
_PACKED = text("SELECT * FROM vec_coarse ORDER BY model, size, block")
_BY_SQLITE_VEC = text(
    """
    SELECT number FROM vec_memories WHERE model = :model
    ORDER BY vec_distance_hamming(vec_quantize_binary(embedding), vec_quantize_binary(:asked)), number LIMIT :most
    """
)


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Connection]:
    file = MemoryFile(tmp_path / "anna.db")
    with file.connect() as connection:
        yield connection
    file.close()


def vectors(count: int, dimensions: int = 256) -> NDArray[np.float32]:
    return np.random.default_rng(count).standard_normal((count, dimensions), np.float32)


def insert(db: Connection, numbers: Sequence[int], rows: NDArray[np.float32], model: str = MODEL) -> None:
    db.execute(_MEMORY, [{"number": number} for number in numbers])
    db.execute(
        _VECTOR, [{"number": n, "model": model, "embedding": row.tobytes()} for n, row in zip(numbers, rows, strict=True)]
    )


@pytest.mark.parametrize("dimensions", [256, 24])
def test_the_nearest_by_signs_are_those_that_sqlite_vec_finds(db: Connection, dimensions: int) -> None:
    numbers = list(range(3, 3 + 3 * MANY, 3))
    insert(db, numbers, vectors(MANY, dimensions))
    vector_signs.update(db, numbers)
    asked = vectors(7, dimensions)[3].tobytes()
    expected = db.scalars(_BY_SQLITE_VEC, {"model": MODEL, "asked": asked, "most": 200}).all()
    assert vector_signs.count(db, MODEL) == MANY
    assert vector_signs.nearest(db, MODEL, asked, 200) == expected


def test_what_is_packed_does_not_depend_on_the_order_of_writing(db: Connection) -> None:
    numbers = list(range(1, MANY + 1))
    insert(db, numbers, vectors(MANY))
    vector_signs.update(db, numbers)
    at_once = db.execute(_PACKED).all()
    vector_signs.update(db, range(400, 700))
    db.execute(text("DELETE FROM vec_coarse"))
    for start in (900, 0, 300, 1_200, 600):
        vector_signs.update(db, numbers[start : start + 300])
    assert db.execute(_PACKED).all() == at_once


def test_a_memory_that_ended_or_is_gone_has_no_signs(db: Connection) -> None:
    insert(db, [1, 2, 3], vectors(3))
    vector_signs.update(db, [1, 2, 3])
    db.execute(text("UPDATE memories SET valid_until = 1 WHERE number = 1"))
    db.execute(text("DELETE FROM vec_memories WHERE number = 2"))
    vector_signs.update(db, [1, 2])
    assert vector_signs.nearest(db, MODEL, vectors(3)[0].tobytes(), 10) == [3]
    db.execute(text("DELETE FROM vec_memories WHERE number = 3"))
    vector_signs.update(db, [3])
    assert db.execute(_PACKED).all() == []


def test_models_are_kept_apart_and_odd_dimensions_have_no_signs(db: Connection) -> None:
    insert(db, [1], vectors(1))
    insert(db, [2], vectors(1, 12), "odd")
    vector_signs.update(db, [1, 2])
    assert (vector_signs.count(db, MODEL), vector_signs.count(db, "odd"), vector_signs.count(db, "other")) == (1, 0, 0)
    assert vector_signs.nearest(db, "other", vectors(1)[0].tobytes(), 10) == []
    assert vector_signs.nearest(db, MODEL, vectors(1, 64)[0].tobytes(), 10) == []  # of another length
