"""Rows of a table are those of its file, whatever was read before."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest

from shared.runtime.embedders import table_rows
from shared.runtime.embedders.table_rows import TableRows

WIDTH = 3
TABLE = b"".join(bytes([number] * WIDTH) for number in range(10))


@pytest.fixture(params=["a file", "in memory"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Path | bytes:
    if request.param == "in memory":
        return TABLE
    path = tmp_path / "table"
    path.write_bytes(TABLE)
    return path


def test_rows_come_in_the_order_in_which_they_are_asked_for(table: Path | bytes) -> None:
    rows = TableRows(table, width=WIDTH)
    assert rows.of([9, 0, 9]) == b"\x09\x09\x09\0\0\0\x09\x09\x09"
    assert rows.of([]) == b""
    assert rows.of(range(10)) == TABLE


@pytest.mark.parametrize("number", [10, 1_000])
def test_a_row_that_is_not_there_is_refused(table: Path | bytes, number: int) -> None:
    rows = TableRows(table, width=WIDTH)
    with pytest.raises(ValueError, match="ends before"):
        rows.of([1, number])
    assert rows.of([1]) == b"\x01\x01\x01"


def test_more_rows_than_are_kept_are_read_again(table: Path | bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_rows, "_MOST_KEPT", 2)
    rows = TableRows(table, width=WIDTH)
    assert [rows.of([number]) for number in (1, 2, 3, 1)] == [bytes([number] * WIDTH) for number in (1, 2, 3, 1)]


def test_a_table_that_was_deleted_can_be_read_until_nobody_holds_it(tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.write_bytes(TABLE)
    closed: list[int] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(os, "close", closed.append)
        rows = TableRows(path, width=WIDTH)
        path.unlink()
        assert rows.of([4]) == b"\x04\x04\x04"
        assert closed == []
        del rows
        gc.collect()
    [file] = closed
    os.close(file)
