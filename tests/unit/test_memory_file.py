"""A person's file is made from an empty one."""

from __future__ import annotations

import shutil
from pathlib import Path

from services.retriever.store import schema
from services.retriever.store.memory_file import MemoryFile
from shared.runtime.sqlite import open_database


def test_a_new_file_has_every_table_and_index_that_the_schema_names(tmp_path: Path) -> None:
    made, engine = MemoryFile(tmp_path / "a" / "made.db"), open_database(tmp_path / "created.db", page_size=1024)
    with engine.begin() as db:
        schema.create(db)
    found = []
    for connect in (made.connect, engine.connect):
        with connect() as db:
            found.append(sorted(map(tuple, db.exec_driver_sql("SELECT type, name, sql FROM sqlite_master").all()), key=str))
            assert db.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
            assert db.exec_driver_sql("PRAGMA page_size").scalar() == 1024
    made.close()
    engine.dispose()
    assert found[0] == found[1]


def test_a_new_file_has_nothing_of_a_log_that_a_crash_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "anna.db"
    left = path.with_name("anna.db-wal")
    old = MemoryFile(path)
    with old.connect() as db:
        db.exec_driver_sql("INSERT INTO speakers VALUES ('Anna', 1)")
        db.commit()
    shutil.copy(left, tmp_path / "kept")
    old.close()
    path.unlink()
    shutil.copy(tmp_path / "kept", left)
    new = MemoryFile(path)
    with new.connect() as db:
        assert db.exec_driver_sql("SELECT count(*) FROM speakers").scalar() == 0
    new.close()
