"""maintenance.db: the memories that have no vector of the current model yet, and the facts that have few topics."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Boolean, Column, Connection, Integer, MetaData, Table, Text, func, literal, or_, select, text
from sqlalchemy.dialects.sqlite import insert

from services.maintenance.domain.proposals import ENOUGH_TOPICS, LEAST_SHARING, METHOD, topics
from shared.contracts.events import (
    EpisodeRecorded,
    FactCorrected,
    FactRemembered,
    FactSuperseded,
    MemoryEmbedded,
    MemoryEnriched,
    MemoryRepeated,
    MemoryRestored,
    MemoryRetired,
)
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
_fact = Table(
    "fact",
    _schema,
    Column("scope", Text, primary_key=True),
    Column("memory_id", Text, primary_key=True),
    Column("topics", Integer, nullable=False),
    Column("is_active", Boolean, nullable=False),
    Column("is_enriched", Boolean, nullable=False),  # its neighbours have proposed topics
    Column("changed_at", Integer, nullable=False),  # position of the last event that changed it
    sqlite_with_rowid=False,
)
_looked_at = Table(
    "looked_at",
    _schema,
    Column("scope", Text, primary_key=True),
    Column("memory_id", Text, primary_key=True),
    Column("neighbours", Integer, nullable=False),  # embedded facts that there were when it was last looked at
    sqlite_with_rowid=False,
)


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


class Sparse(NamedTuple):
    """A fact with a vector and few topics, and where its event is."""

    scope: Scope
    memory_id: MemoryId
    position: Position
    neighbours: int  # facts of the same scope that have a vector, itself included


class MaintenanceStore(Worklist):
    """Follows which memories there are, which have a vector of which model, and which facts have topics."""

    name = "maintenance"
    schema = _schema
    version = "2"
    undigested = frozenset({_looked_at.name})

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / "maintenance.db")

    def apply_event(self, db: Connection, recorded: Recorded) -> None:
        """Memories appear and end; vectors and topics arrive."""
        match recorded.event.data:
            case EpisodeRecorded() as data:
                _appeared(db, recorded, data.memory_id)
            case FactRemembered() | FactCorrected() as data:
                _appeared(db, recorded, data.memory_id)
                row = {"scope": recorded.scope, "memory_id": data.memory_id, "topics": topics(data.tags)}
                row |= {"is_active": True, "is_enriched": False, "changed_at": recorded.position}
                db.execute(insert(_fact).on_conflict_do_nothing(), row)
            case MemoryEmbedded() as data:
                this = (_memory.c.scope == recorded.scope) & (_memory.c.memory_id == data.memory_id)
                db.execute(_memory.update().where(this).values(model=data.embedding.model))
            case MemoryEnriched() as data:
                is_enriched = or_(_fact.c.is_enriched, literal(data.method == METHOD))
                _change(db, recorded, data.memory_id, topics=_fact.c.topics + topics(data.added_tags), is_enriched=is_enriched)
            case MemoryRepeated() as data:
                _change(db, recorded, data.memory_id, topics=_fact.c.topics + topics(data.added_tags))
            case FactSuperseded() | MemoryRetired() as data:
                _change(db, recorded, data.memory_id, is_active=False)
            case MemoryRestored() as data:
                _change(db, recorded, data.memory_id, is_active=True)
            case _:
                pass

    def unembedded(self, model: str, limit: int) -> list[Unembedded]:
        """The oldest memories without a vector of this model."""
        columns = (_memory.c.scope, _memory.c.memory_id, _memory.c.position, _memory.c.recorded_at)
        query = select(*columns).where(_memory.c.model.is_distinct_from(model)).order_by(_memory.c.position).limit(limit)
        with self.transaction() as db:
            return [Unembedded(*row) for row in db.execute(query)]

    def backlog(self, model: str) -> Backlog:
        """How much waits, and since when."""
        query = select(func.count(), func.min(_memory.c.recorded_at)).where(_memory.c.model.is_distinct_from(model))
        with self.transaction() as db:
            return Backlog(*db.execute(query).one())

    def sparse(self, model: str, limit: int) -> list[Sparse]:
        """The oldest active facts with a vector and few topics whose neighbours may know more.

        A fact is due again when its scope has twice as many facts with a vector, and its neighbours' topics did not arrive.
        """
        with self.transaction() as db:
            return [Sparse(*row) for row in db.execute(_SPARSE, {"model": model, "limit": limit})]

    def looked_at(self, fact: Sparse) -> None:
        """Remember that the neighbours of a fact were asked. Not of the log: a rebuild looks again."""
        row = {"scope": fact.scope, "memory_id": fact.memory_id, "neighbours": fact.neighbours}
        statement = insert(_looked_at)
        changed = {"neighbours": statement.excluded["neighbours"]}
        with self.transaction() as db:
            db.execute(statement.on_conflict_do_update(index_elements=["scope", "memory_id"], set_=changed), row)


_SPARSE = text(
    f"""
    WITH embedded AS (
        SELECT fact.scope, fact.memory_id, memory.position, fact.topics, fact.is_enriched,
               count(*) OVER (PARTITION BY fact.scope) AS neighbours
        FROM fact JOIN memory USING (scope, memory_id)
        WHERE fact.is_active AND memory.model = :model)
    SELECT embedded.scope, embedded.memory_id, embedded.position, embedded.neighbours
    FROM embedded LEFT JOIN looked_at USING (scope, memory_id)
    WHERE embedded.topics < {ENOUGH_TOPICS} AND NOT embedded.is_enriched AND embedded.neighbours > {LEAST_SHARING}
      AND embedded.neighbours >= 2 * coalesce(looked_at.neighbours, 0)
    ORDER BY embedded.position LIMIT :limit
    """  # noqa: S608 - our own constants
)


def _appeared(db: Connection, recorded: Recorded, memory_id: MemoryId) -> None:
    row = {
        "scope": recorded.scope,
        "memory_id": memory_id,
        "position": recorded.position,
        "recorded_at": microseconds(recorded.event.recorded_at),
    }
    db.execute(insert(_memory).on_conflict_do_nothing(), row)


def _change(db: Connection, recorded: Recorded, memory_id: MemoryId, **values: object) -> None:
    """Change a fact, if it did not see this event before."""
    this = (_fact.c.scope == recorded.scope) & (_fact.c.memory_id == memory_id) & (_fact.c.changed_at < recorded.position)
    db.execute(_fact.update().where(this).values(changed_at=recorded.position, **values))
