"""Writes many rows at once: statements are compiled once, and rows are collected by statement.

SQLAlchemy takes longer to make a statement and to arrange the values of a row than SQLite to write it.
"""

from collections.abc import Collection, Hashable, Iterable, Mapping
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, CursorResult, Executable, Table
from sqlalchemy.dialects.sqlite import Insert, dialect, insert

from shared.runtime.sqlite import rows, write_rows

_POSITIONAL = dialect(paramstyle="qmark")
RowValues = Mapping[str, Any]


class Rows:
    """A statement that writes rows. `columns`: at least two, in the order of the statement's `?`."""

    def __init__(self, statement: str, columns: Iterable[str]) -> None:
        self._statement = statement
        self._in_order = itemgetter(*columns)

    def write(self, db: Connection, values: Collection[RowValues]) -> None:
        """Execute the statement for these rows."""
        if values:
            write_rows(db, self._statement, map(self._in_order, values))


def rows_of(table: Table, statement: Insert) -> Rows:
    """The `Rows` of an INSERT that sets every column of the table."""
    return Rows(str(statement.compile(dialect=_POSITIONAL)), [column.name for column in table.columns])


def rows_into(table: Table, *, over: Iterable[str] = ()) -> Rows:
    """The `Rows` of an upsert that sets every column of the table; on an equal key it changes the columns `over`."""
    statement: Insert = insert(table)
    if changed := {name: statement.excluded[name] for name in over}:
        statement = statement.on_conflict_do_update(index_elements=list(table.primary_key.columns), set_=changed)
    return rows_of(table, statement)


class Batch:
    """The writes of one transaction. Rows of one statement are collected as long as the order makes no difference."""

    def __init__(self, db: Connection) -> None:
        self._db = db
        self._waiting: dict[Rows, list[RowValues]] = {}
        self._kinds: dict[Hashable, Rows] = {}

    def add(self, kind: Rows, key: Hashable, row: RowValues) -> None:
        """Write a row, later. `key` names what it changes: rows of other statements with this key are written first."""
        if self._kinds.setdefault(key, kind) is not kind:
            self.flush()
            self._kinds[key] = kind
        self._waiting.setdefault(kind, []).append(row)

    def run(self, statement: str, parameters: RowValues) -> None:
        """Write all collected rows, then execute this textual statement, which changes many rows in one go."""
        self.flush()
        rows(self._db, statement, parameters)

    def execute(self, statement: Executable, parameters: RowValues | None = None) -> CursorResult[Any]:
        """Write all collected rows, then execute this statement."""
        self.flush()
        return self._db.execute(statement, parameters)

    def flush(self) -> None:
        """Write all collected rows. Call it at the end of the transaction."""
        for kind, waiting in self._waiting.items():
            kind.write(self._db, waiting)
        self._waiting.clear()
        self._kinds.clear()
