"""Reads memories from a file, as the contracts show them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, select

from services.retriever.domain.succession import MemoryEnding, merged
from services.retriever.store.arrays.searched_file import SearchedFile
from services.retriever.store.corrected_turns import corrected
from services.retriever.store.narrowing import conditions, tagged
from services.retriever.store.reading_moment import moment_of, told_confidence
from services.retriever.store.schema import memories
from services.retriever.store.shown_rows import COLUMNS, EMPTY, SELECTED, KnownRows, ShownRow, shown_rows, unpacked
from services.retriever.store.succession import Doubt, KnownEndings
from shared.contracts.parts import FactSlot, Kind, Role, Standing
from shared.contracts.queries import ListAnswer, ListQuery, Memory, Outdated
from shared.domain.decay import Fading
from shared.domain.moments import moment

_MOST_PINNED = 20
_PINNED = f"{SELECTED} WHERE pinned = 1 AND status = '{Standing.ACTIVE}' ORDER BY number DESC LIMIT {_MOST_PINNED}"
_BY_IDS = f"{SELECTED} WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY number"
_KINDS, _ROLES, _STANDINGS = ({each.value: each for each in of} for of in (Kind, Role, Standing))
_HOLDS = {"outdated": None, "outdated_by": (), "outdated_slots": (), "valid_until": None}


def by_numbers(db: Connection, numbers: Sequence[int]) -> dict[int, Memory]:
    """The memories with these numbers."""
    return {memory.number: memory for memory in memories_of(db, list(KnownRows(db).of(numbers).values()))}


def facts_by_numbers(db: Connection, numbers: Sequence[int]) -> dict[int, Memory]:
    """The facts with these numbers: they are no turns, so nobody put them right."""
    found = list(KnownRows(db).of(numbers).values())
    return {fields["number"]: Memory.of_valid(**fields) for fields in _fields(db, found, KnownEndings(db), {})}


def fields_by_numbers(file: SearchedFile, numbers: Sequence[int]) -> dict[int, dict[str, Any]]:
    """The fields of these memories, by number, each as the contract has it."""
    found = list(file.rows.of(numbers).values())
    return {fields["number"]: fields for fields in _fields(file.db, found, file.ends, file.rightings.corrected(numbers))}


def pinned(db: Connection) -> list[Memory]:
    """What is pinned, the newest first."""
    return memories_of(db, shown_rows(db, _PINNED))


def by_ids(db: Connection, ids: Sequence[str]) -> list[Memory]:
    """The memories with these ids, oldest first; ids of anything else are left out."""
    return memories_of(db, shown_rows(db, _BY_IDS, ids=json.dumps(ids)))


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


def memories_of(db: Connection, found: Sequence[ShownRow]) -> list[Memory]:
    """The memories that rows of COLUMNS describe."""
    righted = corrected(db, [row.number for row in found])
    return [Memory.of_valid(**fields) for fields in _fields(db, found, KnownEndings(db), righted)]


def _fields(
    db: Connection, found: Sequence[ShownRow], known: KnownEndings, righted: Mapping[int, MemoryEnding]
) -> Iterator[dict[str, Any]]:
    if not found:
        return
    numbers = [row.number for row in found]
    ended, doubted = merged(known.endings(numbers), righted), known.doubts(numbers)
    by_then = moment_of(db)
    for row in found:
        ending, doubts = ended.get(row.number), doubted.get(row.number, ())
        yield _stored(row, by_then, _ending(ending) if ending and ending.is_told else _HOLDS, doubts)


def _stored(row: ShownRow, by_then: int | None, ending: Mapping[str, Any], doubts: Sequence[Doubt]) -> dict[str, Any]:
    """All fields of a memory in the order of the contract, as they would be after validation."""
    fading, is_pinned = Fading(row.confidence, row.confidence_at, row.decay_rate), bool(row.pinned)
    return {
        "memory_id": row.id,
        "kind": _KINDS[row.kind],
        "text": row.content,
        "number": row.number,
        "occurred_at": moment(row.event_time),
        "recorded_at": moment(row.created_at),
        "session_id": row.session_id,
        "role": _ROLES[row.source_role] if row.source_role else None,
        "speaker": row.speaker,
        "message_id": row.message_id,
        "source_ids": unpacked(row.source_ids),
        "tags": unpacked(row.tags),
        "manually_saved": bool(row.manually_saved),
        "pinned": is_pinned,
        "status": _STANDINGS[row.status],
        "superseded_by": row.superseded_by,
        "supersedes": row.supersedes,
        "slots": () if row.slots == EMPTY else tuple(FactSlot(**slot) for slot in unpacked(row.slots)),
        **ending,
        "conflict_ids": tuple([doubt.conflict_id for doubt in doubts]),
        "repeat_count": row.repeat_count,
        "confidence": told_confidence(by_then, fading, pinned=is_pinned),
        "importance": row.importance,
        "access_count": row.access_count,
        "last_accessed_at": moment(row.last_accessed) if row.last_accessed else None,
    }


def _ending(ended: MemoryEnding) -> dict[str, Any]:
    """The fields that say how much of a memory does not hold any more."""
    return {
        "outdated": Outdated.WHOLLY if ended.is_whole else Outdated.PARTLY,
        "outdated_by": tuple(heir.memory_id for heir in ended.heirs),
        "outdated_slots": tuple(sorted(ended.slots)),
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
