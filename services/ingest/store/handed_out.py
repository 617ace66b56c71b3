"""The rows of what recent recalls handed out: the hashes of each memory."""

from collections.abc import Mapping

from sqlalchemy import Connection

from services.ingest.domain.echoes import HandedOut
from services.ingest.store.schema import HANDED_OUT, all_of, upsert
from shared.contracts.ids import MemoryId, Scope
from shared.domain.moments import microseconds, moment


def load_handed_out(db: Connection, scope: Scope) -> dict[MemoryId, HandedOut]:
    """Load what recent recalls of a scope handed out."""
    rows = all_of(db, HANDED_OUT, scope=scope)
    return {MemoryId(row.memory_id): HandedOut(row.number, moment(row.recorded_at), row.shingles) for row in rows}


def save_handed_out(
    db: Connection, scope: Scope, before: Mapping[MemoryId, HandedOut], after: Mapping[MemoryId, HandedOut]
) -> None:
    """Write the rows that differ, and delete those that are gone."""
    gone = [memory_id for memory_id in before if memory_id not in after]
    if gone:
        db.execute(HANDED_OUT.delete().where(HANDED_OUT.c.scope == scope, HANDED_OUT.c.memory_id.in_(gone)))
    rows = [
        {
            "scope": scope,
            "memory_id": memory_id,
            "number": one.number,
            "recorded_at": microseconds(one.recorded_at),
            "shingles": one.shingles,
        }
        for memory_id, one in after.items()
        if before.get(memory_id) is not one
    ]
    upsert(db, HANDED_OUT, rows)
