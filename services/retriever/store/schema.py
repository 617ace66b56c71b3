"""The tables of one user's file. Times are microseconds since 1970; rows are named by the event that made them.

Source: ../reference/memory-system.md, "Database".
"""

from __future__ import annotations

from sqlalchemy import Column, Connection, Float, Index, Integer, LargeBinary, MetaData, Table, Text, UniqueConstraint

SCHEMA_VERSION = "4"

schema = MetaData()

memories = Table(
    "memories",
    schema,
    Column("number", Integer, primary_key=True),  # of its event: the rowid, equal in every rebuild
    Column("id", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("session_id", Text),
    Column("event_time", Integer, nullable=False),
    Column("created_at", Integer, nullable=False),
    Column("valid_until", Integer),  # null: active
    Column("confidence", Float, nullable=False),
    Column("access_count", Integer, nullable=False),
    Column("last_accessed", Integer),
    Column("source_ids", Text, nullable=False),  # JSON
    Column("source_role", Text),
    Column("speaker", Text),
    Column("message_id", Text),
    Column("tags", Text, nullable=False),  # JSON
    Column("attributes", Text, nullable=False),  # JSON: the bot's metadata
    Column("importance", Float, nullable=False),
    Column("manually_saved", Integer, nullable=False),
    Column("last_scores", Text),  # JSON
)
Index("memories_session", memories.c.session_id, memories.c.event_time, memories.c.number)
Index("memories_time", memories.c.event_time)

entities = Table(
    "entities",
    schema,
    Column("id", Text, primary_key=True),
    Column("canonical_name", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("aliases", Text, nullable=False),  # JSON: as they stood in the texts
    Column("mention_count", Integer, nullable=False),
)
Index("entities_name", entities.c.canonical_name)

memory_entities = Table(
    "memory_entities",
    schema,
    Column("number", Integer, primary_key=True),
    Column("entity_id", Text, primary_key=True),
    Column("start", Integer, primary_key=True),
    Column("end", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("confidence", Float, nullable=False),
)
Index("memory_entities_entity", memory_entities.c.entity_id)

speakers = Table("speakers", schema, Column("name", Text, primary_key=True), Column("turns", Integer, nullable=False))

sessions = Table(
    "sessions_consolidations",
    schema,
    Column("session_id", Text, primary_key=True),
    Column("first_seen_at", Integer, nullable=False),
    Column("completed_at", Integer),  # null: open
    Column("consolidated_at", Integer),  # null: pending
)

metadata = Table("memory_metadata", schema, Column("key", Text, primary_key=True), Column("value", Text, nullable=False))

days = Table(
    "memory_days",  # which days a memory's text speaks of, as of the day on which it was said
    schema,
    Column("number", Integer, primary_key=True),
    Column("first", Integer, primary_key=True),  # day 1 is 1 January of the year 1
    Column("last", Integer, primary_key=True),
)
Index("memory_days_first", days.c.first, days.c.last)

neighbours = Table(
    "neighbours",
    schema,
    Column("number", Integer, primary_key=True),
    Column("before1", Integer),  # the turns beside it in its session, nearest first
    Column("after1", Integer),
    Column("before2", Integer),
    Column("after2", Integer),
)

vectors = Table(
    "vec_memories",
    schema,
    Column("id", Integer, primary_key=True),  # not WITHOUT ROWID: long rows make such a table slow to scan
    Column("number", Integer, nullable=False),
    Column("model", Text, nullable=False),
    Column("embedding", LargeBinary, nullable=False),  # float32[dimensions]
    UniqueConstraint("number", "model"),
)

coarse_vectors = Table(
    "vec_coarse",
    schema,
    Column("id", Integer, primary_key=True),  # of the vector
    Column("model", Text, nullable=False),
    Column("bits", LargeBinary, nullable=False),  # the signs of its dimensions: 32 bytes instead of 1,024
)

FTS_COLUMNS = ("turn", "before1", "after1", "before2", "after2")
"""What is indexed of a turn: itself with its date, and its neighbours in the session, nearest first."""

_FTS = f"""CREATE VIRTUAL TABLE IF NOT EXISTS memories_fts USING fts5(
    {", ".join(FTS_COLUMNS)}, tokenize='porter unicode61 remove_diacritics 2')"""

DIGESTED = (memories, entities, memory_entities, speakers, sessions, days, neighbours, vectors, coarse_vectors, metadata)
"""Every table but the index over their texts, which is digested by its content."""


def create(db: Connection) -> None:
    """Make the tables that are missing."""
    schema.create_all(db)
    db.exec_driver_sql(_FTS)


def missing(db: Connection) -> set[str]:
    """The tables that are not there."""
    there = set(db.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars())
    return {*schema.tables, "memories_fts"} - there


def is_sound(db: Connection) -> bool:
    """Tell whether all tables are there and whole, the full-text index included."""
    return not missing(db) and db.exec_driver_sql("PRAGMA quick_check(1)").scalar() == "ok"
