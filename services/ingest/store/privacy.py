"""The rows of what a person does not want kept, and of forgettings."""

from collections.abc import Sequence

from sqlalchemy import Column, Connection, Integer, LargeBinary, MetaData, Table, Text
from sqlalchemy.dialects.sqlite import insert

from services.ingest.domain.lacks import Needs
from services.ingest.domain.private import DIGEST_BYTES, Privacy, Question, Stone
from services.ingest.domain.survivors import Survivors
from services.ingest.domain.telling import TellingWords
from services.ingest.store.changes import Erasures, Forgetting
from services.ingest.store.field_columns import FieldColumns
from services.ingest.store.schema import (
    CALLED,
    CLAIM,
    FACT,
    HANDED_OUT,
    LIKENESS,
    LIKENESSES,
    MEMORY,
    SCHEMA,
    SOURCE,
    all_of,
    changed,
    look_up,
    of_scope,
    texts,
    upsert,
)
from services.ingest.store.session_names import SessionNames, session_key_column
from shared.contracts.ids import CommandId, Scope
from shared.runtime.projection_file import table_by_scope
from shared.runtime.sqlite import driver

_TELLINGS = FieldColumns(TellingWords)
_STONES, _QUESTIONS, _FORGETTINGS = (
    FieldColumns(Stone, apart={"likeness", "telling"}),
    FieldColumns(Question),
    FieldColumns(Forgetting),
)
TOMBSTONE = table_by_scope(
    "tombstone",
    SCHEMA,
    *LIKENESSES.columns(keys={"digest"}),
    *_STONES.columns(),
    *_TELLINGS.columns(),
)
FORGOTTEN = table_by_scope(
    "forgotten",
    SCHEMA,
    *texts("kind"),  # command or value
    Column("digest", LargeBinary, primary_key=True),
)
INCOGNITO = table_by_scope(
    "incognito",
    SCHEMA,
    session_key_column(),
    Column("is_on", Integer, nullable=False),  # 0: somebody said that it is to be kept
)
QUESTION = table_by_scope("question", SCHEMA, session_key_column(), *_QUESTIONS.columns())
FORGETTING = Table("forgetting", SCHEMA, *_FORGETTINGS.columns(keys={"scope", "forget_id"}), sqlite_with_rowid=False)
TO_REBUILD = Table("refold", MetaData(), Column("scope", Text, primary_key=True), Column("slot", Integer, nullable=False))
"""Table of the scopes to rebuild. Not part of the digest: a rebuild has none."""

_AT_ONCE = 500
_FORGET = """
WITH RECURSIVE place (start) AS (SELECT 1 UNION ALL SELECT start + :size FROM place WHERE start + :size <= length(:digests))
INSERT OR IGNORE INTO forgotten (scope, kind, digest)
SELECT :scope, :kind, substr(:digests, start, :size) AS digest FROM place ORDER BY digest
"""
PRIVATE = (TOMBSTONE, FORGOTTEN, INCOGNITO, QUESTION)


def load_privacy(db: Connection, scope: Scope, need: Needs, names: SessionNames) -> Privacy:
    """Load the privacy of a scope, with those sessions, forgotten commands and values that are needed."""
    stones = all_of(db, TOMBSTONE, scope=scope)
    asked = names.keys(need.sessions)
    sessions = all_of(db, INCOGNITO, scope=scope)
    questions = look_up(db, QUESTION, asked, column="session", scope=scope)
    commands = _forgotten(db, scope, "command", [bytes.fromhex(command) for command in need.commands])
    return Privacy(
        tombstones={
            row.digest: _STONES.read(row, likeness=LIKENESSES.read(row), telling=_TELLINGS.read(row)) for row in stones
        },
        forgotten_commands=frozenset(CommandId(raw.hex()) for raw in commands),
        forgotten_values=frozenset(_forgotten(db, scope, "value", sorted(need.values))),
        incognito=frozenset(asked[row.session] for row in sessions if row.is_on and row.session in asked),
        kept=frozenset(asked[row.session] for row in sessions if not row.is_on and row.session in asked),
        questions={asked[row.session]: _QUESTIONS.read(row) for row in questions},
        is_elsewhere_incognito=any(row.is_on and row.session not in asked for row in sessions),
        waiting=_waiting(db, scope),
        is_any=True,
    )


def _waiting(db: Connection, scope: Scope) -> dict[str, int]:
    rows = driver(db).execute("SELECT forget_id, number FROM forgetting WHERE scope = ? AND erase_at IS NOT NULL", (scope,))
    return dict(rows.fetchall())


