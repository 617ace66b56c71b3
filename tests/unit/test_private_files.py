"""Nobody but their owner may enter the folders or read the files of memstream, whatever the umask."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from shared.runtime.private_files import open_to_others, private_file, private_folder
from shared.runtime.sqlite import open_database


@pytest.fixture(autouse=True)
def generous_umask() -> Iterator[None]:
    """As on most machines."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_folder_is_private_with_those_above_it_that_were_missing(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    private_folder(tmp_path / "a" / "b")
    assert [mode(path) for path in (tmp_path, tmp_path / "a", tmp_path / "a" / "b")] == [0o755, 0o700, 0o700]


def test_what_was_open_to_others_becomes_private(tmp_path: Path) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "file").write_text("kept", encoding="utf-8")
    private_file(folder / "file")
    assert (mode(folder), mode(folder / "file")) == (0o700, 0o600)
    assert (folder / "file").read_text(encoding="utf-8") == "kept"


def test_a_database_is_private_with_its_write_ahead_log(tmp_path: Path) -> None:
    engine = open_database(tmp_path / "ingest" / "ingest.db")
    with engine.begin() as db:
        db.exec_driver_sql("CREATE TABLE one (id)")
    assert {path.name: mode(path) for path in (tmp_path / "ingest").iterdir()} == {
        "ingest.db": 0o600,
        "ingest.db-wal": 0o600,
        "ingest.db-shm": 0o600,
    }
    assert mode(tmp_path / "ingest") == 0o700
    engine.dispose()


def test_what_others_may_look_into_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    private_file(tmp_path / "ingest" / "ingest.db")
    assert not list(open_to_others(tmp_path))
    (tmp_path / "ingest" / "ingest.db").chmod(0o640)
    (tmp_path / "nats").mkdir()
    assert list(open_to_others(tmp_path)) == [tmp_path / "nats", tmp_path / "ingest" / "ingest.db"]
