"""The index of the files: which scopes there are, the last event of each, and how far the log is applied. No names."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, select
from sqlalchemy.dialects.sqlite import insert

from shared.contracts.ids import Scope
from shared.domain.gaps import Range
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
_to_rebuild = Table("replay", _schema, Column("scope", Text, primary_key=True))
_SET_META = insert(_meta)
_SET_META = _SET_META.on_conflict_do_update(index_elements=["key"], set_={"value": _SET_META.excluded["value"]})
_SET_SCOPE = insert(_scope)
_SET_SCOPE = _SET_SCOPE.on_conflict_do_update(
    index_elements=["scope"],
    set_={"number": _SET_SCOPE.excluded["number"], "position": _SET_SCOPE.excluded["position"]},
)
_MOST_KEPT = 10_000
"""Of so many scopes the last event is kept in memory."""


class Last(NamedTuple):
    """The last event of a scope."""

    number: int
    position: int


class Index:
    """index.db, for several threads."""

    def __init__(self, path: Path) -> None:
        self._engine = open_database(path)
        self._lock = threading.Lock()
        self._requests: dict[Scope, int] = {}
        self._last: dict[Scope, Last] = {}
        _schema.create_all(self._engine)

    def close(self) -> None:
        """Close the file, when nobody uses it any more."""
        with self._lock:
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
        with self._lock:
            found = {scope: self._last[scope] for scope in scopes if scope in self._last}
            if unknown := [scope for scope in scopes if scope not in found]:
                with self._engine.begin() as db:
                    rows = db.execute(select(_scope).where(_scope.c.scope.in_(unknown))).all()
                read = {Scope(row.scope): Last(row.number, row.position) for row in rows}
                self._keep(read)
                found |= read
            return found

    def scopes(self) -> list[Scope]:
        """All scopes, in order."""
        with self._transaction() as db:
            return [Scope(scope) for scope in db.scalars(select(_scope.c.scope).order_by(_scope.c.scope))]

    def save(
        self,
        last: Mapping[Scope, Last],
        position: int,
        *,
        gaps: Mapping[Scope, Sequence[Range]] | None = None,
        to_rebuild: Iterable[Scope] = (),
    ) -> None:
        """Keep last events, checkpoint, the gaps of these scopes, and which scopes are to be rebuilt, in one transaction."""
        with self._transaction() as db:
            if last:
                rows = [{"scope": scope, "number": e.number, "position": e.position} for scope, e in last.items()]
                db.execute(_SET_SCOPE, rows)
            for scope, ranges in (gaps or {}).items():
                db.execute(_missing.delete().where(_missing.c.scope == scope))
                if ranges:
                    db.execute(insert(_missing), [{"scope": scope, "first": first, "last": end} for first, end in ranges])
            for scope in to_rebuild:
                self._requests[scope] = self._requests.get(scope, 0) + 1
                db.execute(insert(_to_rebuild).on_conflict_do_nothing(), {"scope": scope})
            db.execute(_SET_META, {"key": "position", "value": str(position)})
        with self._lock:
            self._keep(last)

    def _keep(self, last: Mapping[Scope, Last]) -> None:
        """So that no query has to read it."""
        if len(self._last) + len(last) > _MOST_KEPT:
            self._last.clear()
        self._last |= last

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

    def gaps(self, scope: Scope) -> list[Range]:
        """The same for one scope."""
        with self._transaction() as db:
            query = select(_missing.c.first, _missing.c.last).where(_missing.c.scope == scope).order_by(_missing.c.first)
            return [(row.first, row.last) for row in db.execute(query)]

    def scopes_to_rebuild(self) -> list[Scope]:
        """The scopes whose files are to be rebuilt from the log, because something was erased there."""
        with self._transaction() as db:
            return [Scope(scope) for scope in db.scalars(select(_to_rebuild.c.scope).order_by(_to_rebuild.c.scope))]

    def rebuild_requests(self, scope: Scope) -> int:
        """How often a rebuild of the scope was asked for since the start."""
        with self._lock:
            return self._requests.get(scope, 0)

    def scope_rebuilt(self, scope: Scope, requests: int) -> None:
        """Drop a request whose rebuild began after so many requests: a later request stands."""
        with self._transaction() as db:
            if self._requests.get(scope, 0) == requests:
                self._requests.pop(scope, None)
                db.execute(_to_rebuild.delete().where(_to_rebuild.c.scope == scope))

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with self._lock, self._engine.begin() as db:
            yield db
