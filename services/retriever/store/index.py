"""The index of the files: which scopes there are, the last event of each, and how far the log is applied. No names."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, select
from sqlalchemy.dialects.sqlite import insert

from shared.contracts.ids import Scope
from shared.runtime.sqlite import open_database

_schema = MetaData()
_meta = Table("meta", _schema, Column("key", Text, primary_key=True), Column("value", Text, nullable=False))
_scope = Table(
    "scope",
    _schema,
    Column("scope", Text, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    sqlite_with_rowid=False,
)
_missing = Table(
    "missing",
    _schema,
    Column("scope", Text, primary_key=True),
    Column("first", Integer, primary_key=True),
    Column("last", Integer, nullable=False),
)
_quarantine = Table(
    "quarantine", _schema, Column("position", Integer, primary_key=True), Column("reason", Text, nullable=False)
)
_SET_META = insert(_meta)
_SET_META = _SET_META.on_conflict_do_update(index_elements=["key"], set_={"value": _SET_META.excluded["value"]})
_SET_SCOPE = insert(_scope)
_SET_SCOPE = _SET_SCOPE.on_conflict_do_update(
    index_elements=["scope"],
    set_={"number": _SET_SCOPE.excluded["number"], "position": _SET_SCOPE.excluded["position"]},
)


class Last(NamedTuple):
    """The last event of a scope."""

    number: int
    position: int


class Index:
    """index.db, for several threads."""

    def __init__(self, path: Path) -> None:
        self._engine = open_database(path)
        self._lock = threading.Lock()
        _schema.create_all(self._engine)

    def close(self) -> None:
        """Close the file."""
        self._engine.dispose()

    def meta(self, key: str) -> str | None:
        """A value that concerns the whole projection."""
        with self._transaction() as db:
            return db.scalar(select(_meta.c.value).where(_meta.c.key == key))

    def set_meta(self, key: str, value: str) -> None:
        """Keep such a value."""
        with self._transaction() as db:
            db.execute(_SET_META, {"key": key, "value": value})

    def last(self, scopes: Sequence[Scope]) -> dict[Scope, Last]:
        """The last event of each of these scopes; a scope that is not known is left out."""
        with self._transaction() as db:
            rows = db.execute(select(_scope).where(_scope.c.scope.in_(scopes)))
            return {Scope(row.scope): Last(row.number, row.position) for row in rows}

    def scopes(self) -> list[Scope]:
        """All scopes, in order."""
        with self._transaction() as db:
            return [Scope(scope) for scope in db.scalars(select(_scope.c.scope).order_by(_scope.c.scope))]

    def save(self, last: Mapping[Scope, Last], position: int, missing: Sequence[tuple[Scope, int, int]] = ()) -> None:
        """Keep the last events and the checkpoint, in one transaction."""
        with self._transaction() as db:
            if last:
                rows = [{"scope": scope, "number": e.number, "position": e.position} for scope, e in last.items()]
                db.execute(_SET_SCOPE, rows)
            if missing:
                lost = [{"scope": scope, "first": first, "last": end} for scope, first, end in missing]
                db.execute(insert(_missing).on_conflict_do_nothing(), lost)
            db.execute(_SET_META, {"key": "position", "value": str(position)})

    def quarantine(self, position: int, reason: str) -> None:
        """Remember an event that could not be applied."""
        with self._transaction() as db:
            db.execute(insert(_quarantine).on_conflict_do_nothing(), {"position": position, "reason": reason})

    def quarantined(self) -> dict[int, str]:
        """Why events were put aside, by position."""
        with self._transaction() as db:
            return {row.position: row.reason for row in db.execute(select(_quarantine))}

    def missing(self) -> list[tuple[Scope, int, int]]:
        """Numbers that the log lacks: (scope, first, last)."""
        with self._transaction() as db:
            return [(Scope(row.scope), row.first, row.last) for row in db.execute(select(_missing))]

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with self._lock, self._engine.begin() as db:
            yield db
