"""maintenance.db as a projection: what each event changes in it, and what the jobs ask of it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from services.maintenance.store import facts, memories, sessions
from services.maintenance.store.facts import Sparse
from services.maintenance.store.memories import Backlog, Unembedded
from services.maintenance.store.schema import LOOKED_AT, SCHEMA
from services.maintenance.store.sessions import IdleSession
from shared.runtime.bulk import Batch
from shared.runtime.projector import Recorded
from shared.runtime.worklist import Worklist


class MaintenanceStore(Worklist):
    """Follows which memories have a vector of which model, which facts have topics, and which sessions are open."""

    name = "maintenance"
    schema = SCHEMA
    version = "3"
    undigested = frozenset({LOOKED_AT.name})

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "maintenance.db")

    def apply_event(self, db: Batch, recorded: Recorded) -> None:
        """Memories and vectors; facts and topics; sessions."""
        memories.follow_memories(db, recorded)
        facts.follow_facts(db, recorded)
        sessions.follow_sessions(db, recorded)

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

    def idle_sessions(self, *, now: int, default_minutes: float | None, settle_minutes: float, limit: int) -> list[IdleSession]:
        """The open sessions that are silent for too long; see `sessions.idle_sessions`."""
        with self.transaction() as db:
            return sessions.idle_sessions(
                db, now=now, default_minutes=default_minutes, settle_minutes=settle_minutes, limit=limit
            )

    def silent_sessions(self, *, before: int, after: int, limit: int) -> list[IdleSession]:
        """A page of the open sessions whose last turn was recorded at `before` or earlier."""
        with self.transaction() as db:
            return sessions.silent_sessions(db, before=before, after=after, limit=limit)
