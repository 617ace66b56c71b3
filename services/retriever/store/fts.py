"""Keeps the full-text index, and who stands beside whom: a turn has two neighbours on either side in its session.

An index without content of its own (`contentless_delete`) ranks differently after live writes than after a rebuild (measured:
0 of 193 answers equal); a plain one ranks the same.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, select, text, tuple_
from sqlalchemy.dialects.sqlite import insert

from services.retriever.store.schema import FTS_COLUMNS, NEIGHBOUR_COLUMNS, memories, neighbours
from shared.contracts.parts import Kind
from shared.domain.indexed import date_words, said, spaced
from shared.domain.moments import moment

_REACH = 2
_WRITE = text(
    f"INSERT OR REPLACE INTO memories_fts(rowid, {', '.join(FTS_COLUMNS)}) "
    f"VALUES (:number, {', '.join(f':{name}' for name in FTS_COLUMNS)})"
)

_WRITE_NEIGHBOURS = insert(neighbours)
_WRITE_NEIGHBOURS = _WRITE_NEIGHBOURS.on_conflict_do_update(
    index_elements=["number"], set_={name: _WRITE_NEIGHBOURS.excluded[name] for name in NEIGHBOUR_COLUMNS}
)

_TAGS = text("SELECT number, tags FROM memories WHERE number IN (SELECT value FROM json_each(:numbers))")
_RETAG = text("UPDATE memories_fts SET tags = :tags WHERE rowid = :number")


class _Turn(NamedTuple):
    number: int
    event_time: int
    said: str
    tags: str


def index(db: Connection, new: Sequence[Mapping[str, Any]], retagged: Collection[int] = ()) -> None:
    """Index new rows of `memories`, anew the turns that new ones stand beside, and the tags of those that got others."""
    rows: list[dict[str, object]] = []
    first: dict[str, tuple[int, int]] = {}
    for memory in new:
        if memory["kind"] == Kind.EPISODE:
            place = (memory["event_time"], memory["number"])
            first[memory["session_id"]] = min(place, first.get(memory["session_id"], place))
        else:
            rows.append(_fact(memory))
    beside: list[dict[str, object]] = []
    for session_id, place in first.items():
        for turn, around in _window(_from(db, session_id, place), place):
            rows.append(_text_row(turn, around))
            beside.append(_number_row(turn, around))
    if rows:
        db.execute(_WRITE, rows)
    if beside:
        db.execute(_WRITE_NEIGHBOURS, beside)
    if retagged:
        found = db.execute(_TAGS, {"numbers": json.dumps(sorted(retagged))})
        db.execute(_RETAG, [{"number": row.number, "tags": _words(row.tags)} for row in found])


def _fact(memory: Mapping[str, Any]) -> dict[str, object]:
    """A fact stands by itself, with its tags."""
    texts = {"number": memory["number"], "turn": spaced(memory["content"]), "tags": _words(memory["tags"])}
    return dict.fromkeys(FTS_COLUMNS, "") | texts


def _words(tags: str) -> str:
    return spaced(" ".join(json.loads(tags)))


def _from(db: Connection, session_id: str, place: tuple[int, int]) -> list[_Turn]:
    """The session's turns from `place` on, and twice the reach before it, in order."""
    columns = (memories.c.number, memories.c.event_time, memories.c.speaker, memories.c.content, memories.c.tags)
    turns = select(*columns).where(memories.c.session_id == session_id, memories.c.kind == "episode")
    order = tuple_(memories.c.event_time, memories.c.number)
    later = db.execute(turns.where(order >= place).order_by(memories.c.event_time, memories.c.number)).all()
    earlier = db.execute(
        turns.where(order < place).order_by(memories.c.event_time.desc(), memories.c.number.desc()).limit(2 * _REACH)
    ).all()
    rows = (*reversed(earlier), *later)
    return [_Turn(row.number, row.event_time, spaced(said(row.speaker, row.content)), _words(row.tags)) for row in rows]


def _window(turns: Sequence[_Turn], place: tuple[int, int]) -> Iterable[tuple[_Turn, list[_Turn | None]]]:
    """The turns that are new or have a new neighbour, each with its neighbours in the order of the columns."""
    begin = next(index for index, turn in enumerate(turns) if (turn.event_time, turn.number) >= place)
    for index in range(max(0, begin - _REACH), len(turns)):
        around = (index - 1, index + 1, index - 2, index + 2)
        yield turns[index], [turns[other] if 0 <= other < len(turns) else None for other in around]


def _text_row(turn: _Turn, around: Sequence[_Turn | None]) -> dict[str, object]:
    texts = [f"{turn.said} {date_words(moment(turn.event_time))}", *(other.said if other else "" for other in around)]
    return {"number": turn.number, **dict(zip(FTS_COLUMNS, [*texts, turn.tags], strict=True))}


def _number_row(turn: _Turn, around: Sequence[_Turn | None]) -> dict[str, object]:
    numbers = [other.number if other else None for other in around]
    return {"number": turn.number, **dict(zip(NEIGHBOUR_COLUMNS, numbers, strict=True))}
