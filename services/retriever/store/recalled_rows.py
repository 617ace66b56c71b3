"""Reads and writes what a recall changes of memories: one statement for many of them.

A file that is asked is told of little else. SQLite gives Python's lock back for every row, so beside an answer two hundred rows
that are read and written one by one took four times as long as alone.
"""

import json
from collections.abc import Collection, Iterable
from functools import lru_cache
from itertools import chain
from operator import itemgetter

from sqlalchemy import Connection

from services.retriever.store.memory_row import MemoryRow
from shared.contracts.envelope import Envelope
from shared.contracts.events import MemoriesRecalled
from shared.contracts.ids import MemoryId
from shared.runtime.sqlite import rows, write_rows

_READ = ("id", "number", "access_count", "confidence_at", "decay_rate")
_KNOWN = """
SELECT json_group_array(json_array(id, number, access_count, confidence_at, decay_rate > 0)) FROM memories
WHERE id IN (SELECT value FROM json_each(:ids))
"""
_WRITTEN = itemgetter("number", "access_count", "confidence_at", "last_accessed", "last_scores")
_NOT_HANDED_OUT = {"last_accessed": None, "last_scores": None}
_TOGETHER = 64


@lru_cache
def _change(count: int) -> str:
    """The statement that changes so many rows. As JSON they would take SQLite twice as long."""
    return f"""
    UPDATE memories SET
      access_count = told.column2,
      confidence_at = told.column3,
      last_accessed = coalesce(told.column4, last_accessed),
      last_scores = coalesce(told.column5, last_scores)
    FROM (VALUES {", ".join(["(?, ?, ?, ?, ?)"] * count)}) AS told WHERE number = told.column1
    """


def are_recalls(events: Iterable[Envelope]) -> bool:
    """True if nothing else is told."""
    return all(isinstance(event.data, MemoriesRecalled) for event in events)


def known_to_recalls(db: Connection, ids: Collection[MemoryId]) -> dict[MemoryId, MemoryRow]:
    """What a recall depends on, of each memory that is known: `decay_rate` is 1 where it fades at all."""
    [(found,)] = rows(db, _KNOWN, {"ids": json.dumps(list(ids))})
    known = (dict(zip(_READ, row, strict=True)) for row in json.loads(found))
    return {row["id"]: row for row in known}


def write_recalled(db: Connection, changed: Collection[MemoryRow]) -> None:
    """Write what recalls have changed."""
    told = [_WRITTEN(_NOT_HANDED_OUT | row) for row in changed]
    for start in range(0, len(told), _TOGETHER):
        some = told[start : start + _TOGETHER]
        write_rows(db, _change(len(some)), [tuple(chain.from_iterable(some))])
