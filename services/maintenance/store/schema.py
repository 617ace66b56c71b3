"""The tables of maintenance.db: ids, numbers, positions and times in microseconds since 1970. No text."""

from __future__ import annotations

from sqlalchemy import Column, Integer, MetaData, Table, Text

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
