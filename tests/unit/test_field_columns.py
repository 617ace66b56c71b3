"""Classes as columns: what is stored is what comes back, in columns that follow from the fields."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from services.ingest.domain.memories import Fact, KnownMemory, Recalled, Status
from services.ingest.domain.private import Question
from services.ingest.domain.state import KnownSession
from services.ingest.store.field_columns import FieldColumns
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Kind

NOON = datetime(2026, 1, 2, 12, 0, 0, 7, tzinfo=UTC)
STORED: list[Any] = [
    KnownMemory(
        3, 5, Kind.FACT, status=Status.RETIRED, ended="decayed", pinned=True, tags=frozenset({b"12345678", b"abcdefgh"})
    ),
    KnownSession(is_open=True, user_spoke=False, turns=2, last_occurred_at=NOON, last_recorded_at=NOON),
    Recalled(relevance=0.5, recency=0.25, computed_at=NOON),
    Question("forget_that", (MemoryId("fact_1"), MemoryId("fact_2"))),
]


@pytest.mark.parametrize("one", STORED, ids=lambda one: type(one).__name__)
def test_what_is_stored_comes_back(one: object) -> None:
    columns: FieldColumns[Any] = FieldColumns(type(one))
    row = columns.row(one)
    assert columns.read(SimpleNamespace(**row)) == one
    assert all(value is None or isinstance(value, int | float | str | bytes) for value in row.values())


def test_columns_are_in_the_order_of_the_fields_and_null_only_where_a_field_may_be_none() -> None:
    columns = FieldColumns(KnownMemory).columns()
    assert [column.name for column in columns] == list(KnownMemory._fields)
    assert [column.name for column in columns if column.nullable] == ["session", "ended"]


def test_no_object_is_a_row_of_nulls() -> None:
    assert FieldColumns(Recalled).row(None) == {"relevance": None, "recency": None, "computed_at": None}


def test_fields_apart_are_given_when_a_row_is_read() -> None:
    fact = Fact(
        b"content",
        NOON,
        manually_saved=True,
        confidence=1.0,
        importance=0.5,
        parts={"base": 0.5},
        fades_from=NOON,
        decay_rate=0.1,
    )
    columns = FieldColumns(Fact, apart={"sources", "recalled"})
    row = columns.row(fact)
    assert row.keys().isdisjoint({"sources", "recalled"})
    assert columns.read(SimpleNamespace(**row), sources=frozenset({"ep_1"})).sources == {"ep_1"}


def test_a_field_that_no_column_can_store_is_refused_at_once() -> None:
    class Odd(NamedTuple):
        inner: Recalled

    with pytest.raises(KeyError):
        FieldColumns(Odd)
