"""Statements for many rows, compiled once: SQLAlchemy takes longer to arrange the values of a row than SQLite to write it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.dialects.sqlite import Insert, dialect, insert

_POSITIONAL = dialect(paramstyle="qmark")


class Rows:
    """Writes rows that have a value for each of these columns, at least two."""

    def __init__(self, statement: str, columns: Iterable[str]) -> None:
        self._statement = statement
        self._in_order = itemgetter(*columns)

    def write(self, db: Connection, rows: Collection[Mapping[str, Any]]) -> None:
        """Write these."""
        if rows:
            db.exec_driver_sql(self._statement, list(map(self._in_order, rows)))


def rows_into(table: Table, *, over: Iterable[str] = ()) -> Rows:
    """Rows with a value for each column of the table; `over` columns are changed where there is a row of the same key."""
    statement: Insert = insert(table)
    if changed := {name: statement.excluded[name] for name in over}:
        statement = statement.on_conflict_do_update(index_elements=list(table.primary_key.columns), set_=changed)
    return Rows(str(statement.compile(dialect=_POSITIONAL)), [column.name for column in table.columns])
