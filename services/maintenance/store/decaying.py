"""The facts that fade, in the order in which they fall below any threshold: a night costs what falls, not what there is.

Facts of the same rate fall in the order in which each was certain once, as its curve goes on before its anchor, whatever the
threshold is: an index has them in this order, and a changed threshold changes no row.
"""

import json
import math
from typing import NamedTuple

from sqlalchemy import Connection
from sqlalchemy.dialects.sqlite import insert

from services.maintenance.store.schema import FADES, FADING, ONCE_CERTAIN
from shared.contracts.event import EventData
from shared.contracts.events import (
    FactConfirmed,
    FactSuperseded,
    MemoriesRecalled,
    MemoryPinned,
    MemoryRepeated,
    MemoryRestored,
    MemoryRetired,
    MemoryUnpinned,
)
from shared.contracts.ids import MemoryId, Position, Scope
from shared.contracts.parts import Kind
from shared.domain.decay import lasting, log_confidence
from shared.domain.moments import microseconds
from shared.runtime.bulk import Batch, Rows, rows_of
from shared.runtime.projector import Recorded
from shared.runtime.sqlite import rows

_KEY = ("scope", "memory_id")
_BEGUN = rows_of(FADING, insert(FADING).on_conflict_do_nothing())


def _changing(change: str, *columns: str) -> Rows:
    """A change of a fact, unless its event was applied to it before."""
    statement = f"UPDATE fading SET {change}, changed_at = ? WHERE scope = ? AND memory_id = ? AND changed_at < ?"
    return Rows(statement, (*columns, "position", *_KEY, "position"))


_ENDED = _changing("is_live = 0")
_RESTORED = _changing("is_live = 1, log_confidence = ?, anchor = max(anchor, ?)", "log_confidence", "at")
_CONFIRMED = _changing("rate = ?, log_confidence = ?, anchor = max(anchor, ?)", "rate", "log_confidence", "at")
_USED = """
UPDATE fading SET anchor = max(anchor, used.at), changed_at = :position
FROM (SELECT :scope AS whose, key AS what, value AS at FROM json_each(:used) LIMIT -1) AS used
WHERE scope = used.whose AND memory_id = used.what AND changed_at < :position
"""
"""With the limit SQLite reads these first and then looks each up; without it, everything of the scope for each of them."""
_PINNED = _changing("is_pinned = 1")
_UNPINNED = _changing("is_pinned = 0, anchor = max(anchor, ?)", "at")
_REPEATED = _changing("is_pinned = ?, anchor = max(anchor, ?)", "is_pinned", "at")

_NEXT_RATE = f"SELECT min(rate) FROM fading WHERE {FADES} AND rate > :rate"
_FALLING = f"""
    SELECT scope, memory_id, position, {ONCE_CERTAIN} FROM fading
    WHERE {FADES} AND rate = :rate AND {ONCE_CERTAIN} BETWEEN :certain_after AND :certain_by
      AND ({ONCE_CERTAIN}, scope, memory_id) > (:certain_after, :scope, :memory_id)
    ORDER BY {ONCE_CERTAIN}, scope, memory_id LIMIT :limit
    """


class Falling(NamedTuple):
    """A fact that falls below the threshold at a moment, with the position of the event that made it."""

    scope: Scope
    memory_id: MemoryId
    position: Position
    rate: float
    once_certain: float  # where its curve was at 1, in microseconds since 1970
    at: int  # microseconds since 1970


def follow_fading(db: Batch, recorded: Recorded) -> None:
    """Follow how facts appear, are kept from fading, end and come back."""
    match recorded.event.data:
        case EventData(makes=Kind.FACT) as data:
            said = vars(data)
            row = {
                "scope": recorded.scope,
                "memory_id": data.subject,
                "position": recorded.position,
                "log_confidence": log_confidence(said.get("confidence", 1.0)),
                "anchor": microseconds(recorded.event.recorded_at),
                "rate": said.get("decay_rate", 0.0),
                "is_pinned": said.get("pinned", False),
                "is_live": True,
                "changed_at": recorded.position,
            }
            db.add(_BEGUN, (FADING.name, recorded.scope, data.subject), row)
        case MemoryRetired() | FactSuperseded() as data:
            _change(db, recorded, data.memory_id, _ENDED)
        case MemoryRestored() as data:
            _change(db, recorded, data.memory_id, _RESTORED, log_confidence=log_confidence(data.confidence))
        case FactConfirmed() as data:
            certain = log_confidence(data.confidence)
            _change(db, recorded, data.memory_id, _CONFIRMED, rate=data.decay_rate, log_confidence=certain)
        case MemoryRepeated() as data:
            _change(db, recorded, data.memory_id, _REPEATED, is_pinned=data.pinned)
        case MemoryPinned() as data:
            _change(db, recorded, data.memory_id, _PINNED)
        case MemoryUnpinned() as data:
            _change(db, recorded, data.memory_id, _UNPINNED)
        case MemoriesRecalled() as data:
            used = json.dumps({memory_id: microseconds(used_at) for memory_id, used_at in data.last_used.items()})
            db.run(_USED, {"scope": recorded.scope, "position": recorded.position, "used": used})
        case _:
            pass


def falling(db: Connection, *, below: float, until: int, limit: int, after: Falling | None = None) -> list[Falling]:
    """The facts that are below the threshold by a moment, in microseconds: rate by rate, and the longest fallen of each first.

    `after`: the last one of the page before.
    """
    found: list[Falling] = []
    rate = after.rate if after else _next_rate(db, 0.0)
    while rate is not None and len(found) < limit:
        begin = after if after and after.rate == rate else None
        found += _of_rate(db, rate, below=below, until=until, limit=limit - len(found), after=begin)
        rate = _next_rate(db, rate)
    return found


def _of_rate(db: Connection, rate: float, *, below: float, until: int, limit: int, after: Falling | None) -> list[Falling]:
    lasts = lasting(-log_confidence(below), rate)
    asked = {
        "rate": rate,
        "certain_by": until - lasts,
        "certain_after": after.once_certain if after else -math.inf,
        "scope": after.scope if after else "",
        "memory_id": after.memory_id if after else "",
        "limit": limit,
    }
    return [
        Falling(Scope(scope), MemoryId(memory_id), Position(position), rate, once_certain, round(once_certain) + lasts)
        for scope, memory_id, position, once_certain in rows(db, _FALLING, asked)
    ]


def _next_rate(db: Connection, rate: float) -> float | None:
    """The least rate above this one at which a fact fades; None if there is none."""
    found: float | None = rows(db, _NEXT_RATE, {"rate": rate})[0][0]
    return found


def _change(db: Batch, recorded: Recorded, memory_id: MemoryId, change: Rows, **values: object) -> None:
    at = microseconds(recorded.event.recorded_at)
    row = {"at": at, "position": recorded.position, "scope": recorded.scope, "memory_id": memory_id} | values
    db.add(change, (FADING.name, recorded.scope, memory_id), row)