# SQLite joins the digests itself: to fetch ten thousand rows takes three times as long. Turns are told as by SeenCommand.
_TOLD = """
SELECT CAST(group_concat(command_id, '') AS BLOB),
       CAST(group_concat(CASE WHEN memory_id >= 'ep_' AND memory_id < 'ep`' THEN content END, '') AS BLOB)
FROM seen WHERE scope = ? AND content IS NOT NULL
"""
_BEFORE = """
SELECT CAST(group_concat(CASE kind WHEN 'command' THEN digest END, '') AS BLOB),
       CAST(group_concat(CASE kind WHEN 'value' THEN digest END, '') AS BLOB)
FROM forgotten WHERE scope = ?
"""
_MEMORIES = "SELECT count(*) FROM memory WHERE scope = ?"


def load_survivors(db: Connection, scope: Scope) -> Survivors:
    """Load what must survive when a person is forgotten: digests of what was told, and of what was forgotten before."""
    told, before, [memories] = (driver(db).execute(query, (scope,)).fetchone() for query in (_TOLD, _BEFORE, _MEMORIES))
    commands, values = ((new or b"") + (old or b"") for new, old in zip(told, before, strict=True))
    return Survivors(commands, values, memories)


def save_privacy(db: Connection, scope: Scope, before: Privacy, after: Privacy, names: SessionNames) -> None:
    """Write the rows that differ."""
    if before is after:
        return
    _save_tombstones(db, scope, before, after)
    _save_forgotten(db, scope, "command", bytes.fromhex("".join(after.forgotten_commands - before.forgotten_commands)))
    _save_forgotten(db, scope, "value", b"".join(after.forgotten_values - before.forgotten_values))
    switched = [
        *({"scope": scope, "session": names.key(each), "is_on": 1} for each in after.incognito - before.incognito),
        *({"scope": scope, "session": names.key(each), "is_on": 0} for each in after.kept - before.kept),
    ]
    if switched:
        upsert(db, INCOGNITO, switched)
    if closed := [names.key(each) for each in before.questions.keys() - after.questions.keys()]:
        db.execute(QUESTION.delete().where(QUESTION.c.scope == scope, QUESTION.c.session.in_(closed)))
    asked = changed(before.questions, after.questions)
    upsert(db, QUESTION, [_QUESTIONS.row(question, scope=scope, session=names.key(each)) for each, question in asked])


def _save_forgotten(db: Connection, scope: Scope, kind: str, digests: bytes) -> None:
    """Write all digests in one statement: there may be ten thousand, and other threads would run after each row."""
    if digests:
        db.exec_driver_sql(_FORGET, {"digests": digests, "size": DIGEST_BYTES, "scope": scope, "kind": kind})


def _save_tombstones(db: Connection, scope: Scope, before: Privacy, after: Privacy) -> None:
    if before.tombstones is after.tombstones:
        return
    gone = [digest for digest in before.tombstones if digest not in after.tombstones]
    if gone:
        db.execute(TOMBSTONE.delete().where(TOMBSTONE.c.scope == scope, TOMBSTONE.c.digest.in_(gone)))
    rows = [
        LIKENESSES.row(stone.likeness, scope=scope, **_STONES.row(stone), **_TELLINGS.row(stone.telling))
        for _, stone in changed(before.tombstones, after.tombstones)
    ]
    upsert(db, TOMBSTONE, rows)


def _forgotten(db: Connection, scope: Scope, kind: str, digests: Sequence[bytes]) -> list[bytes]:
    found: list[bytes] = []
    for start in range(0, len(digests), _AT_ONCE):
        these = digests[start : start + _AT_ONCE]
        asked = ", ".join("?" * len(these))
        statement = f"SELECT digest FROM forgotten WHERE scope = ? AND kind = ? AND digest IN ({asked})"
        found += [digest for (digest,) in driver(db).execute(statement, (scope, kind, *these))]
    return found


def save_erasures(db: Connection, erasures: Erasures) -> None:
    """Write forgettings that began, and what became of others."""
    for scope in erasures.restarted:
        db.execute(FORGETTING.delete().where(FORGETTING.c.scope == scope))
    for forgetting in erasures.begun:
        statement = insert(FORGETTING).values(forgetting._asdict())
        new = statement.excluded
        more = {"number": new.number, "forgotten_at": new.forgotten_at}
        sums = {name: FORGETTING.c[name] + new[name] for name in ("memories", "events")}  # a large one is several events
        is_new = new.number > FORGETTING.c.number  # a rebuild of the scope that a crash cut off brings events again
        key = ["scope", "forget_id"]
        db.execute(statement.on_conflict_do_update(index_elements=key, set_=more | sums, where=is_new))
    for scope, gone in erasures.gone.items():
        for table in (MEMORY, FACT, LIKENESS, CALLED, CLAIM, SOURCE, HANDED_OUT):
            for start in range(0, len(gone), _AT_ONCE):
                these = table.c.memory_id.in_(gone[start : start + _AT_ONCE])
                db.execute(table.delete().where(of_scope(table, scope), these))
    for scope, forget_id, values in erasures.changed:
        this = (FORGETTING.c.scope == scope) & (FORGETTING.c.forget_id == forget_id)
        db.execute(FORGETTING.update().where(this).values(values))
