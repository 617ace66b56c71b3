"""The tables of ingest.db. No column holds text of a person: ids, numbers, flags and keyed digests."""

from collections import namedtuple
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any, TypeAlias, TypeVar

from sqlalchemy import Column, ColumnElement, Connection, Index, Integer, LargeBinary, MetaData, Table, Text, text
from sqlalchemy.dialects.sqlite import Insert, dialect, insert

from services.ingest.domain.doubts import KnownConflict
from services.ingest.domain.echoes import HandedOut
from services.ingest.domain.likeness import Likeness
from services.ingest.domain.memories import Fact, KnownMemory, Recalled
from services.ingest.domain.seen import SeenCommand
from services.ingest.domain.state import KnownSession
from services.ingest.store.changes import CommandOutcome
from services.ingest.store.field_columns import BIG_ENDIAN, FieldColumns
from services.ingest.store.session_names import session_key_column
from shared.contracts.ids import Scope
from shared.runtime.projection_file import MISSING, table_by_scope
from shared.runtime.sqlite import driver

_Name = TypeVar("_Name")
_Entry = TypeVar("_Entry")
_AT_ONCE = 10_000
"""SQLite takes so many parameters wherever it was built."""

_TOGETHER = 32
"""Rows of one statement."""

SCHEMA = MetaData()


def texts(*names: str) -> list[Column[str]]:
    """New columns of text for the primary key of a table."""
    return [Column(name, Text, primary_key=True) for name in names]


