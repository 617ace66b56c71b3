"""The memories that mention little, and whether an accurate provider has read them."""

from typing import NamedTuple

from sqlalchemy import Connection, desc, select
from sqlalchemy.dialects.sqlite import insert

from services.maintenance.domain.naming import FEW_ENTITIES, is_accurate
from services.maintenance.store.people import OFF
from services.maintenance.store.schema import MENTIONING_LITTLE
from shared.contracts.events import FactSuperseded, MemoryEnriched, MemoryRestored, MemoryRetired
from shared.contracts.ids import MemoryId, Position, Scope
from shared.contracts.parts import Kind
from shared.runtime.bulk import Batch, Rows, rows_of
from shared.runtime.projector import Recorded

_APPEARED = rows_of(MENTIONING_LITTLE, insert(MENTIONING_LITTLE).on_conflict_do_nothing())
_READ = Rows("UPDATE mentioning_little SET is_read = 1 WHERE scope = ? AND memory_id = ?", ("scope", "memory_id"))
_LIVE = Rows(
    "UPDATE mentioning_little SET is_active = ? WHERE scope = ? AND memory_id = ?", ("is_active", "scope", "memory_id")
)
_OF = MENTIONING_LITTLE.c
_DUE = select(_OF.scope, _OF.memory_id, _OF.position).where(_OF.is_active, ~_OF.is_read)
_DUE = _DUE.where(_OF.scope.not_in(OFF))
_DUE = _DUE.order_by(desc(_OF.is_fact), desc(_OF.position))


class Unread(NamedTuple):
    """A memory that no accurate provider has read, with the position of the event that has its text."""

    scope: Scope
    memory_id: MemoryId
    position: Position


def follow_mentions(db: Batch, recorded: Recorded) -> None:
    """Follow which memories appear with few entities, are read, end and come back."""
    data = recorded.event.data
    if data.makes in {Kind.FACT, Kind.EPISODE}:
        says = vars(data)
        if len(says.get("entities", ())) <= FEW_ENTITIES and not says.get("held_back"):
            row: dict[str, object] = {"scope": recorded.scope, "memory_id": data.subject, "position": recorded.position}
            row |= {"is_fact": data.makes is Kind.FACT, "is_active": True, "is_read": False}
            db.add(_APPEARED, (MENTIONING_LITTLE.name, recorded.scope, data.subject), row)
        return
    match data:
        case MemoryEnriched(method=method) if is_accurate(method):
            _change(db, recorded, data.memory_id, _READ)
        case FactSuperseded() | MemoryRetired():
            _change(db, recorded, data.memory_id, _LIVE, is_active=False)
        case MemoryRestored():
            _change(db, recorded, data.memory_id, _LIVE, is_active=True)
        case _:
            pass


def unread(db: Connection, limit: int) -> list[Unread]:
    """Active memories with few entities that no accurate provider has read: facts first, of each kind the newest.

    None is of a person who turned memory off.
    """
    return [Unread(*row) for row in db.execute(_DUE.limit(limit))]


def _change(db: Batch, recorded: Recorded, memory_id: MemoryId, change: Rows, **values: bool) -> None:
    row = {"scope": recorded.scope, "memory_id": memory_id} | values
    db.add(change, (MENTIONING_LITTLE.name, recorded.scope, memory_id), row)
