"""SQLite through SQLAlchemy Core on the pysqlite3 wheel: the standard library's SQLite is often built without extensions.

Where there is no such wheel (Linux on ARM, Macs with Intel), the standard library's must do.
"""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Row, Table, create_engine, event
from sqlalchemy.exc import DatabaseError, DataError, DBAPIError, IntegrityError, ProgrammingError
from sqlalchemy.pool import StaticPool
from sqlalchemy.util import LRUCache

from shared.contracts.errors import DiskFull, FilesExhausted, Unavailable
from shared.runtime.private_files import private_file

try:
    from pysqlite3 import dbapi2
except ModuleNotFoundError:  # pragma: no cover
    from sqlite3 import dbapi2

__all__ = [
    "SQLITE_ERRORS",
    "DatabaseError",
    "bind_as_text",
    "copy_rows",
    "delete_database",
    "driver",
    "empty_wal",
    "has_vec0",
    "in_memory",
    "is_corrupt",
    "is_damage",
    "is_full",
    "open_database",
    "rows",
    "telling_full",
    "values_named",
    "write_rows",
]

for _kind, _as_it_is in ((bytes, bytes), (bool, int), (type(None), {}.get)):
    # Of each value that is no number and no text the driver asks all around how it is to be bound, by exceptions that nobody
    # sees: 0.8 us, as much as SQLite takes to store it. What it is told is looked up: 0.1 us.
    dbapi2.register_adapter(_kind, _as_it_is)

_MOST_CACHED_BYTES = 64 * 1024 * 1024
"""Limit of SQLite's page caches in the whole process: it keeps up to 2 MB for each file, and 200 files took 451 MB."""

_WRITERS_WAIT_S = 60.0
"""A transaction of another process takes less than a millisecond, unless its machine stands still."""

SQLITE_ERRORS = (DatabaseError, dbapi2.DatabaseError, UnicodeDecodeError)
"""As SQLAlchemy raises them, and as the driver itself does, where statements go to it directly. The last one is raised where
SQLite tells of a damaged name."""

_OF_DAMAGE = ("malformed", "not a database", "Could not decode")

_NOT_OPENED = "unable to open database file"

_COMPILED: LRUCache[object, object] = LRUCache(1_000)
"""Cache of compiled statements, shared by all files."""


def open_database(
    path: Path,
    *,
    page_size: int = 4096,
    sync: bool = True,
    overwrites: bool = False,
    is_shared: bool = False,
    is_draft: bool = False,
    has_vectors: bool = False,
) -> Engine:
    """One connection to one file, made if it is missing.

    With `overwrites` what is deleted is overwritten with zeros; in the write-ahead log it stays until `empty_wal`.

    With `is_shared` other processes write it too. A transaction then begins as one that writes, and waits for theirs: one that
    had read before could not write any more.

    With `is_draft` nothing is written twice, and a file whose writing failed or was interrupted is worth nothing: for one that
    is thrown away then.

    With `has_vectors` its tables may be of sqlite-vec, where SQLite can load that.

    Dispose of it only when no other thread uses it; after that it raises Unavailable.

    After a power failure a file is as it was some moments before. With `sync` off it may be damaged: only for files that are
    compared with what they should hold.
    """
    private_file(path)  # its write-ahead log gets the same mode
    was_opened = False

    def connect() -> Any:  # noqa: ANN401 - pysqlite3 has no types
        nonlocal was_opened
        if was_opened:  # SQLAlchemy would open it again for whoever comes too late, and nobody would close it
            raise Unavailable(f"{path.name} is closed, as its service is stopping; ask again")
        was_opened = True
        connection = dbapi2.connect(str(path), timeout=_WRITERS_WAIT_S, isolation_level=None, check_same_thread=False)
        for pragma in (
            f"page_size={page_size}",
            f"synchronous={'NORMAL' if sync else 'OFF'}",  # first: else a new file is synced as its journal is chosen
            f"journal_mode={'OFF' if is_draft else 'WAL'}",
            "temp_store=MEMORY",
            f"soft_heap_limit={_MOST_CACHED_BYTES}",
            f"secure_delete={'ON' if overwrites else 'OFF'}",
        ):
            connection.execute(f"PRAGMA {pragma}")
        if has_vectors and has_vec0():
            _load_vec0(connection)
        return connection

    shared = _shared()
    pool = StaticPool(connect, dialect=shared.dialect)
    engine = Engine(pool, shared.dialect, shared.url, execution_options={"compiled_cache": _COMPILED})
    # pysqlite's own transaction handling would commit before DDL and begin too late; SQLAlchemy's recipe turns it off.
    begin = "BEGIN IMMEDIATE" if is_shared else "BEGIN"
    event.listen(engine, "begin", lambda connection: driver(connection).execute(begin))
    return engine


@cache
def has_vec0() -> bool:
    """True if SQLite can load sqlite-vec here."""
    connection = dbapi2.connect(":memory:")
    try:
        _load_vec0(connection)
    except (AttributeError, ImportError, dbapi2.Error):  # built without extensions, no wheel, or of another machine
        return False
    finally:
        connection.close()
    return True


def _load_vec0(connection: Any) -> None:  # noqa: ANN401 - pysqlite3 has no types
    connection.enable_load_extension(True)  # noqa: FBT003 - of the driver
    connection.load_extension(_vec0())
    connection.enable_load_extension(False)  # noqa: FBT003


