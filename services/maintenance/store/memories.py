"""The memories, and which of them have a vector of which model."""

from collections.abc import Collection
from typing import NamedTuple

from sqlalchemy import Connection, bindparam, func, select, tuple_
from sqlalchemy.dialects.sqlite import insert

from services.maintenance.store.schema import MEMORY
from shared.contracts.events import MemoryEmbedded
from shared.contracts.ids import MemoryId, Position, Scope
from shared.domain.moments import microseconds
from shared.runtime.bulk import Batch, Rows, rows_of
from shared.runtime.projector import Recorded

_APPEARED = rows_of(MEMORY, insert(MEMORY).on_conflict_do_nothing())
_EMBEDDED = Rows("UPDATE memory SET model = ? WHERE scope = ? AND memory_id = ?", ("model", "scope", "memory_id"))

_HAS_ANY = MEMORY.c.model.is_not(None)
_FIRST = select(MEMORY.c.scope, MEMORY.c.memory_id, MEMORY.c.position, MEMORY.c.recorded_at, MEMORY.c.imported | _HAS_ANY)
_FIRST = _FIRST.limit(bindparam("limit"))
_WITHOUT_ANY = _FIRST.where(MEMORY.c.model.is_(None)).order_by(MEMORY.c.imported, MEMORY.c.position.desc())
_WITHOUT = _FIRST.where(MEMORY.c.model.is_distinct_from(bindparam("its_model")))
_WITHOUT = _WITHOUT.order_by(_HAS_ANY, MEMORY.c.imported, MEMORY.c.position.desc())


class Unembedded(NamedTuple):
    """A memory to embed, with the position of the event that has its text."""

    scope: Scope
    memory_id: MemoryId
    position: Position
    recorded_at: int  # microseconds since 1970
    can_wait: bool = False  # it was imported, or has a vector of another model: what is said live comes first


class Backlog(NamedTuple):
    """How many memories wait to be embedded, and since when; how many of them were said live; and how many there are."""

    memories: int
    oldest: int | None  # microseconds since 1970
    live: int = 0
    total: int = 0


def follow_memories(db: Batch, recorded: Recorded) -> None:
    """Follow how memories appear and get vectors."""
    data = recorded.event.data
    if data.makes:
        row = {
            "scope": recorded.scope,
            "memory_id": data.subject,
            "position": recorded.position,
            "recorded_at": microseconds(recorded.event.recorded_at),
            "model": None,
            "imported": getattr(data, "imported", False),
        }
        db.add(_APPEARED, (MEMORY.name, recorded.scope, data.subject), row)
    elif isinstance(data, MemoryEmbedded):
        vector = {"scope": recorded.scope, "memory_id": data.memory_id, "model": data.embedding.model}
        db.add(_EMBEDDED, (MEMORY.name, recorded.scope, data.memory_id), vector)


def models(db: Connection) -> set[str]:
    """The models of which there are vectors."""
    return set(db.scalars(select(MEMORY.c.model).where(MEMORY.c.model.is_not(None)).distinct()))


def unembedded(db: Connection, model: str | None, limit: int) -> list[Unembedded]:
    """Memories without a vector of this model; with None those without any vector, for which there is an index.

    First come those without any vector, and of these what was said live before what was imported; then the newest.
    """
    query = _WITHOUT_ANY if model is None else _WITHOUT
    return [Unembedded(*row) for row in db.execute(query, {"its_model": model, "limit": limit})]


def still_unembedded(db: Connection, model: str, of: Collection[tuple[Scope, MemoryId]]) -> set[MemoryId]:
    """The memories among these that have no vector of this model."""
    these = tuple_(MEMORY.c.scope, MEMORY.c.memory_id).in_(list(of))
    return set(db.scalars(select(MEMORY.c.memory_id).where(these, MEMORY.c.model.is_distinct_from(model))))


def backlog(db: Connection, model: str | None, without: Collection[str]) -> Backlog:
    """The backlog for a model, not counting the memories in `without`; with None of memories without any vector."""
    waits = MEMORY.c.model.is_(None) if model is None else MEMORY.c.model.is_distinct_from(model)
    live = func.count().filter(MEMORY.c.model.is_(None) & ~MEMORY.c.imported)
    query = select(func.count(), func.min(MEMORY.c.recorded_at), live).where(waits)
    if without:
        query = query.where(MEMORY.c.memory_id.not_in(list(without)))
    waiting, oldest, said_live = db.execute(query).one()
    return Backlog(waiting, oldest, said_live, total=db.scalars(select(func.count()).select_from(MEMORY)).one())
