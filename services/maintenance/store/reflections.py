"""When each person was last reflected on, what they are to be reflected on, and which reflections are to be written anew."""

from typing import NamedTuple

from sqlalchemy import Connection, and_, func, select
from sqlalchemy.dialects.sqlite import insert

from services.maintenance.store.people import OFF
from services.maintenance.store.schema import FACT, LOST_REFLECTION, MEMORY, REFLECTION
from shared.contracts.ids import MemoryId, Position, Scope
from shared.contracts.privacy import MemoryForgotten
from shared.contracts.reflecting import ReflectionRecorded
from shared.domain.moments import microseconds
from shared.runtime.bulk import Batch
from shared.runtime.projector import Recorded

_IS_FACT = FACT.c.memory_id.is_not(None)
_FACTS = FACT.c.scope == MEMORY.c.scope, FACT.c.memory_id == MEMORY.c.memory_id


class LostReflection(NamedTuple):
    """A reflection that went with a source; `position` is that of the event that says which are left."""

    scope: Scope
    occurred_at: int  # microseconds since 1970
    position: Position


def follow_reflections(db: Batch, recorded: Recorded) -> None:
    """Follow reflections, and what becomes of them.

    A reflection that is written anew keeps its time: by that it is known, however often it goes with one source after another.
    """
    match recorded.event.data:
        case ReflectionRecorded() as data:
            occurred_at = microseconds(recorded.event.occurred_at)
            row = {"scope": recorded.scope, "memory_id": data.memory_id, "occurred_at": occurred_at}
            db.execute(insert(REFLECTION).on_conflict_do_nothing(), row)
            _found(db, recorded, occurred_at)
        case MemoryForgotten(lost=lost):
            for each in lost:
                _lose(db, recorded, microseconds(each.occurred_at), is_to_be_renewed=bool(each.source_ids))
        case _:
            pass


def _lose(db: Batch, recorded: Recorded, occurred_at: int, *, is_to_be_renewed: bool) -> None:
    _found(db, recorded, occurred_at)
    if is_to_be_renewed:
        row = {"scope": recorded.scope, "occurred_at": occurred_at, "position": int(recorded.position)}
        db.execute(insert(LOST_REFLECTION).on_conflict_do_nothing(), row)


def _found(db: Batch, recorded: Recorded, occurred_at: int) -> None:
    this = (LOST_REFLECTION.c.scope == recorded.scope) & (LOST_REFLECTION.c.occurred_at == occurred_at)
    db.execute(LOST_REFLECTION.delete().where(this, LOST_REFLECTION.c.position < recorded.position))


def to_reflect_on(db: Connection, *, since: int, last: int, least_facts: int, after: str, limit: int) -> list[Scope]:
    """A page of the persons of whom so many facts were learned since then that hold, and no reflection is later than `last`.

    What was imported is not of these days. Nobody is among them who turned memory off.
    """
    recent = REFLECTION.c.occurred_at > last
    query = (
        select(MEMORY.c.scope)
        .join(FACT, and_(*_FACTS))
        .where(FACT.c.is_active, MEMORY.c.imported.is_(False), MEMORY.c.recorded_at >= since, MEMORY.c.scope > after)
        .where(MEMORY.c.scope.not_in(select(REFLECTION.c.scope).where(recent)))
        .where(MEMORY.c.scope.not_in(OFF))
        .group_by(MEMORY.c.scope)
        .having(func.count() >= least_facts)
        .order_by(MEMORY.c.scope)
        .limit(limit)
    )
    return [Scope(each) for each in db.scalars(query)]


def recent_memories(db: Connection, *, scope: Scope, since: int, limit: int) -> list[Position]:
    """Where the log has the facts that hold and the turns of a person since then: facts first, of both the latest first."""
    is_turn = MEMORY.c.memory_id.startswith("ep_", autoescape=True)
    query = (
        select(MEMORY.c.position)
        .join(FACT, and_(*_FACTS), isouter=True)
        .where(MEMORY.c.scope == scope, MEMORY.c.recorded_at >= since, MEMORY.c.imported.is_(False))
        .where(FACT.c.is_active | is_turn)
        .order_by(_IS_FACT.desc(), MEMORY.c.position.desc())
        .limit(limit)
    )
    return [Position(each) for each in db.scalars(query)]


def memories_at(db: Connection, *, scope: Scope, memory_ids: list[MemoryId]) -> list[Position]:
    """Where the log has those of these memories that are left, and hold if they are facts."""
    query = (
        select(MEMORY.c.position)
        .join(FACT, and_(*_FACTS), isouter=True)
        .where(MEMORY.c.scope == scope, MEMORY.c.memory_id.in_(memory_ids), FACT.c.is_active.is_not(False))
        .order_by(MEMORY.c.position)
    )
    return [Position(each) for each in db.scalars(query)]


def lost_reflections(db: Connection, *, after: int, limit: int) -> list[LostReflection]:
    """The reflections that are to be written anew, whose forgetting lies after this position, but of whom turned memory off."""
    query = (
        select(*(LOST_REFLECTION.c[name] for name in LostReflection._fields))
        .where(LOST_REFLECTION.c.position > after, LOST_REFLECTION.c.scope.not_in(OFF))
        .order_by(LOST_REFLECTION.c.position, LOST_REFLECTION.c.occurred_at)
        .limit(limit)
    )
    return [LostReflection(*row) for row in db.execute(query)]
