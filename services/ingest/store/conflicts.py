"""The rows of questions which of two facts holds."""

from sqlalchemy import Connection

from services.ingest.domain.doubts import Conflicts
from services.ingest.store.schema import CONFLICT, CONFLICTS, all_of, of_scope, upsert
from shared.contracts.ids import ConflictId, Scope


def load_conflicts(db: Connection, scope: Scope) -> Conflicts:
    """Load all conflicts of a scope, answered ones too."""
    return {ConflictId(row.conflict_id): CONFLICTS.read(row) for row in all_of(db, CONFLICT, scope=scope)}


def save_conflicts(db: Connection, scope: Scope, before: Conflicts, after: Conflicts) -> None:
    """Write the conflicts of a scope anew, if any differs: they are few."""
    if before == after:
        return
    db.execute(CONFLICT.delete().where(of_scope(CONFLICT, scope)))
    upsert(db, CONFLICT, [CONFLICTS.row(conflict, scope=scope, conflict_id=each) for each, conflict in after.items()])
