"""Reads and writes what a recall changes of memories: one statement for all of them.

A file that is asked is told of little else. SQLite gives Python's lock back for every row, so beside an answer two hundred rows
that are read and written one by one took four times as long as alone.
"""

import json
from collections.abc import Collection, Iterable
from operator import itemgetter

from sqlalchemy import Connection

from services.retriever.store.memory_row import MemoryRow
from shared.contracts.envelope import Envelope
from shared.contracts.events import MemoriesRecalled
from shared.contracts.ids import MemoryId
from shared.runtime.sqlite import rows

_READ = ("id", "number", "access_count", "confidence_at", "decay_rate")
_KNOWN = """
SELECT json_group_array(json_array(id, number, access_count, confidence_at, decay_rate > 0)) FROM memories
WHERE id IN (SELECT value FROM json_each(:ids))
"""
_WRITTEN = itemgetter("number", "access_count", "confidence_at", "last_accessed", "last_scores")
_NOT_HANDED_OUT = {"last_accessed": None, "last_scores": None}
_CHANGE = """
UPDATE memories SET
  access_count = json_extract(told.value, '$[1]'),
  confidence_at = json_extract(told.value, '$[2]'),
  last_accessed = coalesce(json_extract(told.value, '$[3]'), last_accessed),
  last_scores = coalesce(json_extract(told.value, '$[4]'), last_scores)
FROM json_each(:rows) AS told WHERE number = json_extract(told.value, '$[0]')
"""


def are_recalls(events: Iterable[Envelope]) -> bool:
    """True if nothing else is told."""
    return all(isinstance(event.data, MemoriesRecalled) for event in events)


def known_to_recalls(db: Connection, ids: Collection[MemoryId]) -> dict[MemoryId, MemoryRow]:
    """What a recall depends on, of each memory that is known: `decay_rate` is 1 where it fades at all."""
    [(found,)] = rows(db, _KNOWN, {"ids": json.dumps(list(ids))})
    known = (dict(zip(_READ, row, strict=True)) for row in json.loads(found))
    return {row["id"]: row for row in known}


def write_recalled(db: Connection, changed: Iterable[MemoryRow]) -> None:
    """Write what recalls have changed."""
    if told := [_WRITTEN(_NOT_HANDED_OUT | row) for row in changed]:
        rows(db, _CHANGE, {"rows": json.dumps(told)})
