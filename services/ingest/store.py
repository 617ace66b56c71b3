"""ingest.db: what ingest must recognise, as ids, numbers and keyed digests. No text."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Column, Connection, Integer, LargeBinary, MetaData, Table, Text, func, select
from sqlalchemy.dialects.sqlite import Insert, insert

from services.ingest.domain.state import KnownMemory, ScopeState, Seen, Session
from shared.contracts.ids import CommandId, MemoryId, Scope, SessionId, Slot
from shared.contracts.parts import Kind
from shared.runtime.sqlite import delete_database, open_database

SCHEMA_VERSION = "2"
_SCHEMA = "schema_version"
_SEND_ID = "send_id"
_KEPT_DECISIONS = 200_000
"""Outcomes can be asked by sequence for this many messages back; by message_id for ever."""

_schema = MetaData()
_meta = Table("meta", _schema, Column("key", Text, primary_key=True), Column("value", Text, nullable=False))
_slot = Table(
    "slot",
    _schema,
    Column("slot", Integer, primary_key=True),
    Column("position", Integer, nullable=False),  # MEMORY is applied up to here
    Column("decided", Integer, nullable=False),  # SEND is decided up to here
)
_scope = Table(
    "scope",
    _schema,
    Column("scope", Text, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    sqlite_with_rowid=False,
)
_session = Table(
    "session",
    _schema,
    Column("scope", Text, primary_key=True),
    Column("session_id", Text, primary_key=True),
    Column("is_open", Integer, nullable=False),
    Column("user_spoke", Integer, nullable=False),
    Column("turns", Integer, nullable=False),
    Column("last_occurred_at", Integer, nullable=False),  # microseconds since 1970
    sqlite_with_rowid=False,
)
_seen = Table(
    "seen",
    _schema,
    Column("scope", Text, primary_key=True),
    Column("command_id", LargeBinary, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("memory_id", Text),
    Column("content", LargeBinary),
    sqlite_with_rowid=False,
)
_memory = Table(
    "memory",
    _schema,
    Column("scope", Text, primary_key=True),
    Column("memory_id", Text, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    sqlite_with_rowid=False,
)
_decision = Table(
    "decision",
    _schema,
    Column("sequence", Integer, primary_key=True),  # in SEND
    Column("scope", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("memory_id", Text),
    Column("code", Text),
)
_missing = Table(
    "missing",
    _schema,
    Column("scope", Text, primary_key=True),
    Column("first", Integer, primary_key=True),
    Column("last", Integer, nullable=False),
)


def _upsert_into(table: Table) -> Insert:
    statement = insert(table)
    keys = [column.name for column in table.primary_key.columns]
    values = {column.name: statement.excluded[column.name] for column in table.columns if column.name not in keys}
    return statement.on_conflict_do_update(index_elements=keys, set_=values)


_UPSERT = {table.name: _upsert_into(table) for table in _schema.sorted_tables}


@dataclass(frozen=True, slots=True)
class Needs:
    """What a decision or an event needs to know of a scope."""

    sessions: set[SessionId] = field(default_factory=set)
    commands: set[CommandId] = field(default_factory=set)
    memories: set[MemoryId] = field(default_factory=set)

    def add(self, other: Needs) -> None:
        """Need all of the other as well."""
        self.sessions.update(other.sessions)
        self.commands.update(other.commands)
        self.memories.update(other.memories)


class Decision(NamedTuple):
    """What one message of SEND came to."""

    sequence: int
    scope: Scope
    number: int
    position: int
    memory_id: str | None
    code: str | None


@dataclass(frozen=True, slots=True)
class Changes:
    """Everything that one transaction writes."""

    before: Mapping[Scope, ScopeState]
    after: Mapping[Scope, ScopeState]
    slots: Sequence[Slot]
    position: int
    decided: Mapping[Slot, int] = field(default_factory=dict)
    decisions: Sequence[Decision] = ()
    missing: Sequence[tuple[Scope, int, int]] = ()


def open_store(folder: Path) -> Store:
    """The store in this folder; one of an older schema is dropped, for it can be built again."""
    path = folder / "ingest.db"
    store = Store(path)
    if store.meta(_SCHEMA) not in {None, SCHEMA_VERSION}:
        store.close()
        delete_database(path)
        store = Store(path)
    store.set_meta(_SCHEMA, SCHEMA_VERSION)
    return store


class Store:
    """The one connection to ingest.db, shared by all lanes: each call is one transaction."""

    def __init__(self, path: Path) -> None:
        self._engine = open_database(path)
        self._lock = threading.Lock()
        _schema.create_all(self._engine)
        self._slots = self._load_slots()

    def close(self) -> None:
        """Close the file, when nobody writes any more."""
        with self._lock:
            self._engine.dispose()

    def meta(self, key: str) -> str | None:
        """A value that concerns the whole database."""
        with self._transaction() as db:
            return db.scalar(select(_meta.c.value).where(_meta.c.key == key))

    def set_meta(self, key: str, value: str) -> None:
        """Keep such a value."""
        with self._transaction() as db:
            _upsert(db, _meta, [{"key": key, "value": value}])

    def follow_send(self, send_id: str) -> None:
        """Remember which SEND stream the sequences belong to; those of another one mean nothing."""
        if self.meta(_SEND_ID) not in {None, send_id}:
            with self._transaction() as db:
                db.execute(_slot.update().values(decided=0))
                db.execute(_decision.delete())
            self._slots = self._load_slots()
        self.set_meta(_SEND_ID, send_id)

    def slots(self) -> dict[Slot, tuple[int, int]]:
        """For each slot: how far MEMORY is applied, and how far SEND is decided."""
        return dict(self._slots)

    def _load_slots(self) -> dict[Slot, tuple[int, int]]:
        with self._transaction() as db:
            return {Slot(row.slot): (row.position, row.decided) for row in db.execute(select(_slot))}

    def load(self, needs: Mapping[Scope, Needs]) -> dict[Scope, ScopeState]:
        """The states of these scopes: open sessions, and the sessions and commands that are needed."""
        with self._transaction() as db:
            return {scope: _load(db, scope, need) for scope, need in needs.items()}

    def save(self, changes: Changes) -> None:
        """Write what changed, with the checkpoint, in one transaction."""
        with self._transaction() as db:
            for scope, state in changes.after.items():
                _save(db, scope, changes.before[scope], state)
            _upsert(db, _decision, [decision._asdict() for decision in changes.decisions])
            _upsert(db, _missing, [{"scope": s, "first": a, "last": b} for s, a, b in changes.missing])
            _upsert(db, _slot, self._moved(changes))

    def _moved(self, changes: Changes) -> list[dict[str, int]]:
        for slot in changes.slots:
            position, decided = self._slots.get(slot, (0, 0))
            self._slots[slot] = (max(position, changes.position), max(decided, changes.decided.get(slot, 0)))
        written = changes.slots if changes.position else changes.decided
        return [{"slot": slot, "position": self._slots[slot][0], "decided": self._slots[slot][1]} for slot in written]

    def forget_decisions(self, before: int) -> None:
        """Drop outcomes by sequence that nobody asks for any more."""
        with self._transaction() as db:
            db.execute(_decision.delete().where(_decision.c.sequence < before - _KEPT_DECISIONS))

    def decision(self, scope: Scope, sequence: int) -> Decision | None:
        """What a message of this scope came to; None if it led to no event, or is another scope's."""
        with self._transaction() as db:
            query = select(_decision).where(_decision.c.sequence == sequence, _decision.c.scope == scope)
            row = db.execute(query).first()
        return Decision(*row) if row else None

    def last_position(self) -> int:
        """The position of the newest event that is known."""
        with self._transaction() as db:
            return db.scalar(select(func.max(_scope.c.position))) or 0

    def missing(self) -> list[tuple[Scope, int, int]]:
        """Numbers that the log lacks: (scope, first, last)."""
        with self._transaction() as db:
            return [(Scope(row.scope), row.first, row.last) for row in db.execute(select(_missing))]

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with self._lock, self._engine.begin() as db:
            yield db

    def digest(self) -> str:
        """The projection digest: every row that follows from the log alone."""
        hashed = hashlib.blake2b(digest_size=16)
        with self._transaction() as db:
            for table in (_scope, _session, _seen, _memory, _missing):
                for row in db.execute(select(table).order_by(*table.primary_key.columns)):
                    hashed.update(json.dumps([table.name, *row], default=bytes.hex).encode())
        return hashed.hexdigest()


