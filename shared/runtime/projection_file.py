"""The SQLite file of a projection: its rows, and how far it has come, change in one transaction.

Whatever it holds can be built again from the log, so a file of another schema version is dropped when it is opened.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from pathlib import Path
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, select
from sqlalchemy.dialects.sqlite import insert

from shared.contracts.errors import Poison, ProjectionDamaged
from shared.contracts.ids import Scope
from shared.domain.gaps import Range, explained, size, without
from shared.runtime.anchors import Anchor, moved
from shared.runtime.bulk import Batch
from shared.runtime.eventlog.read import Record
from shared.runtime.logs import log
from shared.runtime.metrics import EVENTS_MISSING
from shared.runtime.news import News
from shared.runtime.projector import Aside, Recorded, put_aside
from shared.runtime.row_digests import digest_of, table_rows
from shared.runtime.sqlite import (
    SQLITE_ERRORS,
    copy_rows,
    delete_database,
    driver,
    empty_wal,
    is_corrupt,
    is_full,
    open_database,
    telling_full,
)
from shared.runtime.tallies import keep_tallies, untallied

P = ParamSpec("P")
T = TypeVar("T")
_own = MetaData()
_meta = Table("meta", _own, Column("key", Text, primary_key=True), Column("value", Text, nullable=False))
MISSING = Table(
    "missing",
    _own,
    Column("scope", Text, primary_key=True),
    Column("first", Integer, primary_key=True),
    Column("last", Integer, nullable=False),
)
"""Table of the event numbers that the log lacks, as ranges by scope."""
QUARANTINE = Table("quarantine", _own, Column("position", Integer, primary_key=True), Column("reason", Text, nullable=False))
"""Table of the events that could not be applied: position and reason."""

_ANCHOR = Table(
    "anchor",
    _own,
    Column("level", Integer, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("event_id", Text, nullable=False),
)
_PUT = "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_MOVED = (
    "INSERT INTO anchor (level, position, event_id) VALUES (?, ?, ?)"
    " ON CONFLICT (level) DO UPDATE SET position = excluded.position, event_id = excluded.event_id"
)
_leaves_files: ContextVar[bool] = ContextVar("leaves_files", default=False)
_SCHEMA = "schema_version"
_LOG_ID = "log_id"
_POSITION = "position"


@contextmanager
def leaving_files() -> Iterator[None]:
    """Within this a file of another schema version is refused with ProjectionDamaged, and not dropped: for who only looks."""
    token = _leaves_files.set(True)
    try:
        yield
    finally:
        _leaves_files.reset(token)


def leaves_files() -> bool:
    """True within `leaving_files`."""
    return _leaves_files.get()


def table_by_scope(name: str, schema: MetaData, *columns: Column[Any]) -> Table:
    """A table whose key begins with the scope; its rows lie in the order of the key."""
    return Table(name, schema, Column("scope", Text, primary_key=True), *columns, sqlite_with_rowid=False)


class ProjectionFile:
    """One SQLite file with one connection, for several threads: transactions wait for each other.

    `is_shared`: other processes write it too; their transactions are waited for as well.
    """

    name: ClassVar[str]
    schema: ClassVar[MetaData]
    version: ClassVar[str]
    to_rebuild: ClassVar[Table]
    """Table of the scopes to rebuild, because something of them was erased from the log. No part of the digest."""
    keeps: ClassVar[Sequence[Table]] = ()
    """Which of MISSING and QUARANTINE the file has."""
    digested: ClassVar[Sequence[Table]]
    """The tables that follow from the log alone; the digest is made of them."""
    undigested: ClassVar[Sequence[Table]] = ()
    """Other tables that are filled while a part of a rebuild is built."""
    tallied: ClassVar[Sequence[Table]] = ()
    """Tables of which a changed row would go unnoticed otherwise; those that every file has are tallied anyway."""

    def __init__(self, path: Path, *, is_shared: bool = False) -> None:
        self._path = path
        self._is_shared = is_shared
        self._lock = threading.Lock()
        with self._telling_damage():
            self._open()
        if self.meta(_SCHEMA) not in {None, self.version}:
            self.close()
            self._require_to_change_files()
            delete_database(self._path)
            self._open()
        try:
            with self.transaction() as db:  # from now on what is written is tallied
                keep_tallies(db, (*self._own_tables, *self.tallied))
            self.require_tallied(by_number=True)
            self.set_meta(_SCHEMA, self.version)
            self.read_again()
        except BaseException:  # also a full disk: who starts tries it again, each time with another connection
            self.close()
            raise

    def read_again(self) -> None:
        """Read what is kept in memory of the file: another process may have written it."""
        with self.transaction() as db:
            self._anchors = self._kept_anchors(db)
            self._rebuilds_asked = dict.fromkeys(self._requested(db), 0)  # scope to how often since the file was opened
        self._grown = set(self._rebuilds_asked)
        self.requests = News()
        """Counts the requests to rebuild a scope."""

    def _kept_anchors(self, db: Connection) -> dict[int, Anchor]:
        """The anchors by level, as the file has them. Raises ProjectionDamaged where one makes no sense, as of a lost page."""
        found = {row.level: Anchor(row.position, row.event_id) for row in db.execute(select(_ANCHOR))}
        if any((type(position), type(event_id)) != (int, str) for position, event_id in found.values()):
            raise self.damaged("it does not know which events it was built from")
        return found

    def _requested(self, db: Connection) -> list[Scope]:
        """The scopes whose rebuild is requested, as the file says."""
        return [Scope(scope) for scope in db.scalars(select(self.to_rebuild.c.scope))]

    def _open(self) -> None:
        self._engine = open_database(self._path, overwrites=True, is_shared=self._is_shared)
        self.schema.create_all(self._engine)
        for table in self._own_tables:
            table.create(self._engine, checkfirst=True)

    @property
    def _own_tables(self) -> Sequence[Table]:
        return (_meta, _ANCHOR, self.to_rebuild, *self.keeps)

    def require_tallied(self, *, by_number: bool = False) -> None:
        """Raises ProjectionDamaged where somebody else changed rows; `by_number`: only where they are more or fewer."""
        with self.transaction() as db:
            changed = untallied(db, (*self._own_tables, *self.tallied), by_number=by_number)
        if changed:
            raise self.damaged(f"somebody else changed rows of {', '.join(changed)}")

    def damaged(self, why: str = "") -> ProjectionDamaged:
        """The error that names the file and the mend, and says why where that is known."""
        mend = f"stop memstream and run: memstream rebuild --projection {self.name}"
        return ProjectionDamaged(f"{self._place} is damaged{why and f': {why}'}; {mend}")

    def _require_to_change_files(self) -> None:
        """Raises ProjectionDamaged within `leaving_files`, where the file is of another version."""
        if leaves_files():
            raise ProjectionDamaged(f"{self._place} is of another version; memstream builds it anew when it starts next")

    def close(self) -> None:
        """Close the file. Nobody may use it any more."""
        with self._lock:
            self._engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A transaction on the file, for one thread at a time."""
        with self._lock, self._telling_damage():
            try:
                self._write_unsaved()
                with self._engine.begin() as db:
                    yield db
            except SQLITE_ERRORS as error:
                if is_full(error):
                    self._take_back()
                raise

    def _take_back(self) -> None:
        """Know no more than the file says, after something could not be written. The caller holds the lock."""
        with self._engine.begin() as db:
            self._anchors = self._kept_anchors(db)
            requested = self._requested(db)
        self._grown |= {scope for scope in requested if scope not in self._rebuilds_asked}
        self._rebuilds_asked = {scope: self._rebuilds_asked.get(scope, 0) for scope in requested}

    def _write_unsaved(self) -> None:
        """Write what waits to be saved, where a file lets anything wait. The caller holds the lock."""

    @contextmanager
    def _telling_damage(self) -> Iterator[None]:
        """Raises ProjectionDamaged where SQLite makes no sense of the file's bytes, DiskFull where it cannot write."""
        try:
            with telling_full(self._place):
                yield
        except SQLITE_ERRORS as error:
            if not is_corrupt(error):
                raise
            raise self.damaged() from error

    @property
    def _place(self) -> str:
        return f"{self._path.parent.name}/{self._path.name}"

    def empty_wal(self) -> None:
        """Leave no byte of what was deleted: in the file it is overwritten, but the write-ahead log holds rows as they were."""
        with self._lock, self._telling_damage():
            empty_wal(self._engine)

    def meta(self, key: str) -> str | None:
        """A value that concerns the whole projection."""
        with self.transaction() as db:
            return db.scalar(select(_meta.c.value).where(_meta.c.key == key))

    def set_meta(self, key: str, value: str) -> None:
        """Keep a value that concerns the whole projection."""
        with self.transaction() as db:
            self._put(db, key, value)

    def _put(self, db: Connection, key: str, value: str) -> None:
        driver(db).execute(_PUT, (key, value))

    @property
    def log_id(self) -> str | None:
        """The id of the log that this is built from; None if nothing is built yet."""
        return self.meta(_LOG_ID)

    @property
    def position(self) -> int:
        """The checkpoint that was saved last."""
        return int(self.meta(_POSITION) or 0)

    def save_position(self, db: Connection, position: int) -> None:
        """Save the checkpoint, in the transaction of the rows that it covers."""
        self._put(db, _POSITION, str(position))

    @property
    def anchors(self) -> tuple[Anchor, ...]:
        """Events that were applied, by which another history is noticed."""
        return tuple(self._anchors.values())

    def save_anchor(self, db: Connection, newest: Anchor) -> None:
        """Remember where an applied event lies, in the transaction of its rows."""
        changed = moved(self._anchors, newest)
        rows = [(level, *anchor) for level, anchor in changed.items()]
        driver(db).executemany(_MOVED, rows)
        self._anchors |= changed

    def adopt(self, log_id: str, newest: Anchor | None = None) -> None:
        """Remember which log this is built from, and where it was all built at once its last event."""
        with self.transaction() as db:
            self._put(db, _LOG_ID, log_id)
            if newest is not None:
                self.save_anchor(db, newest)
        self.tell_missing()

    def digest(self) -> str:
        """The projection digest: a hash of every row that follows from the log alone."""
        with self.transaction() as db:
            return digest_of(table_rows(db, self.digested))

    def scope_digest(self, scope: Scope) -> str:
        """The digest of the rows of one person that follow from the log alone."""
        with self.transaction() as db:
            return digest_of(table_rows(db, self.digested, scope))

    def take_over(self, folder: Path) -> None:
        """Copy all rows of a closed file of the same kind in another folder, which must have other scopes."""
        with self._lock:
            copy_rows(self._engine, folder / self._path.name, (*self.digested, *self.undigested, self.to_rebuild))

    def quarantine(self, record: Record, reason: str) -> None:
        """Store the position of an event that cannot be applied, and why; not its text."""
        with self.transaction() as db:
            db.execute(insert(QUARANTINE).on_conflict_do_nothing(), {"position": record.position, "reason": reason})

    def quarantined(self) -> dict[int, str]:
        """Why events were quarantined, by position."""
        with self.transaction() as db:
            return {row.position: row.reason for row in db.execute(select(QUARANTINE))}

    @property
    def aside(self) -> Aside:
        """What is left out where a scope is read for this file: events that cannot be read are quarantined."""
        return Aside(frozenset(self.quarantined()), self._quarantine_unread)

    def _quarantine_unread(self, record: Record, reason: str) -> None:
        self.quarantine(record, put_aside(self.name, record, Poison(reason)))

    def missing(self) -> list[tuple[Scope, int, int]]:
        """The ranges of event numbers that the log lacks: (scope, first, last)."""
        with self.transaction() as db:
            return [(Scope(row.scope), row.first, row.last) for row in db.execute(select(MISSING))]

    def gaps(self, scope: Scope) -> list[Range]:
        """The ranges of event numbers of a scope that the log lacks."""
        query = select(MISSING.c.first, MISSING.c.last).where(MISSING.c.scope == scope).order_by(MISSING.c.first)
        with self.transaction() as db:
            return [(row.first, row.last) for row in db.execute(query)]

    def note_gap(self, recorded: Recorded, last_known: int, gaps: dict[Scope, list[Range]], *, is_known: bool = False) -> None:
        """Add to `gaps` the numbers missing before an event, and remove those that it explains. Save them with `save_gaps`."""
        first, last = last_known + 1, recorded.event.number - 1
        struck = explained(recorded.event.data)
        if last < first and not struck:
            return
        found = gaps[recorded.scope] if recorded.scope in gaps else self.gaps(recorded.scope)
        if first <= last:
            tell = log.debug if is_known else log.warning
            tell("events.gap", projection=self.name, scope=recorded.scope, first=first, last=last)
            found = [*found, (first, last)]
        gaps[recorded.scope] = without(found, struck)

    def save_gaps(self, db: Connection, gaps: Mapping[Scope, Sequence[Range]]) -> None:
        """Replace the gaps of these scopes."""
        for scope, ranges in gaps.items():
            db.execute(MISSING.delete().where(MISSING.c.scope == scope))
            if ranges:
                db.execute(insert(MISSING), [{"scope": scope, "first": first, "last": last} for first, last in ranges])

    def tell_missing(self) -> None:
        """Set the metric of missing events, if this file keeps them."""
        if MISSING in self.keeps:
            EVENTS_MISSING.labels(self.name).set(size((first, last) for _, first, last in self.missing()))

    def ask_rebuild(self, db: Connection | Batch, scope: Scope, *, has_grown: bool = False, **more: object) -> None:
        """Request a rebuild of a scope from what the log still holds. `has_grown`: something came back."""
        db.execute(insert(self.to_rebuild).on_conflict_do_nothing(), {"scope": scope, **more})
        if has_grown:
            self._grown.add(scope)
        self._rebuilds_asked[scope] = self._rebuilds_asked.get(scope, 0) + 1
        self.requests.tell()

    def scopes_to_rebuild(self) -> list[Scope]:
        """The scopes whose rebuild is requested, first those of which it was since the file was opened."""
        with self._lock:
            return sorted(self._rebuilds_asked, key=lambda scope: (not self._rebuilds_asked[scope], scope))

    def has_grown(self, scope: Scope) -> bool:
        """True for a scope to rebuild in which something came back, or may have: its rows lack that until then."""
        return scope in self._grown

    def rebuilds_asked(self, scope: Scope) -> int | None:
        """How often a rebuild of the scope was requested since the file was opened; None if none is requested."""
        with self._lock:
            return self._rebuilds_asked.get(scope)

    def scope_rebuilt(self, scope: Scope, asked: int | None = None) -> None:
        """Drop the request to rebuild a scope, unless it was made more than `asked` times; its old rows leave no byte."""
        with self.transaction() as db:
            if asked is None or self._rebuilds_asked.get(scope, 0) == asked:
                self._drop_request(db, scope)
        self.empty_wal()

    def _drop_request(self, db: Connection, scope: Scope) -> None:
        db.execute(self.to_rebuild.delete().where(self.to_rebuild.c.scope == scope))
        self._rebuilds_asked.pop(scope, None)
        self._grown.discard(scope)


def in_transaction(query: Callable[Concatenate[Connection, P], T]) -> Callable[Concatenate[ProjectionFile, P], T]:
    """A method of a projection's file that runs this query in a transaction of its own."""

    @wraps(query)
    def method(file: ProjectionFile, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with file.transaction() as db:
            return query(db, *args, **kwargs)

    return method
