"""Which memories are old, little used and of little worth; and which a roll-up stands for."""

import json
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, func, select
from sqlalchemy.dialects.sqlite import insert

from services.maintenance.store.schema import ERASING, OLD_MEMORY
from shared.contracts.event import EventData
from shared.contracts.events import (
    EpisodeRecorded,
    FactConfirmed,
    FactSuperseded,
    MemoriesRecalled,
    MemoryEmbedded,
    MemoryEnriched,
    MemoryPinned,
    MemoryRepeated,
    MemoryRestored,
    MemoryRetired,
    MemoryUnpinned,
)
from shared.contracts.ids import MemoryId, Position, Scope
from shared.contracts.parts import Entity
from shared.contracts.privacy import ForgettingCompleted, MemoryForgotten
from shared.contracts.undoing import RepeatUndone
from shared.domain.importance import judge
from shared.domain.moments import microseconds
from shared.runtime.bulk import Batch, Rows, rows_into, rows_of
from shared.runtime.projector import Recorded

_OLD = OLD_MEMORY.c
_APPEARED = rows_of(OLD_MEMORY, insert(OLD_MEMORY).on_conflict_do_nothing())
_EMBEDDED = Rows(
    "UPDATE old_memory SET vector = ?, model = ?, changed_at = ? WHERE scope = ? AND memory_id = ? AND changed_at < ?",
    ("position", "model", "position", "scope", "memory_id", "position"),
)


def _changing(change: str, *columns: str) -> Rows:
    """A change of a memory, unless its event was applied to it before."""
    statement = f"UPDATE old_memory SET {change}, changed_at = ? WHERE scope = ? AND memory_id = ? AND changed_at < ?"
    return Rows(statement, (*columns, "position", "scope", "memory_id", "position"))


_REPEATED = _changing(
    "kept = kept OR ?, pinned = ?, importance = ?, used_at = max(used_at, ?)", "kept", "pinned", "importance", "at"
)
_JUDGED = _changing("importance = ?", "importance")
_CONFIRMED = _changing("kept = 1")
_PINNED = _changing("pinned = ?", "pinned")
_RESTORED = _changing(
    "is_live = 1, rolled_up_at = NULL, rolled_up_into = NULL, restored = ?, used_at = max(used_at, ?)", "position", "at"
)
_ENDED = _changing("is_live = 0, rolled_up_at = ?, rolled_up_into = ?", "rolled_up_at", "rolled_up_into")
_RECALLED = """
UPDATE old_memory SET recalls = recalls + 1, used_at = max(used_at, :at), changed_at = :position
WHERE scope = :scope AND memory_id IN (SELECT value FROM json_each(:memories)) AND changed_at < :position
"""
_ERASED_LATER = rows_into(ERASING, over=("events",))
_FREE = and_(~_OLD.pinned, ~_OLD.kept)


class OldMemory(NamedTuple):
    """A memory that may be rolled up, with the positions of its words and of its vector."""

    memory_id: MemoryId
    position: Position
    vector: Position
    restored: int


class RolledUp(NamedTuple):
    """A memory for which a roll-up stands since a moment, in microseconds since 1970."""

    memory_id: MemoryId
    position: Position
    rolled_up_at: int


class AgeingLimits(NamedTuple):
    """What is old, of little worth and little used. `before`: microseconds since 1970."""

    before: int
    below: float
    most_recalls: int
    model: str  # of the vectors that are compared


def follow_ageing(db: Batch, recorded: Recorded) -> None:
    """Follow how memories appear, are used, kept, rolled up and forgotten."""
    data = recorded.event.data
    if data.makes and not data.makes.is_derived:
        db.add(_APPEARED, (OLD_MEMORY.name, recorded.scope, data.subject), _row(recorded, data))
    elif isinstance(data, MemoryEmbedded):
        vector = {"model": data.embedding.model, "position": recorded.position}
        row = {"scope": recorded.scope, "memory_id": data.memory_id, **vector}
        db.add(_EMBEDDED, (OLD_MEMORY.name, recorded.scope, data.memory_id), row)
    elif isinstance(data, MemoriesRecalled):
        told = {"scope": recorded.scope, "position": recorded.position, "memories": json.dumps(data.named)}
        db.run(_RECALLED, {"at": microseconds(recorded.event.recorded_at), **told})
    elif isinstance(data, MemoryForgotten | ForgettingCompleted):
        _follow_erasing(db, recorded, data)
    elif data.subject:
        _follow_changes(db, recorded, data.subject)


def ageing_scopes(db: Connection, limits: AgeingLimits, *, start: str) -> list[Scope]:
    """The people of whom something may be rolled up, from one scope on, round to it."""
    found = db.scalars(select(_OLD.scope).where(_may_age(limits)).distinct().order_by(_OLD.scope < start, _OLD.scope))
    return [Scope(scope) for scope in found]


def ageing_page(db: Connection, scope: Scope, limits: AgeingLimits, *, after: int, most: int) -> list[OldMemory]:
    """The next memories of a person that may be rolled up, oldest first, after a position."""
    columns = (_OLD.memory_id, _OLD.position, _OLD.vector, _OLD.restored)
    query = select(*columns).where(_OLD.scope == scope, _may_age(limits), _OLD.position > after)
    return [OldMemory(*row) for row in db.execute(query.order_by(_OLD.position).limit(most))]