SLOT = Table(
    "slot",
    SCHEMA,
    Column("slot", Integer, primary_key=True),
    Column("position", Integer, nullable=False),  # MEMORY is applied up to here
    Column("decided", Integer, nullable=False),  # SEND is decided up to here
)
SCOPE = table_by_scope(
    "scope",
    SCHEMA,
    Column("number", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("live", Integer, nullable=False),  # facts that are neither retired nor superseded
    Column("excess_live", Integer),  # what was reported last of more facts than the cap allows, while it lasts
    Column("excess_cap", Integer),
    Column("settings", Text),  # JSON of what the person has set; null: nothing
    Column("has_conflicts", Integer, nullable=False),  # whether there is anything in the table of conflicts
    Column("is_private", Integer, nullable=False),  # whether there is anything in the tables of what is not to be kept
)
SESSIONS, SEEN_COMMANDS, MEMORIES = FieldColumns(KnownSession), FieldColumns(SeenCommand), FieldColumns(KnownMemory)
FACTS, RECALLS = FieldColumns(Fact, apart={"sources", "recalled"}), FieldColumns(Recalled)
SESSION = table_by_scope("session", SCHEMA, session_key_column(), *SESSIONS.columns())
Index("session_is_open", SESSION.c.scope, sqlite_where=SESSION.c.is_open == 1)
SEEN = table_by_scope(
    "seen",
    SCHEMA,
    Column("command_id", LargeBinary, primary_key=True),
    *SEEN_COMMANDS.columns(),
)
MEMORY = table_by_scope("memory", SCHEMA, *texts("memory_id"), *MEMORIES.columns())
FACT = table_by_scope(
    "fact",
    SCHEMA,
    *texts("memory_id"),
    *FACTS.columns(),
    *RECALLS.columns(nullable=True),  # the last one
    Column("is_rival", Integer, nullable=False),  # live, not pinned, not saved by hand: it can be trimmed
)
Index("fact_is_rival", FACT.c.scope, sqlite_where=FACT.c.is_rival == 1)
LIKENESSES = FieldColumns(Likeness, stored={"simhash": BIG_ENDIAN})


def _likeness_of_memory() -> list[Column[Any]]:
    """New columns for the likeness of a memory, with the key of its index."""
    digest, *others = LIKENESSES.columns()
    scope, key = Column("scope", LargeBinary, primary_key=True), Column("key", Integer, nullable=False)
    return [scope, *texts("memory_id"), digest, key, *others]


LIKENESS = Table("likeness", SCHEMA, *_likeness_of_memory())
Index("likeness_digest", LIKENESS.c.scope, LIKENESS.c.digest)
Index("likeness_key", LIKENESS.c.scope, LIKENESS.c.key)
NAME = Table(
    "name",
    SCHEMA,
    Column("scope", LargeBinary, primary_key=True),
    Column("head", LargeBinary, primary_key=True),  # 8 bytes of its first word
    Column("rest", LargeBinary, primary_key=True),  # 8 bytes of all of it; none where it is one word
    Column("type", Text, primary_key=True),
    sqlite_with_rowid=False,
)
IS_FULL = "type IN ('person', 'other') AND rest > x''"
"""Condition for names that may be a person's full name."""
Index("name_is_full", NAME.c.scope, NAME.c.head, NAME.c.rest, sqlite_where=text(IS_FULL))
CALLED = Table(
    "called",
    SCHEMA,
    *_likeness_of_memory(),  # of a fact that names somebody, with first names only
    Column("names", Text, nullable=False),  # type, head and rest of each in hex, in the order of the text
)
Index("called_key", CALLED.c.scope, CALLED.c.key)
CLAIM = Table(
    "claim",
    SCHEMA,
    Column("scope", LargeBinary, primary_key=True),
    Column("key", LargeBinary, primary_key=True),  # by which the claims of facts are found
    *texts("memory_id"),
    Column("until", Integer),  # of a superseded fact, when it was told or gave way, the later; nothing told since changes it
    sqlite_with_rowid=False,
)
Index("claim_of_fact", CLAIM.c.scope, CLAIM.c.memory_id)
SOURCE = table_by_scope(
    "source",
    SCHEMA,
    *texts("memory_id"),  # the fact
    *texts("source"),  # the id of the memory that states it, or a keyed hash of an outside reference
)
CONFLICTS = FieldColumns(KnownConflict)
CONFLICT = table_by_scope("conflict", SCHEMA, *texts("conflict_id"), *CONFLICTS.columns())
HANDED_OUTS, OUTCOMES = FieldColumns(HandedOut), FieldColumns(CommandOutcome)
HANDED_OUT = table_by_scope("handed_out", SCHEMA, *texts("memory_id"), *HANDED_OUTS.columns())
DECISION = Table("decision", SCHEMA, *OUTCOMES.columns(keys={"sequence"}))
Index("decision_command", DECISION.c.command_id, sqlite_where=DECISION.c.command_id.is_not(None))


def of_scope(table: Table, scope: str) -> ColumnElement[bool]:
    """A condition for the rows of a scope, which a table stores as text or as 16 bytes."""
    is_raw = isinstance(table.c.scope.type, LargeBinary)
    return table.c.scope == (bytes.fromhex(scope) if is_raw else scope)


def _upsert_into(table: Table) -> Insert:
    statement = insert(table)
    keys = [column.name for column in table.primary_key.columns]
    values = {column.name: statement.excluded[column.name] for column in table.columns if column.name not in keys}
    if not values:
        return statement.on_conflict_do_nothing(index_elements=keys)
    return statement.on_conflict_do_update(index_elements=keys, set_=values)


@lru_cache
def _upsert(name: str) -> tuple[str, Callable[[Any], tuple[Any, ...]], Callable[[Any], Any]]:
    """The upsert statement of a table, the function that orders a row's values, and the key."""
    table = SCHEMA.tables[name]
    statement = str(_upsert_into(table).compile(dialect=dialect()))
    keys = [place for place, column in enumerate(table.columns) if column.primary_key]
    return (
        statement,
        itemgetter(*table.columns.keys()),
        itemgetter(*([place for place in keys if table.columns[place].name != "scope"] or keys)),
    )


@lru_cache
def _upsert_together(name: str) -> str:
    """The upsert statement of a table for so many rows as go together."""
    table = SCHEMA.tables[name]
    one = f"({', '.join('?' * len(table.columns))})"
    statement, _, _ = _upsert(name)
    return statement.replace(f"VALUES {one}", f"VALUES {', '.join([one] * _TOGETHER)}", 1)


def upsert(db: Connection, table: Table, rows: Sequence[Mapping[str, object]]) -> None:
    """Upsert rows, each with every column, in the order of their keys, which is faster.

    Many go with one statement: SQLite gives Python's lock back for each, and somebody else takes it.
    """
    if rows:
        statement, arranged, key = _upsert(table.name)
        values = sorted(map(arranged, rows), key=key)
        alone = len(values) % _TOGETHER
        for start in range(alone, len(values), _TOGETHER):
            driver(db).execute(_upsert_together(table.name), [*chain.from_iterable(values[start : start + _TOGETHER])])
        driver(db).executemany(statement, values[:alone])


def changed(before: Mapping[_Name, _Entry], after: Mapping[_Name, _Entry]) -> Iterator[tuple[_Name, _Entry]]:
    """The entries of a map that are new or another object than before."""
    known = dict(before)  # of a PartialMap, which knows nothing of new keys
    return ((key, value) for key, value in after.items() if known.get(key) is not value)


Found: TypeAlias = Any
"""A row of a table, with its columns as attributes."""


def look_up(db: Connection, table: Table, values: Collection[object], *, column: str, scope: object) -> Sequence[Found]:
    """The rows of a scope in which a column has one of these values."""
    asked = list(values)
    portions = [asked[start : start + _AT_ONCE] for start in range(0, len(asked), _AT_ONCE)]
    return [row for few in portions for row in _rows(db, table, _look_up(table.name, column, len(few)), (*few, scope))]


def all_that_are(db: Connection, table: Table, flag: str, *, scope: Scope) -> Sequence[Found]:
    """The rows of a scope in which a flag is set; an index finds them."""
    return _rows(db, table, _all_that_are(table.name, flag), (scope,))


def all_of(db: Connection, table: Table, *, scope: Scope) -> Sequence[Found]:
    """All rows of a scope, in the order of their keys."""
    return _rows(db, table, _all_of(table.name), (scope,))


def _rows(db: Connection, table: Table, statement: str, values: Sequence[object]) -> list[Found]:
    return list(map(_row_of(table.name), driver(db).execute(statement, values)))


@lru_cache
def _row_of(table: str) -> Callable[[Sequence[object]], Found]:
    row: Any = namedtuple(table, SCHEMA.tables[table].columns.keys())  # type: ignore[misc] # noqa: PYI024 - made of the table
    return row._make


@lru_cache
def _all_of(table: str) -> str:
    columns = ", ".join(each.name for each in SCHEMA.tables[table].columns)
    keys = ", ".join(each.name for each in SCHEMA.tables[table].primary_key.columns)
    return f"SELECT {columns} FROM {table} WHERE scope = ? ORDER BY {keys}"


@lru_cache
def _all_that_are(table: str, flag: str) -> str:
    columns = ", ".join(each.name for each in SCHEMA.tables[table].columns)
    return f"SELECT {columns} FROM {table} INDEXED BY {table}_{flag} WHERE scope = ? AND {flag} = 1"


@lru_cache(maxsize=1_024)
def _look_up(table: str, column: str, count: int) -> str:
    columns = ", ".join(f"{table}.{each.name}" for each in SCHEMA.tables[table].columns)
    asked = ", ".join(["(?)"] * count)
    # A join in this order: for a long IN list SQLite, knowing nothing of the data, would read the whole scope instead.
    return (
        f"SELECT {columns} FROM (VALUES {asked}) AS asked CROSS JOIN {table}"
        f" WHERE {table}.scope = ? AND {table}.{column} = asked.column1"
    )


OF_THE_LOG = (SCOPE, SESSION, SEEN, MEMORY, FACT, LIKENESS, NAME, CALLED, CLAIM, SOURCE, CONFLICT, HANDED_OUT, MISSING)
"""The tables that follow from the log alone; the projection digest is made of them."""
