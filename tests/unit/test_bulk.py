"""Rows that wait for others of their kind are written as if each were written at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, create_engine, text
from sqlalchemy.dialects.sqlite import insert

from shared.runtime.bulk import Batch, Rows, rows_into, rows_of
from shared.runtime.sqlite import copy_rows, open_database

SCHEMA = MetaData()
MEMORY = Table("memory", SCHEMA, Column("id", Text, primary_key=True), Column("model", Text), Column("seen", Integer))
APPEARED = rows_of(MEMORY, insert(MEMORY).on_conflict_do_nothing())
EMBEDDED = Rows("UPDATE memory SET model = ? WHERE id = ?", ("model", "id"))
SEEN = rows_into(MEMORY, over=("seen",))
FORGOTTEN = text("DELETE FROM memory WHERE id = :id")


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Connection]:
    engine = open_database(tmp_path / "test.db")
    SCHEMA.create_all(engine)
    with engine.begin() as connection:
        yield connection
    engine.dispose()


def say(batch: Batch, what: str, memory: str, value: int) -> None:
    row = {"id": memory, "model": None, "seen": value}
    match what:
        case "appeared":
            batch.add(APPEARED, memory, row)
        case "embedded":
            batch.add(EMBEDDED, memory, {"id": memory, "model": f"m{value}"})
        case "seen":
            batch.add(SEEN, memory, row)
        case _:
            batch.execute(FORGOTTEN, {"id": memory})


def held(db: Connection) -> list[tuple[object, ...]]:
    return [tuple(row) for row in db.execute(text("SELECT id, model, seen FROM memory ORDER BY id"))]


WHAT = st.tuples(st.sampled_from(["appeared", "embedded", "seen", "forgotten"]), st.sampled_from("abc"), st.integers(0, 9))


@given(st.lists(WHAT, max_size=30))
def test_a_batch_writes_what_single_writes_would(said: list[tuple[str, str, int]]) -> None:
    found = []
    for at_once in (1, 30):
        engine = create_engine("sqlite://")
        SCHEMA.create_all(engine)
        with engine.begin() as db:
            for start in range(0, len(said), at_once):
                batch = Batch(db)
                for each in said[start : start + at_once]:
                    say(batch, *each)
                batch.flush()
            found.append(held(db))
        engine.dispose()
    assert found[0] == found[1]


def test_rows_wait_until_they_are_flushed(db: Connection) -> None:
    batch = Batch(db)
    say(batch, "appeared", "a", 1)
    assert held(db) == []
    batch.flush()
    batch.flush()
    assert held(db) == [("a", None, 1)]


def test_what_is_executed_sees_what_waited(db: Connection) -> None:
    batch = Batch(db)
    say(batch, "appeared", "a", 1)
    say(batch, "forgotten", "a", 0)
    assert held(db) == []


def test_rows_are_copied_from_another_file(db: Connection, tmp_path: Path) -> None:
    SEEN.write(db, [{"id": "a", "model": "m", "seen": 1}, {"id": "b", "model": None, "seen": 2}])
    before = held(db)
    db.commit()
    other = open_database(tmp_path / "other" / "it's.db")
    SCHEMA.create_all(other)
    for _ in range(2):
        copy_rows(other, tmp_path / "test.db", [MEMORY])
        with other.begin() as there:
            assert held(there) == before
            there.execute(MEMORY.delete())
    other.dispose()
