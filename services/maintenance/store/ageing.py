"""Which memories are old, little used and of little worth; and which a roll-up stands for."""

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, and_, case, func, literal, or_, select
from sqlalchemy.dialects.sqlite import insert

from services.maintenance.store.schema import ERASING, OLD_MEMORY, OLD_PERSON
from shared.contracts.envelope import Envelope
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
from shared.contracts.preferences import SettingsChanged
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
_SET = rows_into(OLD_PERSON, over=("is_off", "retention_days"))
_ERASED_LATER = rows_into(ERASING, over=("events",))
_LIVE = {"is_live": True, "rolled_up_at": None, "rolled_up_into": None}
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


class AgeingPerson(NamedTuple):
    """What a person has set."""

    is_off: bool
    retention_days: int | None


NOTHING_SET = AgeingPerson(is_off=False, retention_days=None)


def follow_ageing(db: Batch, recorded: Recorded) -> None:
    """Follow how memories appear, are used, kept, rolled up and forgotten."""
    data, event = recorded.event.data, recorded.event
    if data.makes and not data.makes.is_derived:
        db.add(_APPEARED, (OLD_MEMORY.name, recorded.scope, data.subject), _row(recorded, data))
    elif isinstance(data, MemoryEmbedded):
        vector = {"model": data.embedding.model, "position": recorded.position}
        row = {"scope": recorded.scope, "memory_id": data.memory_id, **vector}
        db.add(_EMBEDDED, (OLD_MEMORY.name, recorded.scope, data.memory_id), row)
    elif isinstance(data, MemoriesRecalled):
        _recalled(db, recorded, data)
    elif isinstance(data, SettingsChanged):
        asked = {"is_off": data.settings.memory_enabled is False, "retention_days": data.settings.retention_days}
        db.add(_SET, (OLD_PERSON.name, recorded.scope), {"scope": recorded.scope, **asked})
    elif isinstance(data, MemoryForgotten | ForgettingCompleted):
        _follow_erasing(db, recorded, data)
    elif data.subject and (values := _changes(event, data, recorded.position)):
        this = and_(_OLD.scope == recorded.scope, _OLD.memory_id == data.subject, _OLD.changed_at < recorded.position)
        db.execute(OLD_MEMORY.update().where(this).values(changed_at=recorded.position, **values))


def ageing_scopes(db: Connection, limits: AgeingLimits, *, start: str) -> list[Scope]:
    """The people of whom something may be rolled up, from one scope on, round to it."""
    found = db.scalars(select(_OLD.scope).where(_may_age(limits)).distinct().order_by(_OLD.scope < start, _OLD.scope))
    return [Scope(scope) for scope in found]


def ageing_page(db: Connection, scope: Scope, limits: AgeingLimits, *, after: int, most: int) -> list[OldMemory]:
    """The next memories of a person that may be rolled up, oldest first, after a position."""
    columns = (_OLD.memory_id, _OLD.position, _OLD.vector, _OLD.restored)
    query = select(*columns).where(_OLD.scope == scope, _may_age(limits), _OLD.position > after)
    return [OldMemory(*row) for row in db.execute(query.order_by(_OLD.position).limit(most))]


def ageing_person(db: Connection, scope: Scope) -> AgeingPerson:
    """What a person has set."""
    row = db.execute(select(OLD_PERSON.c.is_off, OLD_PERSON.c.retention_days).where(OLD_PERSON.c.scope == scope)).first()
    return AgeingPerson(*row) if row else NOTHING_SET


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


def _changes(event: Envelope, data: EventData, position: int) -> dict[str, Any]:
    """What an event changes of its memory."""
    at = microseconds(event.recorded_at)
    changes: dict[str, Any] = {}
    match data:
        case MemoryRepeated():
            kept = or_(_OLD.kept, literal(data.manually_saved))
            told = {"kept": kept, "pinned": data.pinned, "importance": data.importance.value}
            changes = {"used_at": func.max(_OLD.used_at, at), **told}
        case RepeatUndone() | MemoryEnriched():
            changes = {"importance": data.importance.value} if data.importance else {}
        case FactConfirmed():
            changes = {"kept": True}
        case MemoryPinned() | MemoryUnpinned():
            changes = {"pinned": isinstance(data, MemoryPinned)}
        case MemoryRestored():
            used = {} if data.lost_rollup else {"used_at": func.max(_OLD.used_at, at)}
            changes = {**_LIVE, "restored": position, **used}
        case FactSuperseded() | MemoryRetired():
            into = getattr(data, "rolled_up_into", None)
            changes = {"is_live": False, "rolled_up_at": microseconds(event.told_at) if into else None, "rolled_up_into": into}
        case _:
            pass
    return changes


def _recalled(db: Batch, recorded: Recorded, data: MemoriesRecalled) -> None:
    this = and_(_OLD.scope == recorded.scope, _OLD.memory_id.in_(data.named), _OLD.changed_at < recorded.position)
    at = microseconds(recorded.event.recorded_at)
    used = {"recalls": _OLD.recalls + 1, "used_at": case((_OLD.used_at < at, at), else_=_OLD.used_at)}
    db.execute(OLD_MEMORY.update().where(this).values(changed_at=recorded.position, **used))


def _follow_erasing(db: Batch, recorded: Recorded, data: MemoryForgotten | ForgettingCompleted) -> None:
    if isinstance(data, ForgettingCompleted):
        this = and_(ERASING.c.scope == recorded.scope, ERASING.c.forget_id == data.forget_id)
        db.execute(ERASING.delete().where(this))
    elif data.by == "retention":
        row = {"scope": recorded.scope, "forget_id": data.forget_id, "events": len(data.numbers)}
        db.add(_ERASED_LATER, (ERASING.name, recorded.scope, data.forget_id), row)
