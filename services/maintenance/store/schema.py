"""The tables of maintenance.db: ids, numbers, positions and times in microseconds since 1970. No text."""

from sqlalchemy import Boolean, Column, Float, Index, Integer, LargeBinary, MetaData, Text, text

from shared.domain.decay import DAY
from shared.runtime.chat_models.usage import usage_table
from shared.runtime.projection_file import table_by_scope

SCHEMA = MetaData()

MEMORY = table_by_scope(
    "memory",
    SCHEMA,
    Column("memory_id", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("recorded_at", Integer, nullable=False),
    Column("model", Text),  # of its newest vector; null: none yet
    Column("imported", Boolean, nullable=False),
)
Index("memory_without_vector", MEMORY.c.imported, MEMORY.c.position.desc(), sqlite_where=MEMORY.c.model.is_(None))

FACT = table_by_scope(
    "fact",
    SCHEMA,
    Column("memory_id", Text, primary_key=True),
    Column("topics", Integer, nullable=False),
    Column("is_active", Boolean, nullable=False),
    Column("is_enriched", Boolean, nullable=False),  # its neighbours have proposed topics
    Column("changed_at", Integer, nullable=False),  # position of the last event that changed it
)

FADING = table_by_scope(
    "fading",
    SCHEMA,
    Column("memory_id", Text, primary_key=True),
    Column("position", Integer, nullable=False),  # of the event that made it
    Column("log_confidence", Float, nullable=False),  # at the anchor
    Column("anchor", Integer, nullable=False),  # since when it fades
    Column("rate", Float, nullable=False),  # a day; 0: it does not fade
    Column("is_pinned", Boolean, nullable=False),
    Column("is_live", Boolean, nullable=False),
    Column("changed_at", Integer, nullable=False),  # position of the last event that changed it
)
FADES = "is_live AND NOT is_pinned"
"""At its rate. Without `AND rate > 0`: SQLite would seek by that, and read a whole rate to find the next one."""
ONCE_CERTAIN = f"(anchor + log_confidence * {DAY}.0 / rate)"
"""When its confidence would have been 1, had it faded before the anchor as it does after."""
Index(
    "fading_in_order",
    text("rate"),
    text(ONCE_CERTAIN),
    text("scope"),
    text("memory_id"),
    sqlite_where=text(FADES),
    _table=FADING,
)

MENTIONING_LITTLE = table_by_scope(
    "mentioning_little",
    SCHEMA,
    Column("memory_id", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("is_fact", Boolean, nullable=False),
    Column("is_active", Boolean, nullable=False),
    Column("is_read", Boolean, nullable=False),  # an accurate provider has looked for names
)
Index(
    "mentioning_little_unread",
    MENTIONING_LITTLE.c.is_fact,
    MENTIONING_LITTLE.c.position,
    sqlite_where=MENTIONING_LITTLE.c.is_active & ~MENTIONING_LITTLE.c.is_read,
)

LOOKED_AT = table_by_scope(
    "looked_at",
    SCHEMA,
    Column("memory_id", Text, primary_key=True),
    Column("neighbours", Integer, nullable=False),  # embedded facts that there were when it was last looked at
)

OPEN_SESSION = table_by_scope(
    "open_session",
    SCHEMA,
    Column("session", LargeBinary, primary_key=True),  # keyed
    Column("number", Integer, nullable=False),  # of the last turn that was recorded
    Column("position", Integer, nullable=False),  # of that turn, which names the session
    Column("recorded_at", Integer, nullable=False),  # of that turn
    Column("occurred_at", Integer, nullable=False),  # when the latest of its turns was said
)

PERSON = table_by_scope(
    "person",
    SCHEMA,
    Column("idle_minutes", Integer),  # null: not set
    Column("is_off", Boolean, nullable=False),  # memory is
    Column("retention_days", Integer),  # null: not set
)

JOB_RUN = table_by_scope(
    "job_run",
    SCHEMA,
    Column("run", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("job", Text, nullable=False),
    Column("asked_by", Text, nullable=False),
    Column("due_at", Integer, nullable=False),
    Column("began_at", Integer, nullable=False),
    Column("duration_ms", Integer, nullable=False),
    Column("ended", Text, nullable=False),
    Column("code", Text),
    Column("counts", Text, nullable=False),  # JSON
)
Index("job_run_by_job", JOB_RUN.c.job, JOB_RUN.c.position)

OLD_MEMORY = table_by_scope(
    "old_memory",
    SCHEMA,
    Column("memory_id", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("used_at", Integer, nullable=False),  # when it was recorded, told again, handed out or restored, the last time
    Column("recalls", Integer, nullable=False),
    Column("importance", Float, nullable=False),
    Column("pinned", Boolean, nullable=False),
    Column("kept", Boolean, nullable=False),  # saved by hand, confirmed or held back
    Column("is_live", Boolean, nullable=False),
    Column("restored", Integer, nullable=False),  # position of the event by which it was the last time; 0: never
    Column("rolled_up_at", Integer),
    Column("rolled_up_into", Text),
    Column("vector", Integer),  # position of the event with its newest vector
    Column("model", Text),  # of that vector
    Column("changed_at", Integer, nullable=False),  # position of the last event that changed it
)
Index("old_memory_rolled_up", OLD_MEMORY.c.rolled_up_at, sqlite_where=OLD_MEMORY.c.rolled_up_at.is_not(None))

ERASING = table_by_scope(
    "erasing",  # what retention forgets, until it is erased
    SCHEMA,
    Column("forget_id", Text, primary_key=True),
    Column("events", Integer, nullable=False),
)

REFLECTION = table_by_scope(
    "reflection",
    SCHEMA,
    Column("memory_id", Text, primary_key=True),
    Column("occurred_at", Integer, nullable=False),  # the end of the time that it tells of
)

LOST_REFLECTION = table_by_scope(
    "lost_reflection",
    SCHEMA,
    Column("occurred_at", Integer, primary_key=True),  # of the one that is to be written anew
    Column("position", Integer, nullable=False),  # of the memory_forgotten that says what is left of its sources
)

USAGE = usage_table(SCHEMA)
