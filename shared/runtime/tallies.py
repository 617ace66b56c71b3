"""Tells whether somebody else changed rows: their number and a sum of their checksums are kept beside them.

Triggers keep both, which only the connection of the service has: what it writes is tallied, what others write is not.
"""

from collections.abc import Iterable, Iterator, Sequence
from zlib import crc32

from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, inspect

from shared.runtime.sqlite import driver

_TALLY = Table(
    "tally",
    MetaData(),
    Column("name", Text, primary_key=True),
    Column("rows", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    sqlite_with_rowid=False,
)
_NONE = (-1, 0)
"""What no table has: the tally of one whose own is not there."""


def keep_tallies(db: Connection, tables: Sequence[Table]) -> None:
    """Tally what this connection writes into these tables from now on; a file without tallies gets those of its rows."""
    connection = driver(db)
    connection.create_function("row_checksum", -1, _checksum, deterministic=True)
    if not inspect(db).has_table(_TALLY.name):
        _TALLY.create(db)
        for table in tables:
            connection.execute("INSERT INTO tally (name, rows, total) VALUES (?, ?, ?)", (table.name, *_counted(db, table)))
    for table in tables:
        for trigger in _triggers(table):
            connection.execute(trigger)


def untallied(db: Connection, tables: Iterable[Table], *, by_number: bool = False) -> list[str]:
    """The names of tables whose rows differ from their tally; `by_number`: only if there are more or fewer, which is quick."""
    kept = {name: (rows, total) for name, rows, total in driver(db).execute("SELECT name, rows, total FROM tally")}
    if by_number:
        return [each.name for each in tables if _number(db, each) != kept.get(each.name, _NONE)[0]]
    return [each.name for each in tables if _counted(db, each) != kept.get(each.name, _NONE)]


def _checksum(*values: object) -> int:
    return crc32(repr(values).encode())


def _number(db: Connection, table: Table) -> int:
    return int(driver(db).execute(f"SELECT count(*) FROM {table.name}").fetchone()[0])  # noqa: S608 - names of our own


def _counted(db: Connection, table: Table) -> tuple[int, int]:
    """The number of rows, and the sum of their checksums: of 32 bits, so that two thousand million fit."""
    query = f"SELECT count(*), coalesce(sum(row_checksum({_columns(table)})), 0) FROM {table.name}"  # noqa: S608 - names of our own
    rows, total = driver(db).execute(query).fetchone()
    return rows, total


def _columns(table: Table, row: str = "") -> str:
    return ", ".join(f'{row}"{column.name}"' for column in table.columns)


def _triggers(table: Table) -> Iterator[str]:
    new, old = (f"row_checksum({_columns(table, row)})" for row in ("new.", "old."))
    changes = {"INSERT": (1, new), "DELETE": (-1, f"-{old}"), "UPDATE": (0, f"{new} - {old}")}
    for change, (rows, total) in changes.items():
        kept = f"UPDATE tally SET rows = rows + {rows}, total = total + {total} WHERE name = '{table.name}'"  # noqa: S608
        yield f"CREATE TEMP TRIGGER {table.name}_{change} AFTER {change} ON main.{table.name} BEGIN {kept}; END"
