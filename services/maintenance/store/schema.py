"""The tables of maintenance.db: ids, numbers, positions and times in microseconds since 1970. No text."""

from sqlalchemy import Boolean, Column, Index, Integer, MetaData, Table, Text

SCHEMA = MetaData()

MEMORY = Table(
    "memory",
    SCHEMA,
    Column("scope", Text, primary_key=True),
    Column("memory_id", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("recorded_at", Integer, nullable=False),
    Column("model", Text),  # of its newest vector; null: none yet
    sqlite_with_rowid=False,
)
Index("memory_without_vector", MEMORY.c.position, sqlite_where=MEMORY.c.model.is_(None))

FACT = Table(
    "fact",
    SCHEMA,
    Column("scope", Text, primary_key=True),
    Column("memory_id", Text, primary_key=True),
    Column("topics", Integer, nullable=False),
    Column("is_active", Boolean, nullable=False),
    Column("is_enriched", Boolean, nullable=False),  # its neighbours have proposed topics
    Column("changed_at", Integer, nullable=False),  # position of the last event that changed it
    sqlite_with_rowid=False,
)

LOOKED_AT = Table(
    "looked_at",
    SCHEMA,
    Column("scope", Text, primary_key=True),
    Column("memory_id", Text, primary_key=True),
    Column("neighbours", Integer, nullable=False),  # embedded facts that there were when it was last looked at
    sqlite_with_rowid=False,
)

OPEN_SESSION = Table(
    "open_session",
    SCHEMA,
    Column("scope", Text, primary_key=True),
    Column("session_id", Text, primary_key=True),
    Column("number", Integer, nullable=False),  # of the last turn that was recorded
    Column("position", Integer, nullable=False),  # of that turn
    Column("recorded_at", Integer, nullable=False),  # of that turn
    Column("occurred_at", Integer, nullable=False),  # when the latest of its turns was said
    sqlite_with_rowid=False,
)

PERSON = Table(
    "person",
    SCHEMA,
    Column("scope", Text, primary_key=True),
    Column("idle_minutes", Integer, nullable=False),  # a row only where the person set it
    sqlite_with_rowid=False,
)
