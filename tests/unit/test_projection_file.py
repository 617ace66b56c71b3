"""What every projection's SQLite file does, whatever its tables are."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text

from shared.contracts.errors import EventsLost, ProjectionDamaged
from shared.contracts.ids import Position, Scope
from shared.runtime.anchors import Anchor
from shared.runtime.eventlog.read import Record
from shared.runtime.projection_file import MISSING, QUARANTINE, ProjectionFile
from shared.runtime.rebuilding import require_whole
from shared.runtime.row_digests import digest_of
from shared.runtime.sqlite import open_database

ANNA, BOB = Scope("a" * 32), Scope("b" * 32)

_schema = MetaData()
_heard = Table("heard", _schema, Column("scope", Text, primary_key=True), Column("number", Integer, nullable=False))
_aside = Table("aside", _schema, Column("scope", Text, primary_key=True))


class Ears(ProjectionFile):
    """The smallest projection: the last number of each scope."""

    name = "ears"
    schema = _schema
    version = "1"
    keeps = (MISSING, QUARANTINE)
    digested = (_heard, MISSING)
    to_rebuild = Table("asked", MetaData(), Column("scope", Text, primary_key=True))

    def hear(self, scope: Scope, number: int, position: int) -> None:
        with self.transaction() as db:
            self._insert(db, scope, number)
            self.save_position(db, position)

    def fail(self) -> None:
        with self.transaction() as db:
            self._insert(db, BOB, 9)
            self.save_position(db, 9)
            raise RuntimeError

    def ask(self, scope: Scope) -> None:
        with self.transaction() as db:
            self.ask_rebuild(db, scope)

    def _insert(self, db: Connection, scope: Scope, number: int) -> None:
        db.execute(_heard.insert(), {"scope": scope, "number": number})


class WatchedEars(Ears):
    """One whose rows are tallied."""

    tallied = (_heard,)


class NewEars(Ears):
    """Another schema of the same projection."""

    version = "2"


@pytest.fixture
def ears(tmp_path: Path) -> Iterator[WatchedEars]:
    file = WatchedEars(tmp_path / "ears.db")
    yield file
    file.close()


def test_rows_and_checkpoint_are_saved_together_or_not_at_all(ears: Ears) -> None:
    ears.hear(ANNA, 1, 5)
    before = ears.digest()
    with pytest.raises(RuntimeError):
        ears.fail()
    assert (ears.position, ears.digest()) == (5, before)


def test_a_file_of_the_same_version_is_kept_and_one_of_another_is_dropped(tmp_path: Path, ears: Ears) -> None:
    ears.hear(ANNA, 1, 5)
    ears.adopt("log-1")
    ears.close()
    again = Ears(tmp_path / "ears.db")
    assert (again.position, again.log_id) == (5, "log-1")
    again.close()
    new = NewEars(tmp_path / "ears.db")
    assert (new.position, new.log_id) == (0, None)
    new.close()


def test_the_digest_is_of_what_follows_from_the_log_alone(ears: Ears) -> None:
    ears.hear(ANNA, 1, 5)
    before = ears.digest()
    ears.ask(ANNA)
    ears.set_meta("key", "value")
    with ears.transaction() as db:
        db.execute(_aside.insert(), {"scope": ANNA})
    assert ears.digest() == before == digest_of([("heard", ANNA, 1)])
    ears.hear(BOB, 1, 6)
    assert ears.digest() != before


def test_parts_of_a_rebuild_make_one_file(tmp_path: Path, ears: Ears) -> None:
    ears.hear(ANNA, 1, 5)
    other = Ears(tmp_path / "part" / "ears.db")
    other.hear(BOB, 2, 6)
    other.close()
    ears.take_over(tmp_path / "part")
    assert ears.digest() == digest_of([("heard", ANNA, 1), ("heard", BOB, 2)])


def test_what_is_asked_for_outlives_the_process_and_a_later_request_stands(tmp_path: Path, ears: Ears) -> None:
    ears.ask(ANNA)
    ears.close()
    again = Ears(tmp_path / "ears.db")
    assert again.scopes_to_rebuild() == [ANNA]
    asked = again.rebuilds_asked(ANNA)
    again.ask(ANNA)
    again.scope_rebuilt(ANNA, asked)
    assert again.scopes_to_rebuild() == [ANNA]
    again.scope_rebuilt(ANNA, again.rebuilds_asked(ANNA))
    assert again.scopes_to_rebuild() == []
    again.close()
    last = Ears(tmp_path / "ears.db")
    assert last.scopes_to_rebuild() == []
    last.close()


def test_what_cannot_be_applied_is_noted_once(ears: Ears) -> None:
    for reason in ("no such version", "again"):
        ears.quarantine(Record(Position(7), ANNA, b"", {}), reason)
    assert ears.quarantined() == {7: "no such version"}


def test_what_lacks_events_must_not_replace_what_was(ears: Ears) -> None:
    require_whole(ears)
    with ears.transaction() as db:
        ears.save_gaps(db, {ANNA: [(2, 3), (7, 7)], BOB: [(1, 1)]})
    assert ears.gaps(ANNA) == [(2, 3), (7, 7)]
    with pytest.raises(EventsLost, match="events of 2 scopes"):
        require_whole(ears)
    with ears.transaction() as db:
        ears.save_gaps(db, {ANNA: [], BOB: []})
    require_whole(ears)


def _by_somebody_else(path: Path, statement: str) -> None:
    engine = open_database(path)
    with engine.begin() as db:
        db.exec_driver_sql(statement)
    engine.dispose()


def test_what_the_service_writes_itself_is_no_damage(tmp_path: Path, ears: WatchedEars) -> None:
    ears.hear(ANNA, 1, 5)
    ears.ask(ANNA)
    ears.scope_rebuilt(ANNA)
    with pytest.raises(RuntimeError):
        ears.fail()
    for number in (2, 3):
        with ears.transaction() as db:
            ears.save_gaps(db, {ANNA: [(number, 9)]})
            ears.save_anchor(db, Anchor(number * 100, "id"))
    other = WatchedEars(tmp_path / "part" / "ears.db")
    other.hear(BOB, 2, 6)
    other.close()
    ears.take_over(tmp_path / "part")
    ears.require_tallied()
    ears.close()
    again = WatchedEars(tmp_path / "ears.db")
    again.require_tallied()
    again.close()


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM heard",
        "INSERT INTO heard VALUES ('c', 1)",
        "DELETE FROM meta WHERE key = 'position'",
        "DELETE FROM tally",
        "DELETE FROM anchor",
    ],
)
def test_a_file_whose_rows_somebody_else_added_or_deleted_is_not_opened(
    tmp_path: Path, ears: WatchedEars, statement: str
) -> None:
    ears.hear(ANNA, 1, 5)
    with ears.transaction() as db:
        ears.save_anchor(db, Anchor(5, "id"))
    ears.close()
    _by_somebody_else(tmp_path / "ears.db", statement)
    with pytest.raises(ProjectionDamaged, match=r"ears.db is damaged: .*; stop memstream and run: .* --projection ears"):
        WatchedEars(tmp_path / "ears.db")


@pytest.mark.parametrize("statement", ["UPDATE heard SET number = 7", "UPDATE meta SET value = '9' WHERE key = 'position'"])
def test_a_value_that_somebody_else_changed_is_found_by_looking_through_the_rows(
    tmp_path: Path, ears: WatchedEars, statement: str
) -> None:
    ears.hear(ANNA, 1, 5)
    _by_somebody_else(tmp_path / "ears.db", statement)
    ears.require_tallied(by_number=True)
    with pytest.raises(ProjectionDamaged):
        ears.require_tallied()
    ears.hear(BOB, 1, 6)
    with pytest.raises(ProjectionDamaged):
        ears.require_tallied()


def test_a_file_that_was_never_tallied_is_taken_as_it_is(tmp_path: Path, ears: WatchedEars) -> None:
    ears.hear(ANNA, 1, 5)
    ears.close()
    _by_somebody_else(tmp_path / "ears.db", "DROP TABLE tally")
    _by_somebody_else(tmp_path / "ears.db", "UPDATE heard SET number = 7")
    again = WatchedEars(tmp_path / "ears.db")
    again.require_tallied()
    again.close()
