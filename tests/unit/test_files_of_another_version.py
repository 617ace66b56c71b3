"""A person's file of another version of the tables is built anew: when it is asked for, and without being asked."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import closing
from pathlib import Path
from unittest.mock import sentinel

import pytest

from services.retriever import scope_rebuild
from services.retriever.projection import RetrieverProjection
from services.retriever.scope_rebuild import ScopeRebuilds
from services.retriever.store import index, schema
from services.retriever.store.index import ScopeIndex
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.memory_folder import FileBehind, MemoryFolder
from shared.contracts.errors import ProjectionDamaged, Unavailable
from shared.runtime.projection_file import leaving_files
from shared.runtime.projector import Recorded
from shared.runtime.sqlite import open_database
from tests.support.commands import remember
from tests.support.paper import PaperLog
from tests.support.scopes import ANNAS_SCOPE

TABLES = Path(__file__).parents[1] / "golden" / "tables"


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


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> PaperLog:
    """What Anna said, as it is read from the log."""
    log = PaperLog()
    log.tell(remember("I live in Leeds"))
    log.tell(remember("My rent is 700 euros"))

    async def batches(*_: object, **__: object) -> AsyncIterator[list[Recorded]]:
        yield list(log.records)

    monkeypatch.setattr(scope_rebuild, "scope_batches", batches)
    return log


@pytest.fixture
def folder(tmp_path: Path, log: PaperLog) -> Path:
    with closing(MemoryFolder(tmp_path / "retriever", open_files=4)) as memories:
        projection = RetrieverProjection(memories, pending_events=1)
        projection.apply(log.records, log.records[-1].position)
        projection.flush()
    return tmp_path / "retriever"


@pytest.fixture
def newer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MemoryFolder]:
    """The folder, opened by a memstream whose tables are of the next version."""
    version = str(int(schema.SCHEMA_VERSION) + 1)
    for module in (schema, index):
        monkeypatch.setattr(module, "SCHEMA_VERSION", version)
    schema.empty_file.cache_clear()
    with closing(MemoryFolder(folder, open_files=4)) as memories:
        yield memories
    schema.empty_file.cache_clear()


def test_tables_do_not_change_without_a_new_version(tmp_path: Path) -> None:
    MemoryFile(tmp_path / "today.db").close()
    version = schema.SCHEMA_VERSION.removeprefix("90")  # which says that vectors are looked up without sqlite-vec
    golden = (TABLES / f"retriever.{version}.sql").read_text(encoding="utf-8")
    assert tables_of(tmp_path / "today.db") == tables_of(made_of(golden, tmp_path / "golden.db"))


async def test_whoever_asks_first_has_a_new_file_built_from_the_log(newer: MemoryFolder, log: PaperLog, tmp_path: Path) -> None:
    with pytest.raises(FileBehind) as behind, newer.reading(ANNAS_SCOPE):
        pass
    assert behind.value.after == 0, "nothing of the old file is used"
    await ScopeRebuilds(newer).bring_up(sentinel.client, ANNAS_SCOPE, is_asked=True)
    with closing(MemoryFile(tmp_path / "fresh.db")) as fresh:
        fresh.apply(log.records)
        assert newer.digest(ANNAS_SCOPE, MemoryFile.digest) == (len(log.records), fresh.digest())
    assert not newer.index.scopes_to_rebuild()


async def test_everybodys_file_is_built_anew_in_the_end_also_after_a_crash(newer: MemoryFolder, folder: Path) -> None:
    newer.close()
    with closing(MemoryFolder(folder, open_files=4)) as again:
        again.begin()
        assert again.index.scopes_to_rebuild() == [ANNAS_SCOPE]
        await ScopeRebuilds(again).rebuild_requested(sentinel.client, ANNAS_SCOPE)
        with again.reading(ANNAS_SCOPE):
            pass
    with closing(ScopeIndex(folder)) as last:
        assert not last.scopes_to_rebuild()


def test_whoever_only_looks_is_told_and_changes_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "SCHEMA_VERSION", "0")
    with leaving_files(), pytest.raises(ProjectionDamaged, match="another version"):
        ScopeIndex(folder)
    monkeypatch.undo()
    with closing(ScopeIndex(folder)) as same:
        assert not same.scopes_to_rebuild()


def test_what_is_said_to_a_file_of_another_version_is_not_written_beside_what_it_lacks(
    newer: MemoryFolder, log: PaperLog
) -> None:
    known = len(log.records)
    log.tell(remember("I keep bees"))
    RetrieverProjection(newer, pending_events=1).apply(log.records[known:], log.records[-1].position)
    with pytest.raises(FileBehind), newer.reading(ANNAS_SCOPE):
        pass


def test_an_index_of_another_version_is_built_from_the_log_and_the_files_stay(
    folder: Path, log: PaperLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ScopeIndex, "version", "0")
    with closing(MemoryFolder(folder, open_files=4)) as memories:
        with pytest.raises(Unavailable), memories.reading(ANNAS_SCOPE):
            pass
        projection = RetrieverProjection(memories, pending_events=99)
        projection.apply(log.records[:1], log.records[0].position)
        with memories.reading(ANNAS_SCOPE) as file:
            assert file is not None
            assert file.number == len(log.records), "it was not built again"
        projection.apply(log.records[1:], log.records[-1].position)
        projection.flush()
        assert memories.index.number(ANNAS_SCOPE) == len(log.records)


def test_drafts_that_a_crash_left_are_deleted_at_the_start(folder: Path) -> None:
    with closing(MemoryFolder(folder, open_files=4)) as memories:
        memories.beside(ANNAS_SCOPE)  # killed before it was renamed
    lies_in = folder / "memories" / ANNAS_SCOPE[:2]
    assert len(list(lies_in.glob("*.new*"))) > 0
    with closing(MemoryFolder(folder, open_files=4)) as again:
        again.begin()
        assert [path.name for path in lies_in.iterdir()] == [f"{ANNAS_SCOPE}.db"]
