"""The index of the files: the last event of each scope, and how far the log is applied. It holds no names."""

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Column, Integer, MetaData, Table, Text, select

from services.retriever.store.schema import SCHEMA_VERSION
from shared.contracts.ids import Scope
from shared.domain.gaps import Range
from shared.runtime.anchors import Anchor
from shared.runtime.bulk import rows_into
from shared.runtime.projection_file import MISSING, QUARANTINE, ProjectionFile, table_by_scope

_schema = MetaData()
_scope = table_by_scope(
    "scope",
    _schema,
    Column("number", Integer, nullable=False),
    Column("position", Integer, nullable=False),
)
_LAST = rows_into(_scope, over=("number", "position"))
_MOST_KEPT = 10_000
"""Of so many scopes the last event is kept in memory."""


class Last(NamedTuple):
    """The last event of a scope."""

    number: int
    position: int


class ScopeIndex(ProjectionFile):
    """index.db in a folder. If it has another schema version, the whole folder is dropped: its files have it too."""

    name = "retriever"
    schema = _schema
    version = SCHEMA_VERSION
    keeps = (MISSING, QUARANTINE)
    digested = (_scope, MISSING)
    tallied = (_scope,)
    to_rebuild = Table("replay", MetaData(), Column("scope", Text, primary_key=True))

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "index.db")
        self._last: dict[Scope, Last] = {}

    def _drop(self) -> None:
        shutil.rmtree(self._path.parent)

    def last(self, scopes: Sequence[Scope]) -> dict[Scope, Last]:
        """The last event of each of these scopes. Unknown scopes are left out."""
        with self._lock:
            found = {scope: self._last[scope] for scope in scopes if scope in self._last}
            if unknown := [scope for scope in scopes if scope not in found]:
                with self._engine.begin() as db:
                    rows = db.execute(select(_scope).where(_scope.c.scope.in_(unknown))).all()
                read = {Scope(row.scope): Last(row.number, row.position) for row in rows}
                self._keep(read)
                found |= read
            return found

    def number(self, scope: Scope) -> int:
        """The number of the last event of a scope; 0 where it is unknown."""
        last = self.last([scope]).get(scope)
        return last.number if last else 0

    def scopes(self) -> list[Scope]:
        """All scopes, in order."""
        with self.transaction() as db:
            return [Scope(scope) for scope in db.scalars(select(_scope.c.scope).order_by(_scope.c.scope))]

    def save(
        self,
        last: Mapping[Scope, Last],
        position: int,
        *,
        gaps: Mapping[Scope, Sequence[Range]] | None = None,
        to_rebuild: Iterable[Scope] = (),
        newest: Anchor | None = None,
    ) -> None:
        """Save last events, checkpoint, gaps, requests for rebuilds and the newest event in one transaction."""
        with self.transaction() as db:
            _LAST.write(db, [{"scope": scope, **end._asdict()} for scope, end in last.items()])
            self.save_gaps(db, gaps or {})
            for scope in to_rebuild:
                self.ask_rebuild(db, scope)
            self.save_position(db, position)
            if newest is not None:
                self.save_anchor(db, newest)
        with self._lock:
            self._keep(last)

    def _keep(self, last: Mapping[Scope, Last]) -> None:
        """Keep the last events in memory, so that no query has to read them from the file."""
        if len(self._last) + len(last) > _MOST_KEPT:
            self._last.clear()
        self._last |= last
