"""The rows of what recent recalls handed out: the hashes of each memory."""

import json
from collections.abc import Mapping
from functools import cache

from sqlalchemy import Connection

from services.ingest.domain.echoes import HandedOut
from services.ingest.store.schema import HANDED_OUT, HANDED_OUTS, changed, upsert
from shared.contracts.ids import MemoryId, Scope
from shared.domain.moments import moment
from shared.runtime.sqlite import driver

_RECENT = """
SELECT json_group_array(json_array(memory_id, number, recorded_at, hex(shingles), place)) FROM handed_out WHERE scope = ?
"""
"""One row for all: SQLite gives Python's lock back for each."""

_DELETE = "DELETE FROM handed_out WHERE scope = ? AND memory_id IN (SELECT value FROM json_each(?))"


def load_handed_out(db: Connection, scope: Scope) -> dict[MemoryId, HandedOut]:
    """Load what recent recalls of a scope handed out."""
    at = cache(moment)  # the memories of a recall have the same, and of recalls there are few
    [(known,)] = driver(db).execute(_RECENT, (scope,))
    return {
        memory_id: HandedOut(number, at(recorded_at), bytes.fromhex(shingles), place)
        for memory_id, number, recorded_at, shingles, place in json.loads(known)
    }


def save_handed_out(
    db: Connection, scope: Scope, before: Mapping[MemoryId, HandedOut], after: Mapping[MemoryId, HandedOut]
) -> None:
    """Write the rows that differ, and delete those that are gone."""
    gone = [memory_id for memory_id in before if memory_id not in after]
    if gone:
        driver(db).execute(_DELETE, (scope, json.dumps(gone)))
    rows = [HANDED_OUTS.row(one, scope=scope, memory_id=each) for each, one in changed(before, after)]
    upsert(db, HANDED_OUT, rows)