def _load(db: Connection, scope: Scope, need: Needs) -> ScopeState:
    row = db.execute(select(_scope.c.number, _scope.c.position).where(_scope.c.scope == scope)).first()
    if row is None:
        return ScopeState()
    wanted = (_session.c.is_open == 1) | _session.c.session_id.in_(need.sessions)
    sessions = db.execute(select(_session).where(_session.c.scope == scope, wanted))
    ids = [bytes.fromhex(command) for command in need.commands]
    seen = db.execute(select(_seen).where(_seen.c.scope == scope, _seen.c.command_id.in_(ids))) if ids else ()
    wanted_memories = select(_memory).where(_memory.c.scope == scope, _memory.c.memory_id.in_(need.memories))
    known = db.execute(wanted_memories) if need.memories else ()
    return ScopeState(
        number=row.number,
        position=row.position,
        sessions={SessionId(s.session_id): _as_session(s.is_open, s.user_spoke, s.turns, s.last_occurred_at) for s in sessions},
        seen={
            CommandId(s.command_id.hex()): Seen(s.number, s.position, MemoryId(s.memory_id) if s.memory_id else None, s.content)
            for s in seen
        },
        memories={MemoryId(m.memory_id): KnownMemory(m.number, Kind(m.kind)) for m in known},
    )


