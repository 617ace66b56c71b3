"""Files of earlier versions of the schema: from which of them this code answers, until new ones are made beside them."""

from collections.abc import Mapping
from typing import NamedTuple

from sqlalchemy import Connection

from services.retriever.store.schema import SCHEMA_VERSION, create, missing


class Lift(NamedTuple):
    """What people's files of a version lack of the next one's tables. The index beside them may lack tables, and no column."""

    tables: frozenset[str] = frozenset()
    columns: tuple[str, ...] = ()
    """Statements that add them, each with the value that its rows have until they are made anew."""


LIFTS: Mapping[str, Lift] = {
    "20": Lift(tables=frozenset({"shared_tags"})),
}
"""By version. It is named only if the readers of the next answer rightly from its rows: what only newer rows say may be missing
from an answer, nothing may be wrong. One that is not named ends the chain: what lies before it can answer nobody.

Whoever raises the version decides this; `tests/unit/test_earlier_versions.py` lifts the tables of each as they were.
"""


def readable(newest: str = SCHEMA_VERSION, lifts: Mapping[str, Lift] = LIFTS) -> tuple[str, ...]:
    """The earlier versions from which a chain of lifts leads to this one, the newest first."""
    found = []
    version = int(newest)
    while str(version := version - 1) in lifts:
        found.append(str(version))
    return tuple(found)


def lift(db: Connection, of_folder: str) -> set[str]:
    """Give a file the tables and columns of today, in this transaction; return the names of tables that it lost.

    `of_folder`: the version that the index says. A file of that folder which was lifted or made since bears its own.
    """
    version = int(db.exec_driver_sql("PRAGMA user_version").scalar() or of_folder)
    lifts = [LIFTS[str(each)] for each in range(version, int(SCHEMA_VERSION))]
    lost = missing(db).difference(*(each.tables for each in lifts))
    if lifts:
        create(db)
        for statement in (statement for each in lifts for statement in each.columns):
            db.exec_driver_sql(statement)
        db.exec_driver_sql(f"PRAGMA user_version = {SCHEMA_VERSION}")
    return lost
