"""The tables of one user's file. Times are microseconds since 1970; rows are named by the event that made them.

Source: ../reference/memory-system.md, "Database".
"""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    select,
)
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.schema import CreateIndex, CreateTable

from shared.runtime.sqlite import has_vec0, open_database, rows

SCHEMA_VERSION = "22" if has_vec0() else "9022"
"""Raise it with every change of the tables. The retriever rebuilds files of another version from the log."""

schema = MetaData()

memories = Table(
    "memories",
    schema,
    Column("number", Integer, primary_key=True),  # of its event: the rowid, equal in every rebuild
    Column("id", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("session_id", Text),
    Column("event_time", Integer, nullable=False),
    Column("created_at", Integer, nullable=False),
    Column("valid_until", Integer),  # null: active; else when it ended
    Column("status", Text, nullable=False),  # Standing
    Column("ended_because", Text),  # corrected, conflict, trimmed, decayed, rolled_up, denied, undone, held_back
    Column("superseded_by", Text),  # id of the fact in its place
    Column("supersedes", Text),  # id of the fact in whose place it stands
    Column("confidence", Float, nullable=False),  # at the anchor
    Column("confidence_at", Integer, nullable=False),  # the anchor of decay
    Column("decay_rate", Float, nullable=False),  # a day; 0: none
    Column("access_count", Integer, nullable=False),
    Column("last_accessed", Integer),
    Column("source_role", Text),
    Column("speaker", Text),
    Column("importance", Float, nullable=False),
    Column("metadata_confidence", Float, nullable=False),
    Column("enriched_at", Integer),
    Column("manually_saved", Integer, nullable=False),
    Column("pinned", Integer, nullable=False),
    Column("repeat_count", Integer, nullable=False),
    Column("traits", Integer, nullable=False),  # of its words: `word_traits`
    Column("content", Text, nullable=False),  # long columns last: those before them are read without their pages
    Column("message_id", Text),
    Column("source_ids", Text, nullable=False),  # JSON
    Column("tags", Text, nullable=False),  # JSON
    Column("attributes", Text, nullable=False),  # JSON: the bot's metadata
    Column("importance_parts", Text, nullable=False),  # JSON
    Column("echoes", Text, nullable=False),  # JSON
    Column("slots", Text, nullable=False),  # JSON: what a fact states
    Column("origin", Text),  # JSON: what extracted a fact; null: it was told as one
    Column("last_scores", Text),  # JSON
)
Index("memories_session", memories.c.session_id, memories.c.event_time, memories.c.number)
Index("memories_time", memories.c.event_time)
Index("memories_pinned", memories.c.number, sqlite_where=memories.c.pinned == 1)
Index("memories_reflections", memories.c.event_time, sqlite_where=memories.c.kind == "reflection")

fact_slots = Table(
    "fact_slots",  # of what facts state something
    schema,
    Column("number", Integer, primary_key=True),  # of the fact
    Column("place", Integer, primary_key=True),  # of the slot
    Column("subject", Text, nullable=False),
    Column("attribute", Text, nullable=False),
)
Index("fact_slots_attribute", fact_slots.c.attribute, fact_slots.c.subject)

texts = Table(
    "memory_texts",  # what a fact was told as when it was told again
    schema,
    Column("number", Integer, primary_key=True),  # of the event that says so
    Column("event", Text, nullable=False),  # the id of it: undoing names it
    Column("memory", Integer, nullable=False),  # number of the memory
    Column("content", Text, nullable=False),
    Column("event_time", Integer, nullable=False),
    Column("created_at", Integer, nullable=False),
    Column("match", Text, nullable=False),
    Column("distance", Integer),
    Column("similarity", Float),
    Column("session_id", Text),
    Column("message_id", Text),
    Column("run_id", Text),  # of the consolidation run that told it
)
Index("memory_texts_memory", texts.c.memory)

supersessions = Table(
    "supersessions",  # stays where the old fact is restored: it is what happened
    schema,
    Column("number", Integer, primary_key=True),
    Column("old", Text, nullable=False),
    Column("new", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Integer, nullable=False),
)
Index("supersessions_old", supersessions.c.old)
Index("supersessions_new", supersessions.c.new)

conflicts = Table(
    "conflicts",  # questions which of two facts holds; closed ones stay, so that they are not asked again
    schema,
    Column("id", Text, primary_key=True),
    Column("number", Integer, nullable=False),  # of the event that raised it
    Column("older", Text, nullable=False),
    Column("newer", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", Integer, nullable=False),
    Column("is_pending", Integer, nullable=False),
)

outdatings = Table(
    "outdatings",  # of facts of which a part does not hold any more
    schema,
    Column("number", Integer, primary_key=True),
    Column("old", Text, nullable=False),
    Column("new", Text, nullable=False),
    Column("slots", Text, nullable=False),  # JSON: which of the old fact's
    Column("at", Integer, nullable=False),
)
Index("outdatings_old", outdatings.c.old)

fact_sources = Table(
    "fact_sources",
    schema,
    Column("source", Text, primary_key=True),  # id of a turn, or a reference outside
    Column("fact", Integer, primary_key=True),  # number of the fact that rests on it
)
Index("fact_sources_fact", fact_sources.c.fact)

entities = Table(
    "entities",
    schema,
    Column("id", Text, primary_key=True),
    Column("canonical_name", Text, nullable=False),  # case folded
    Column("type", Text, nullable=False),
    Column("name", Text, nullable=False),  # to show
    Column("aliases", Text, nullable=False),  # JSON: as they stood in the texts, the most frequent first
    Column("mention_count", Integer, nullable=False),
)
Index("entities_name", entities.c.canonical_name)

entity_aliases = Table(
    "entity_aliases",  # every name that was mentioned, and whom it names
    schema,
    Column("id", Text, primary_key=True),  # the entity that it would be alone
    Column("entity_id", Text, nullable=False),  # the entity that it is: another one after a merge
    Column("alias", Text, nullable=False),  # case folded
    Column("type", Text, nullable=False),
    Column("head", Text, nullable=False),  # first word
    Column("spellings", Text, nullable=False),  # JSON: how often it was written in which way
)
Index("entity_aliases_alias", entity_aliases.c.alias)
Index("entity_aliases_head", entity_aliases.c.head, entity_aliases.c.type)
Index("entity_aliases_entity", entity_aliases.c.entity_id)

memory_entities = Table(
    "memory_entities",
    schema,
    Column("number", Integer, primary_key=True),  # of the memory
    Column("source", Integer, primary_key=True),  # of the event with the text in which it stands
    Column("start", Integer, primary_key=True),
    Column("alias_id", Text, primary_key=True),
    Column("entity_id", Text, nullable=False),
    Column("end", Integer, nullable=False),
    Column("name", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("confidence", Float, nullable=False),
)
Index("memory_entities_entity", memory_entities.c.entity_id)
Index("memory_entities_alias", memory_entities.c.alias_id)

entity_merges = Table(
    "entity_merges",  # what people said about which entities are one
    schema,
    Column("id", Text, primary_key=True),  # of an entity that is none of its own; or a name that is one all the same
    Column("is_apart", Boolean, primary_key=True),  # the second: the likeness of names does not count for it
    Column("other", Text, nullable=False),  # the entity that it is, or was
    Column("number", Integer, nullable=False),  # of the event that says so
)

speakers = Table("speakers", schema, Column("name", Text, primary_key=True), Column("turns", Integer, nullable=False))

sessions = Table(
    "sessions_consolidations",
    schema,
    Column("session_id", Text, primary_key=True),
    Column("first_seen_at", Integer, nullable=False),
    Column("completed_at", Integer),  # null: open
    Column("consolidated_at", Integer),  # null: pending
)

runs = Table(
    "consolidation_runs",
    schema,
    Column("number", Integer, primary_key=True),  # of the event by which it ended
    Column("session_id", Text, nullable=False),
    Column("run_id", Text, nullable=False),
    Column("extractor", Text, nullable=False),
    Column("model", Text),
    Column("facts", Integer, nullable=False),
    Column("through_number", Integer, nullable=False),  # of the session_completed whose turns it read
    Column("at", Integer, nullable=False),
    Column("undone_at", Integer),
)
Index("consolidation_runs_session", runs.c.session_id)

metadata = Table("memory_metadata", schema, Column("key", Text, primary_key=True), Column("value", Text, nullable=False))

incognito = Table("incognito", schema, Column("session_id", Text, primary_key=True))

chat_commands = Table(
    "chat_commands",  # by the turn that was read as one
    schema,
    Column("message_id", Text, primary_key=True),
    Column("command", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("memory_ids", Text, nullable=False),  # JSON
    Column("erase_at", Integer),  # until when what it forgot can be taken back
    Column("forgetting", Integer),  # the number of that
)
shared_tags = Table(
    "shared_tags",  # that other spaces of the person read, or once did
    schema,
    Column("tag_key", Text, primary_key=True),  # in any case
    Column("recipient", Text, primary_key=True),  # keyed hash of the other space and the person
    Column("tag", Text, nullable=False),
    Column("with_space", Text, nullable=False),
    Column("own_space", Text, nullable=False),
    Column("number", Integer, nullable=False),  # of the event that said so last
    Column("at", Integer, nullable=False),
    Column("is_on", Integer, nullable=False),
)

days = Table(
    "memory_days",  # which days a memory's text speaks of, as of the day on which it was said
    schema,
    Column("number", Integer, primary_key=True),
    Column("first", Integer, primary_key=True),  # day 1 is 1 January of the year 1
    Column("last", Integer, primary_key=True),
)
Index("memory_days_first", days.c.first, days.c.last)

vectors = Table(
    "vec_memories",
    schema,
    Column("id", Integer, primary_key=True),  # not WITHOUT ROWID: long rows make such a table slow to scan
    Column("number", Integer, nullable=False),
    Column("model", Text, nullable=False),
    Column("embedding", LargeBinary, nullable=False),  # float16[dimensions], as events hold it
    UniqueConstraint("number", "model"),
)

vector_models = Table(
    "vector_models",  # of which vectors came; `vec0` has a table `vec_signs_<id>` for each
    schema,
    Column("id", Integer, primary_key=True),
    Column("model", Text, nullable=False),
    Column("dimensions", Integer, nullable=False),
    UniqueConstraint("model", "dimensions"),
)

DIGESTED = (
    *(
        memories,
        fact_slots,
        texts,
        supersessions,
        outdatings,
        conflicts,
        fact_sources,
        entities,
        entity_aliases,
        memory_entities,
        entity_merges,
    ),
    *(speakers, sessions, runs, days, vectors, metadata, incognito, chat_commands, shared_tags),
)
"""All tables except `vector_models`, whose rows follow from the vectors."""

EVERY_ROW = {table.name: str(select(table).order_by(*table.primary_key.columns)) for table in DIGESTED}
"""What the projection digest is made of, in this order. Read as text: there are many rows."""

WORDS = "memory_words"
_WORDS = f"""
CREATE VIRTUAL TABLE IF NOT EXISTS {WORDS} USING fts5(
  said, dated, tags, tokenize='porter unicode61 remove_diacritics 2', content=''
)
"""
"""The index of words. Raise SCHEMA_VERSION when `search/indexing.py`, or a function that it calls, changes."""

_TABLES = (
    [str(CreateTable(table, if_not_exists=True).compile(dialect=dialect())) for table in schema.sorted_tables]
    + [
        str(CreateIndex(index, if_not_exists=True).compile(dialect=dialect()))
        for table in schema.sorted_tables
        for index in sorted(table.indexes, key=lambda index: str(index.name))
    ]
    + [_WORDS]
)
"""Made once: every person has a file."""


def create(db: Connection) -> None:
    """Make the tables that are missing."""
    for statement in _TABLES:
        db.exec_driver_sql(statement)


@cache
def empty_file(page_size: int) -> bytes:
    """A file with all tables and no row: written at once, where making the tables takes longer than filling them."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "empty.db"
        engine = open_database(file, page_size=page_size, sync=False)
        with engine.begin() as db:
            create(db)
            db.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")
        engine.dispose()
        return file.read_bytes()


def missing(db: Connection) -> set[str]:
    """The names of the tables that the file lacks."""
    there = {name for (name,) in rows(db, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    return {*schema.tables, WORDS} - there


def has_rows(db: Connection) -> bool:
    """True if anything at all is known of the person."""
    there = " OR ".join(f"EXISTS (SELECT 1 FROM {table.name})" for table in DIGESTED)
    return bool(db.exec_driver_sql(f"SELECT {there}").scalar())


def is_sound(db: Connection) -> bool:
    """True if all tables are there and whole."""
    return not missing(db) and db.exec_driver_sql("PRAGMA quick_check(1)").scalar() == "ok"
