"""The rows of what recent recalls handed out: the hashes of each memory."""

import json
from collections.abc import Mapping

from sqlalchemy import Connection

from services.ingest.domain.echoes import HandedOut
from services.ingest.store.schema import HANDED_OUT, HANDED_OUTS, all_of, changed, upsert
from shared.contracts.ids import MemoryId, Scope
from shared.runtime.sqlite import driver

_DELETE = "DELETE FROM handed_out WHERE scope = ? AND memory_id IN (SELECT value FROM json_each(?))"


def load_handed_out(db: Connection, scope: Scope) -> dict[MemoryId, HandedOut]:
    """Load what recent recalls of a scope handed out."""
    rows = all_of(db, HANDED_OUT, scope=scope)
    return {MemoryId(row.memory_id): HANDED_OUTS.read(row) for row in rows}


def save_handed_out(
    db: Connection, scope: Scope, before: Mapping[MemoryId, HandedOut], after: Mapping[MemoryId, HandedOut]
) -> None:
    """Write the rows that differ, and delete those that are gone."""
    gone = [memory_id for memory_id in before if memory_id not in after]
    if gone:
        driver(db).execute(_DELETE, (scope, json.dumps(gone)))
    rows = [HANDED_OUTS.row(one, scope=scope, memory_id=each) for each, one in changed(before, after)]
    upsert(db, HANDED_OUT, rows)
