"""Reads memories from a file, as the contracts show them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from sqlalchemy import ColumnElement, Connection, select, text

from services.retriever.domain.succession import MemoryEnding, merged
from services.retriever.store.corrected_turns import corrected
from services.retriever.store.narrowing import conditions, tagged
from services.retriever.store.reading_moment import moment_of
from services.retriever.store.schema import memories
from services.retriever.store.search.searched_file import SearchedFile
from services.retriever.store.shown_rows import COLUMNS, SELECTED, KnownRows, ShownRow, shown_rows
from services.retriever.store.stored_memory import StoredMemory
from services.retriever.store.succession import Doubt, all_doubts, endings
from shared.contracts.parts import Standing
from shared.contracts.queries import ListAnswer, ListQuery, Memory

S = TypeVar("S", bound=StoredMemory)
_MOST_PINNED = 20
_PINNED = f"{SELECTED} WHERE pinned = 1 AND status = '{Standing.ACTIVE}' ORDER BY number DESC LIMIT {_MOST_PINNED}"
_UNEMBEDDED = text(
    "SELECT value FROM json_each(:numbers) WHERE NOT EXISTS (SELECT 1 FROM vec_memories WHERE vec_memories.number = value)"
)
_BY_IDS = f"{SELECTED} WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY number"


def by_numbers(db: Connection, numbers: Sequence[int]) -> dict[int, Memory]:
    """The memories with these numbers."""
    return {memory.number: memory for memory in memories_of(db, list(KnownRows(db).of(numbers).values()))}


def facts_by_numbers(db: Connection, numbers: Sequence[int]) -> dict[int, Memory]:
    """The facts with these numbers: they are no turns, so nobody put them right."""
    return {memory.number: memory for memory in _read_once(db, list(KnownRows(db).of(numbers).values()), {})}


def stored_by_numbers(file: SearchedFile, numbers: Sequence[int], of: type[S]) -> dict[int, S]:
    """These memories as they are stored, by number, each made of this class."""
    found = file.rows.of(numbers)
    ended = merged(file.ends.endings(found), file.rightings.corrected(numbers))
    return {stored.number: stored for stored in _stored(file.db, list(found.values()), ended, file.ends.doubts(found), of)}


def pinned(db: Connection) -> list[Memory]:
    """What is pinned, the newest first."""
    return memories_of(db, shown_rows(db, _PINNED))


def by_ids(db: Connection, ids: Sequence[str]) -> list[Memory]:
    """The memories with these ids, oldest first; ids of anything else are left out."""
    return memories_of(db, shown_rows(db, _BY_IDS, ids=json.dumps(ids)))


def page(db: Connection, query: ListQuery, position: int) -> ListAnswer:
    """A page of memories, newest first."""
    wanted = select(*COLUMNS).where(memories.c.kind.in_(query.kinds), *_conditions(query), *conditions(db, _with_entity(query)))
    items = memories_of(db, db.execute(wanted.order_by(memories.c.number.desc()).limit(query.limit)).all())
    lacking = unembedded(db, [each.number for each in items])
    items = [each.model_copy(update={"needs_embedding": True}) if each.number in lacking else each for each in items]
    following = items[-1].number if len(items) == query.limit else None
    return ListAnswer(position=position, items=tuple(items), next_before_number=following)


def unembedded(db: Connection, numbers: Sequence[int]) -> set[int]:
    """The memories among these numbers that have no vector yet, of any model: they are found by their words alone."""
    found = db.execute(_UNEMBEDDED, {"numbers": json.dumps(numbers)})
    return {number for (number,) in found}


def _with_entity(query: ListQuery) -> ListQuery:
    """The query with its one entity among the others."""
    return query.model_copy(update={"entities": (*query.entities, query.entity)}) if query.entity else query


def memories_of(db: Connection, found: Sequence[ShownRow]) -> list[Memory]:
    """The memories that rows of COLUMNS describe."""
    return _read_once(db, found, corrected(db, [row.number for row in found]))


def _read_once(db: Connection, found: Sequence[ShownRow], righted: Mapping[int, MemoryEnding]) -> list[Memory]:
    """The memories in these rows, of which some were put right."""
    if not found:
        return []
    ended = merged(endings(db, [row.number for row in found]), righted)
    return [Memory.of_fields(stored.fields) for stored in _stored(db, found, ended, all_doubts(db), StoredMemory)]


def _stored(
    db: Connection, found: Sequence[ShownRow], ended: Mapping[int, MemoryEnding], doubts: Mapping[int, list[Doubt]], of: type[S]
) -> Iterator[S]:
    by_then = moment_of(db)
    for row in found:
        yield of(row, by_then, ended.get(row.number), doubts.get(row.number, ()))


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