@cache
def _vec0() -> str:
    """Return where sqlite-vec lies. Its package is not imported, for it imports numpy, which a start does without."""
    package = find_spec("sqlite_vec")
    if package is None or package.origin is None:
        raise ModuleNotFoundError("sqlite_vec")
    return str(Path(package.origin).with_name("vec0"))


def in_memory() -> Any:  # noqa: ANN401 - pysqlite3 has no types
    """The driver's connection to a database of its own, in memory, that any thread may use."""
    return dbapi2.connect(":memory:", isolation_level=None, check_same_thread=False)


def driver(db: Connection) -> Any:  # noqa: ANN401 - pysqlite3 has no types
    """The driver's connection under one of SQLAlchemy's, in its transaction: for statements as text that run again and again.

    SQLAlchemy takes 70 us around a statement that SQLite runs in 8, and a lone message asks for dozens.
    """
    return db.connection.driver_connection


def bind_as_text(kind: type[str]) -> None:
    """Have the driver bind values of such an enumeration as the texts that they are, without asking around."""
    dbapi2.register_adapter(kind, str.__str__)


def rows(db: Connection, statement: str, parameters: Mapping[str, object] | None = None) -> list[tuple[Any, ...]]:
    """The rows that a textual statement selects, from the driver itself, for statements that every question runs.

    Raises DatabaseError.
    """
    try:  # not a context manager: a question runs dozens
        return driver(db).execute(statement, parameters or {}).fetchall()  # type: ignore[no-any-return]
    except dbapi2.Error as error:
        raise _told(statement, error) from error


def write_rows(db: Connection, statement: str, values: Iterable[Sequence[object]]) -> None:
    """Execute a textual statement once for each of these rows of values, by the driver itself. Raises DatabaseError."""
    try:
        driver(db).executemany(statement, values)
    except dbapi2.Error as error:
        raise _told(statement, error) from error


def _told(statement: str, error: Exception) -> BaseException:
    """What the driver raises as SQLAlchemy raises it, but without the parameters, which may be somebody's words."""
    return DBAPIError.instance(statement, None, error, dbapi2.Error, hide_parameters=True)


def values_named(row: Row[Any], names: Container[str]) -> dict[str, Any]:
    """The values of a row's columns that have one of these names, such as a contract's fields."""
    return {name: value for name, value in row._mapping.items() if name in names}  # noqa: SLF001 - public in SQLAlchemy


@cache
def _shared() -> Engine:
    """An engine without a file, whose dialect all files share: SQLAlchemy caches what it compiles by dialect.

    Measured: with a dialect for each file, making the statements took half of a rebuild of many files.
    """
    engine = create_engine("sqlite://", creator=lambda: dbapi2.connect(":memory:"), poolclass=StaticPool, module=dbapi2)
    with engine.connect():  # the dialect learns what this SQLite can
        pass
    engine.dispose()
    return engine


def copy_rows(engine: Engine, source: Path, tables: Iterable[Table]) -> None:
    """Copy all rows of these tables from another file, which has the same schema, in one transaction."""
    connection = engine.raw_connection()
    cursor = connection.cursor()
    try:
        cursor.execute("ATTACH ? AS source", (str(source),))
        cursor.execute("BEGIN")
        for table in tables:
            cursor.execute(f"INSERT INTO main.{table.name} SELECT * FROM source.{table.name}")  # noqa: S608 - names of our own
        cursor.execute("COMMIT")
        cursor.execute("DETACH source")
    finally:
        cursor.close()
        connection.close()


def empty_wal(engine: Engine) -> None:
    """Write everything into the file itself and empty its write-ahead log, which holds rows as they were."""
    with engine.connect() as db:
        driver(db).execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def is_damage(error: Exception) -> bool:
    """True if the error may mean that the file is damaged; false for errors of a row or statement."""
    return not isinstance(error, IntegrityError | DataError | ProgrammingError)


def is_corrupt(error: Exception) -> bool:
    """True if the bytes of the file make no sense: nothing helps but building it again."""
    return isinstance(error, UnicodeDecodeError) or any(words in _said_by(error) for words in _OF_DAMAGE)


def _said_by(error: Exception) -> str:
    """What SQLite itself says in an error of the driver's, or in one that SQLAlchemy raises around it."""
    return str(getattr(error, "orig", error))


def is_full(error: Exception) -> bool:
    """True if the file could not be written or opened: the disk is full or fails, or too many files are open."""
    return any(words in _said_by(error) for words in ("disk is full", "disk I/O error", _NOT_OPENED))


@contextmanager
def telling_full(place: str) -> Iterator[None]:
    """Raises DiskFull, which names the file, where it could not be written, be it SQLite that writes it or somebody else.

    FilesExhausted where it could not be opened.
    """
    try:
        yield
    except SQLITE_ERRORS as error:
        if not is_full(error):
            raise
        raise _told_full(place, _said_by(error), is_opened=_NOT_OPENED not in _said_by(error)) from error
    except OSError as error:
        if error.errno not in DiskFull.errnos | FilesExhausted.errnos:
            raise
        raise _told_full(place, str(error.strerror), is_opened=error.errno in DiskFull.errnos) from error


def _told_full(place: str, reason: str, *, is_opened: bool) -> DiskFull:
    if is_opened:
        return DiskFull(f"{place} cannot be written ({reason}); make room on its disk, and what waits goes on by itself")
    mend = "raise the limit (ulimit -n, LimitNOFILE=), or make room on its disk, and what waits goes on by itself"
    return FilesExhausted(f"{place} cannot be opened ({reason}); {mend}")


def delete_database(path: Path) -> None:
    """Remove a file with its write-ahead log."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
