"""Deletes the traces of what was taken back: the words of undone repeats, and what is not outdated any more."""

from sqlalchemy import Connection, text

from services.retriever.store.changes import FileChanges
from services.retriever.store.entity_mentions import of_repeats
from services.retriever.store.entity_registry import remove_links

_UNREPEAT = [
    text(statement)
    for statement in (
        "DELETE FROM memory_texts WHERE event = :event",
        "DELETE FROM fact_sources WHERE fact = :fact AND source NOT IN (SELECT value FROM json_each(:sources))",
    )
]
_TOLD_BY = text("SELECT number FROM memory_texts WHERE event = :event")
_HOLDS_AGAIN = text("DELETE FROM outdatings WHERE old = :old AND new = coalesce(:new, new) AND number < :number")

_RUN_UNDONE = text("UPDATE consolidation_runs SET undone_at = :at WHERE run_id = :run_id AND number < :number")


def write_undone(db: Connection, changes: FileChanges) -> None:
    """Delete what these changes take back; what was written with them comes first."""
    for memory_id, repeat in changes.unrepeated:
        row = changes.known[memory_id]
        numbers = db.scalars(_TOLD_BY, {"event": repeat}).all()
        remove_links(db, of_repeats(db, numbers))
        for statement in _UNREPEAT:
            db.execute(statement, {"event": repeat, "fact": row["number"], "sources": row["source_ids"]})
    for row in changes.undone_runs:
        db.execute(_RUN_UNDONE, row)
    for row in changes.holding_again:
        db.execute(_HOLDS_AGAIN, row)