def rolled_up_scopes(db: Connection, *, before: int, start: str) -> list[Scope]:
    """The people of whom something was rolled up at this moment or earlier, from one scope on, round to it."""
    query = select(_OLD.scope).where(_is_rolled_up(before)).distinct().order_by(_OLD.scope < start, _OLD.scope)
    return [Scope(scope) for scope in db.scalars(query)]


def rolled_up(db: Connection, scope: Scope, *, before: int, after: int, most: int) -> list[RolledUp]:
    """The next memories of a person that were rolled up at this moment or earlier, after a position."""
    query = select(_OLD.memory_id, _OLD.position, _OLD.rolled_up_at)
    query = query.where(_OLD.scope == scope, _is_rolled_up(before), _OLD.position > after).order_by(_OLD.position).limit(most)
    return [RolledUp(*row) for row in db.execute(query)]


def left_to_erase(db: Connection, scope: Scope, memory_ids: Collection[MemoryId]) -> tuple[int, int]:
    """How many of these memories are known still, and how many events of the person wait to be erased by retention."""
    these = and_(_OLD.scope == scope, _OLD.memory_id.in_(list(memory_ids)))
    known = db.scalar(select(func.count()).select_from(OLD_MEMORY).where(these)) or 0
    waiting = db.scalar(select(func.coalesce(func.sum(ERASING.c.events), 0)).where(ERASING.c.scope == scope)) or 0
    return known, waiting


def _may_age(limits: AgeingLimits) -> Any:  # noqa: ANN401 - SQLAlchemy's own
    is_old = and_(_OLD.is_live, _OLD.used_at <= limits.before, _OLD.recalls <= limits.most_recalls)
    return and_(is_old, _FREE, _OLD.importance < limits.below, _OLD.model == limits.model)


def _is_rolled_up(before: int) -> Any:  # noqa: ANN401 - SQLAlchemy's own
    return and_(_OLD.rolled_up_at.is_not(None), _OLD.rolled_up_at <= before, _FREE)


def _row(recorded: Recorded, data: EventData) -> dict[str, object]:
    return {
        "scope": recorded.scope,
        "memory_id": data.subject,
        "position": recorded.position,
        "used_at": microseconds(recorded.event.recorded_at),
        "recalls": 0,
        "importance": _worth(data),
        "pinned": getattr(data, "pinned", False),
        "kept": getattr(data, "manually_saved", False) or getattr(data, "held_back", False),
        "is_live": True,
        "restored": 0,
        "rolled_up_at": None,
        "rolled_up_into": None,
        "vector": None,
        "model": None,
        "changed_at": recorded.position,
    }


def _worth(data: EventData) -> float:
    """The importance of a fact, or of a turn by the rules for facts."""
    if isinstance(data, EpisodeRecorded):
        return judge(data.text, metadata_confidence=_certainty(data.entities), has_metadata=bool(data.entities)).value
    return float(getattr(data, "importance", 0.5))


def _certainty(entities: Sequence[Entity]) -> float:
    return sum(entity.confidence for entity in entities) / len(entities) if entities else 0.0


def _follow_changes(db: Batch, recorded: Recorded, memory_id: MemoryId) -> None:
    """Follow what an event changes of its memory."""
    match recorded.event.data:
        case MemoryRepeated() as data:
            told = {"kept": data.manually_saved, "pinned": data.pinned, "importance": data.importance.value}
            _change(db, recorded, memory_id, _REPEATED, **told)
        case RepeatUndone(importance=judged) | MemoryEnriched(importance=judged) if judged:
            _change(db, recorded, memory_id, _JUDGED, importance=judged.value)
        case FactConfirmed():
            _change(db, recorded, memory_id, _CONFIRMED)
        case MemoryPinned() | MemoryUnpinned() as data:
            _change(db, recorded, memory_id, _PINNED, pinned=isinstance(data, MemoryPinned))
        case MemoryRestored(lost_rollup=lost):
            _change(db, recorded, memory_id, _RESTORED, **({"at": 0} if lost else {}))  # then it is as old as it was
        case FactSuperseded() | MemoryRetired() as data:
            into = getattr(data, "rolled_up_into", None)
            at = microseconds(recorded.event.told_at) if into else None
            _change(db, recorded, memory_id, _ENDED, rolled_up_at=at, rolled_up_into=into)
        case _:
            pass


def _change(db: Batch, recorded: Recorded, memory_id: MemoryId, change: Rows, **values: object) -> None:
    row = {"scope": recorded.scope, "memory_id": memory_id, "position": recorded.position}
    row |= {"at": microseconds(recorded.event.recorded_at)} | values
    db.add(change, (OLD_MEMORY.name, recorded.scope, memory_id), row)


def _follow_erasing(db: Batch, recorded: Recorded, data: MemoryForgotten | ForgettingCompleted) -> None:
    if isinstance(data, ForgettingCompleted):
        this = and_(ERASING.c.scope == recorded.scope, ERASING.c.forget_id == data.forget_id)
        db.execute(ERASING.delete().where(this))
    elif data.by == "retention":
        row = {"scope": recorded.scope, "forget_id": data.forget_id, "events": len(data.numbers)}
        db.add(_ERASED_LATER, (ERASING.name, recorded.scope, data.forget_id), row)
