"""maintenance.db: the memories that have no vector of the current model yet."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, bindparam, func, select
from sqlalchemy.dialects.sqlite import insert

from shared.contracts.events import EpisodeRecorded, FactRemembered, MemoryEmbedded
from shared.contracts.ids import MemoryId, Position, Scope
from shared.domain.moments import microseconds
from shared.runtime.projector import Recorded
from shared.runtime.worklist import Worklist

_schema = MetaData()
_memory = Table(
    "memory",
    _schema,
    Column("scope", Text, primary_key=True),
    Column("memory_id", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("recorded_at", Integer, nullable=False),
    Column("model", Text),  # of its newest vector; null: none yet
    sqlite_with_rowid=False,
)

_APPEARED = insert(_memory).on_conflict_do_nothing()
_EMBEDDED = (
    _memory.update()
    .where(_memory.c.scope == bindparam("its_scope"), _memory.c.memory_id == bindparam("its_id"))
    .values(model=bindparam("its_model"))
)
"""Made once: making a statement for each event took longer than executing it."""


class Unembedded(NamedTuple):
    """A memory to embed, and where its text is."""

    scope: Scope
    memory_id: MemoryId
    position: Position
    recorded_at: int  # microseconds since 1970


class Backlog(NamedTuple):
    """What waits to be embedded."""

    memories: int
    oldest: int | None  # microseconds since 1970


class MaintenanceStore(Worklist):
    """Follows which memories there are, and which have a vector of which model."""

    name = "maintenance"
    schema = _schema
    version = "1"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "maintenance.db")

    def apply_event(self, db: Connection, recorded: Recorded) -> None:
        """Memories appear; vectors arrive."""
        data = recorded.event.data
        if isinstance(data, EpisodeRecorded | FactRemembered):
            row = {
                "scope": recorded.scope,
                "memory_id": data.memory_id,
                "position": recorded.position,
                "recorded_at": microseconds(recorded.event.recorded_at),
            }
            db.execute(_APPEARED, row)
        elif isinstance(data, MemoryEmbedded):
            db.execute(_EMBEDDED, {"its_scope": recorded.scope, "its_id": data.memory_id, "its_model": data.embedding.model})

    def unembedded(self, model: str, limit: int) -> list[Unembedded]:
        """The oldest memories without a vector of this model."""
        columns = (_memory.c.scope, _memory.c.memory_id, _memory.c.position, _memory.c.recorded_at)
        query = select(*columns).where(_memory.c.model.is_distinct_from(model)).order_by(_memory.c.position).limit(limit)
        with self.transaction() as db:
            return [Unembedded(*row) for row in db.execute(query)]

    def backlog(self, model: str, without: Collection[str] = ()) -> Backlog:
        """How much waits, and since when; `without` these memories."""
        query = select(func.count(), func.min(_memory.c.recorded_at)).where(_memory.c.model.is_distinct_from(model))
        if without:
            query = query.where(_memory.c.memory_id.not_in(list(without)))
        with self.transaction() as db:
            return Backlog(*db.execute(query).one())
