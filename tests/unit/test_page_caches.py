"""What SQLite keeps of files in memory does not grow with the number of open files."""

from __future__ import annotations

import ctypes
from pathlib import Path

import pytest
from sqlalchemy import Engine

from shared.runtime.sqlite import open_database

_MB = 1024 * 1024
_ROWS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 3000)"


def _used() -> int:
    """Bytes that SQLite has allocated in this process."""
    module = pytest.importorskip("pysqlite3._sqlite3")
    try:
        used = ctypes.CDLL(module.__file__).sqlite3_memory_used
    except AttributeError:
        pytest.skip("this SQLite does not tell")
    used.restype = ctypes.c_int64
    return int(used())


def _hot(path: Path) -> Engine:
    engine = open_database(path, page_size=1024, sync=False)
    with engine.begin() as db:
        db.exec_driver_sql("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB)")
        db.exec_driver_sql(f"{_ROWS} INSERT INTO t SELECT x, zeroblob(800) FROM n")
        db.exec_driver_sql("SELECT sum(length(b)) FROM t").scalar_one()
    return engine


def test_sixty_hot_files_share_the_memory_of_half_as_many(tmp_path: Path) -> None:
    engines = [_hot(tmp_path / f"{number}.db") for number in range(60)]
    used = _used()
    for engine in engines:
        engine.dispose()
    assert used < 80 * _MB
