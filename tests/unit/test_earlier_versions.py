"""Files of an earlier version of the schema answer until new ones are made, where the code names that version."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from services.retriever.store import earlier_versions, schema
from services.retriever.store.earlier_versions import LIFTS, Lift, readable
from services.retriever.store.memory_file import MemoryFile
from shared.runtime.projector import Recorded
from shared.runtime.sqlite import open_database
from tests.support.commands import remember
from tests.support.paper import PaperLog

TABLES = Path(__file__).parents[1] / "golden" / "tables"
COLUMN = "ALTER TABLE memories ADD COLUMN metadata_confidence FLOAT NOT NULL DEFAULT 0.5"


def tables_of(path: Path) -> dict[str, object]:
    """Names, types and keys of all columns, and all indexes."""
    engine = open_database(path)
    with engine.connect() as db:
        names = db.exec_driver_sql("SELECT name, type FROM sqlite_master ORDER BY name").all()
        found: dict[str, object] = {
            name: sorted(tuple(row)[1:4] + tuple(row)[5:] for row in db.exec_driver_sql(f"PRAGMA table_info({name})"))
            for name, _ in names
        }
    engine.dispose()
    return found


def made_of(statements: str, path: Path) -> Path:
    engine = open_database(path)
    with engine.begin() as db:
        for statement in statements.splitlines():
            db.exec_driver_sql(statement)
    engine.dispose()
    return path


def told() -> list[Recorded]:
    log = PaperLog()
    log.tell(remember("I live in Leeds"))
    return log.records


def as_it_was(version: str) -> str:
    return (TABLES / f"retriever.{version}.sql").read_text(encoding="utf-8")


def test_tables_do_not_change_without_a_new_version(tmp_path: Path) -> None:
    MemoryFile(tmp_path / "today.db").close()
    assert tables_of(tmp_path / "today.db") == tables_of(made_of(as_it_was(schema.SCHEMA_VERSION), tmp_path / "golden.db"))


@pytest.mark.parametrize("version", readable())
def test_a_file_of_each_version_that_is_named_gets_the_tables_of_today_once(tmp_path: Path, version: str) -> None:
    MemoryFile(tmp_path / "today.db").close()
    path = made_of(as_it_was(version), tmp_path / "old.db")
    for _ in range(2):
        with closing(MemoryFile(path, earlier=version)) as file:
            assert not file.is_damaged
        assert tables_of(path) == tables_of(tmp_path / "today.db")


def test_only_versions_with_an_unbroken_chain_to_today_are_readable() -> None:
    lifts = {"7": Lift(), "5": Lift(), "4": Lift()}
    assert readable("8", lifts) == ("7",)
    assert readable("6", lifts) == ("5", "4")
    assert readable("5", {}) == ()


def test_a_new_version_answers_from_what_the_old_one_wrote(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version is raised by one, with a table and a column more."""
    path, empty = tmp_path / "anna.db", tmp_path / "bert.db"
    with closing(MemoryFile(path)) as file:
        file.apply(told())
        before = file.content_digest()
    MemoryFile(empty).close()
    for each in (path, empty):
        made_of("DROP TABLE chat_commands\nALTER TABLE memories DROP COLUMN metadata_confidence", each)
    newer = str(int(schema.SCHEMA_VERSION) + 1)
    monkeypatch.setattr(earlier_versions, "SCHEMA_VERSION", newer)
    monkeypatch.setitem(LIFTS, schema.SCHEMA_VERSION, Lift(frozenset({"chat_commands"}), (COLUMN,)))
    for _ in range(2):
        with closing(MemoryFile(path, earlier=schema.SCHEMA_VERSION)) as file:
            assert not file.is_damaged
            assert file.content_digest() == before
            with file.connect() as db:
                assert db.exec_driver_sql("SELECT metadata_confidence FROM memories").scalars().all() == [0.5]


def test_a_table_that_the_old_version_had_is_missed_in_a_lifted_file(tmp_path: Path) -> None:
    path = tmp_path / "anna.db"
    with closing(MemoryFile(path)) as file:
        file.apply(told())
    made_of("PRAGMA user_version = 0\nDROP TABLE shared_tags\nDROP TABLE fact_slots", path)
    with closing(MemoryFile(path, earlier="20")) as file:
        assert file.is_damaged
