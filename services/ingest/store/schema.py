"""The tables of ingest.db. No column holds text of a person: ids, numbers, flags and keyed digests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Column, Connection, Integer, LargeBinary, MetaData, Table, Text
from sqlalchemy.dialects.sqlite import Insert, insert

SCHEMA = MetaData()
META = Table("meta", SCHEMA, Column("key", Text, primary_key=True), Column("value", Text, nullable=False))
SLOT = Table(
    "slot",
    SCHEMA,
    Column("slot", Integer, primary_key=True),
    Column("position", Integer, nullable=False),  # MEMORY is applied up to here
    Column("decided", Integer, nullable=False),  # SEND is decided up to here
)
SCOPE = Table(
    "scope",
    SCHEMA,
    Column("scope", Text, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    sqlite_with_rowid=False,
)
SESSION = Table(
    "session",
    SCHEMA,
    Column("scope", Text, primary_key=True),
    Column("session_id", Text, primary_key=True),
    Column("is_open", Integer, nullable=False),
    Column("user_spoke", Integer, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("last_occurred_at", Integer, nullable=False),  # microseconds since 1970
    Column("last_recorded_at", Integer, nullable=False),
    sqlite_with_rowid=False,
)
SEEN = Table(
    "seen",
    SCHEMA,
    Column("scope", Text, primary_key=True),
    Column("command_id", LargeBinary, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("memory_id", Text),
    Column("content", LargeBinary),
    sqlite_with_rowid=False,
)
MEMORY = Table(
    "memory",
    SCHEMA,
    Column("scope", Text, primary_key=True),
    Column("memory_id", Text, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    sqlite_with_rowid=False,
)
HANDED_OUT = Table(
    "handed_out",
    SCHEMA,
    Column("scope", Text, primary_key=True),
    Column("memory_id", Text, primary_key=True),
    Column("number", Integer, nullable=False),  # of the recall
    Column("recorded_at", Integer, nullable=False),
    Column("shingles", LargeBinary, nullable=False),  # keyed hashes, 8 bytes each
    sqlite_with_rowid=False,
)
DECISION = Table(
    "decision",
    SCHEMA,
    Column("sequence", Integer, primary_key=True),  # in SEND
    Column("scope", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("memory_id", Text),
    Column("code", Text),
)
MISSING = Table(
    "missing",
    SCHEMA,
    Column("scope", Text, primary_key=True),
    Column("first", Integer, primary_key=True),
    Column("last", Integer, nullable=False),
)


def _upsert_into(table: Table) -> Insert:
    statement = insert(table)
    keys = [column.name for column in table.primary_key.columns]
    values = {column.name: statement.excluded[column.name] for column in table.columns if column.name not in keys}
    return statement.on_conflict_do_update(index_elements=keys, set_=values)


_UPSERT = {table.name: _upsert_into(table) for table in SCHEMA.sorted_tables}


def upsert(db: Connection, table: Table, rows: Sequence[Mapping[str, object]]) -> None:
    """Write these rows over those with the same keys."""
    if rows:
        db.execute(_UPSERT[table.name], list(rows))


OF_THE_LOG = (SCOPE, SESSION, SEEN, MEMORY, HANDED_OUT, MISSING)
"""The tables whose every row follows from the log alone: the projection digest is made of them."""
