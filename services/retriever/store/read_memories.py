"""Reads memories from a file, as the contracts show them."""

import json
from collections import namedtuple
from collections.abc import Iterator, Sequence
from operator import attrgetter
from typing import Any, TypeAlias

from sqlalchemy import ColumnElement, Connection, select

from services.retriever.domain.succession import MemoryEnding, merged
from services.retriever.store.corrected_turns import corrected
from services.retriever.store.narrowing import conditions, tagged
from services.retriever.store.reading_moment import moment_of, told_confidence
from services.retriever.store.schema import memories
from services.retriever.store.succession import KnownEndings
from shared.contracts.parts import Standing
from shared.contracts.queries import ListAnswer, ListQuery, Memory, Outdated
from shared.domain.decay import Fading
from shared.domain.moments import moment
from shared.runtime import sqlite

_FADES = ("confidence_at", "decay_rate")
_NAMES = (
    *("number", "id", "kind", "content", "session_id", "event_time", "created_at", "status", "superseded_by", "supersedes"),
    *("confidence", "access_count", "last_accessed", "source_ids", "source_role", "speaker", "message_id", "tags"),
    *("importance", "manually_saved", "pinned", "repeat_count", "slots", *_FADES),
)
COLUMNS = [memories.c[name] for name in _NAMES]
"""What a page shows of a memory."""

_AS_JSON = ("source_ids", "tags", "slots")
_AS_TOLD = {
    "id": "memory_id",
    "content": "text",
    "event_time": "occurred_at",
    "created_at": "recorded_at",
    "source_role": "role",
    "last_accessed": "last_accessed_at",
}
_TOLD = tuple(_AS_TOLD.get(name, name) for name in _NAMES[: -len(_FADES)])
_as_named = attrgetter(*_NAMES)
_BY_NUMBERS = f"SELECT {', '.join(_NAMES)} FROM memories WHERE number IN (SELECT value FROM json_each(:numbers))"
Shown: TypeAlias = Any
"""A row of COLUMNS, each as an attribute."""

_SHOWN = namedtuple("_SHOWN", _NAMES)  # type: ignore[misc] # noqa: PYI024 - made of the names
_MOST_PINNED = 20
_PINNED = f"""
SELECT {", ".join(_NAMES)} FROM memories
WHERE pinned = 1 AND status = '{Standing.ACTIVE}' ORDER BY number DESC LIMIT {_MOST_PINNED}
"""
_BY_IDS = f"SELECT {', '.join(_NAMES)} FROM memories WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY number"


def by_numbers(db: Connection, numbers: Sequence[int], *, put_right: Sequence[int] | None = None) -> dict[int, Memory]:
    """The memories with these numbers. `put_right`: the turns that may have been put right, where that is known."""
    return {number: Memory(**fields) for number, fields in fields_by_numbers(db, numbers, put_right=put_right).items()}


def fields_by_numbers(
    db: Connection, numbers: Sequence[int], *, put_right: Sequence[int] | None = None, ends: KnownEndings | None = None
) -> dict[int, dict[str, Any]]:
    """The fields of these memories, by number. `put_right`: the turns that may have been put right, where that is known."""
    if not numbers:
        return {}
    found = _shown(db, _BY_NUMBERS, numbers=json.dumps(numbers))
    return {fields["number"]: fields for fields in _fields(db, found, put_right, ends)}


def pinned(db: Connection) -> list[Memory]:
    """What is pinned, the newest first."""
    return memories_of(db, _shown(db, _PINNED))


def by_ids(db: Connection, ids: Sequence[str]) -> list[Memory]:
    """The memories with these ids, oldest first; ids of anything else are left out."""
    return memories_of(db, _shown(db, _BY_IDS, ids=json.dumps(ids)))


def _shown(db: Connection, statement: str, **parameters: str) -> list[Shown]:
    return list(map(_SHOWN._make, sqlite.rows(db, statement, parameters)))


def page(db: Connection, query: ListQuery, position: int) -> ListAnswer:
    """A page of memories, newest first."""
    items = _page(db, query)
    following = items[-1].number if len(items) == query.limit else None
    return ListAnswer(position=position, items=tuple(items), next_before_number=following)


def _page(db: Connection, query: ListQuery) -> list[Memory]:
    wanted = select(*COLUMNS).where(memories.c.kind.in_(query.kinds), *_conditions(query), *conditions(db, _with_entity(query)))
    return memories_of(db, db.execute(wanted.order_by(memories.c.number.desc()).limit(query.limit)).all())


def _with_entity(query: ListQuery) -> ListQuery:
    """The query with its one entity among the others."""
    return query.model_copy(update={"entities": (*query.entities, query.entity)}) if query.entity else query


def memories_of(db: Connection, found: Sequence[Shown]) -> list[Memory]:
    """The memories that rows of COLUMNS describe."""
    return [Memory(**fields) for fields in _fields(db, found)]


def _fields(
    db: Connection, found: Sequence[Shown], put_right: Sequence[int] | None = None, ends: KnownEndings | None = None
) -> Iterator[dict[str, Any]]:
    if not found:
        return
    numbers = [row.number for row in found]
    righted = corrected(db, numbers if put_right is None else put_right)
    known = ends or KnownEndings(db)
    ended, doubted = merged(known.endings(numbers), righted), known.doubts(numbers)
    by_then = moment_of(db)
    for row in found:
        fields = _stored(row, by_then)
        if ending := ended.get(row.number):
            fields |= _ending(ending)
        if doubts := doubted.get(row.number):
            fields["conflict_ids"] = [doubt.conflict_id for doubt in doubts]
        yield fields


def _stored(row: Shown, by_then: int | None) -> dict[str, Any]:
    *told, confidence_at, decay_rate = _as_named(row)
    fields = dict(zip(_TOLD, told, strict=True))
    for name in _AS_JSON:
        fields[name] = _unpacked(fields[name])
    accessed, fading = fields["last_accessed_at"], Fading(fields["confidence"], confidence_at, decay_rate)
    fields["confidence"] = told_confidence(by_then, fading, pinned=bool(fields["pinned"]))
    fields["occurred_at"], fields["recorded_at"] = moment(fields["occurred_at"]), moment(fields["recorded_at"])
    fields["last_accessed_at"] = moment(accessed) if accessed else None
    return fields


def _unpacked(stored: str) -> list[Any]:
    """A list that is stored as JSON; most are empty."""
    return [] if stored == "[]" else json.loads(stored)


def _ending(ended: MemoryEnding) -> dict[str, Any]:
    """The fields that say how much of a memory does not hold any more."""
    if not ended.is_told:
        return {}
    return {
        "outdated": Outdated.WHOLLY if ended.is_whole else Outdated.PARTLY,
        "outdated_by": [heir.memory_id for heir in ended.heirs],
        "outdated_slots": sorted(ended.slots),
        "valid_until": None if ended.since is None else moment(ended.since),
    }


def _conditions(query: ListQuery) -> Iterator[ColumnElement[bool]]:
    if query.session_id is not None:
        yield memories.c.session_id == query.session_id
    if query.before_number is not None:
        yield memories.c.number < query.before_number
    if query.pinned is not None:
        yield memories.c.pinned == int(query.pinned)
    if query.manually_saved is not None:
        yield memories.c.manually_saved == int(query.manually_saved)
    if query.status != "all":
        yield memories.c.status == query.status
    if query.tag is not None:
        yield tagged(query.tag)