def _as_session(is_open: int, user_spoke: int, turns: int, last: int) -> Session:
    seconds, microseconds = divmod(last, 1_000_000)
    moment = datetime.fromtimestamp(seconds, UTC).replace(microsecond=microseconds)
    return Session(is_open=bool(is_open), user_spoke=bool(user_spoke), turns=turns, last_occurred_at=moment)


def _microseconds(moment: datetime) -> int:
    return int(moment.replace(microsecond=0).timestamp()) * 1_000_000 + moment.microsecond


def _save(db: Connection, scope: Scope, before: ScopeState, after: ScopeState) -> None:
    _upsert(db, _scope, [{"scope": scope, "number": after.number, "position": after.position}])
    sessions = [
        {
            "scope": scope,
            "session_id": session_id,
            "is_open": int(session.is_open),
            "user_spoke": int(session.user_spoke),
            "turns": session.turns,
            "last_occurred_at": _microseconds(session.last_occurred_at),
        }
        for session_id, session in after.sessions.items()
        if before.sessions.get(session_id) is not session
    ]
    _upsert(db, _session, sessions)
    seen = [
        {
            "scope": scope,
            "command_id": bytes.fromhex(command_id),
            "number": entry.number,
            "position": entry.position,
            "memory_id": entry.memory_id,
            "content": entry.content,
        }
        for command_id, entry in after.seen.items()
        if before.seen.get(command_id) is not entry
    ]
    _upsert(db, _seen, seen)
    memories = [
        {"scope": scope, "memory_id": memory_id, "number": memory.number, "kind": memory.kind.value}
        for memory_id, memory in after.memories.items()
        if before.memories.get(memory_id) is not memory
    ]
    _upsert(db, _memory, memories)


def _upsert(db: Connection, table: Table, rows: Sequence[Mapping[str, object]]) -> None:
    if rows:
        db.execute(_UPSERT[table.name], list(rows))
