"""maintenance.db as a projection: what each event changes in it, and what the jobs ask of it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from sqlalchemy import Connection

from services.maintenance.store import facts, memories
from services.maintenance.store.facts import Sparse
from services.maintenance.store.memories import Backlog, Unembedded
from services.maintenance.store.schema import LOOKED_AT, SCHEMA
from shared.runtime.projector import Recorded
from shared.runtime.worklist import Worklist


class MaintenanceStore(Worklist):
    """Follows which memories have a vector of which model, and which facts have topics."""

    name = "maintenance"
    schema = SCHEMA
    version = "2"
    undigested = frozenset({LOOKED_AT.name})

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "maintenance.db")

    def apply_event(self, db: Connection, recorded: Recorded) -> None:
        """Memories and vectors; facts and topics."""
        memories.follow_memories(db, recorded)
        facts.follow_facts(db, recorded)

    def unembedded(self, model: str, limit: int) -> list[Unembedded]:
        """The oldest memories without a vector of this model."""
        with self.transaction() as db:
            return memories.unembedded(db, model, limit)

    def backlog(self, model: str, without: Collection[str] = ()) -> Backlog:
        """How much waits to be embedded, and since when; `without` these memories."""
        with self.transaction() as db:
            return memories.backlog(db, model, without)

    def sparse(self, model: str, limit: int) -> list[Sparse]:
        """The oldest facts with few topics whose neighbours may know more; see `facts.sparse`."""
        with self.transaction() as db:
            return facts.sparse(db, model, limit)

    def looked_at(self, fact: Sparse) -> None:
        """Remember that the neighbours of a fact were asked."""
        with self.transaction() as db:
            facts.look_at(db, fact)
