"""Keeps the full-text index and the neighbours of turns: up to two on either side in the same session.

An index without content of its own (`contentless_delete`) ranks differently after live writes than after a rebuild (measured:
0 of 193 answers equal); a plain one ranks the same.
"""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from services.retriever.store.memory_row import HELD_BACK
from services.retriever.store.schema import FTS_COLUMNS, NEIGHBOUR_COLUMNS, neighbours
from shared.contracts.parts import Kind
from shared.domain.moments import moment
from shared.runtime.bulk import Rows, rows_into
from shared.text.indexed import date_words, said, without_subject
from shared.text.words import spaced

_REACH = 2
_INDEXED = Rows(
    f"INSERT OR REPLACE INTO memories_fts(rowid, {', '.join(FTS_COLUMNS)}) VALUES (?{', ?' * len(FTS_COLUMNS)})",
    ("number", *FTS_COLUMNS),
)
_NEIGHBOURS = rows_into(neighbours, over=NEIGHBOUR_COLUMNS)

_TAGS = text("SELECT number, tags FROM memories WHERE number IN (SELECT value FROM json_each(:numbers))")
_RETAG = text("UPDATE memories_fts SET tags = :tags WHERE rowid = :number")


_TURNS = (
    "SELECT number, event_time, speaker, content, tags FROM memories"
    f" WHERE session_id = ? AND kind = 'episode' AND ended_because IS NOT '{HELD_BACK}'"
)
_LATER = f"{_TURNS} AND (event_time, number) >= (?, ?) ORDER BY event_time, number"
_EARLIER = f"{_TURNS} AND (event_time, number) < (?, ?) ORDER BY event_time DESC, number DESC LIMIT {2 * _REACH}"


class _IndexedTurn(NamedTuple):
    number: int
    event_time: int
    said: str
    tags: str


def index(db: Connection, new: Sequence[Mapping[str, Any]], retagged: Collection[int] = ()) -> None:
    """Index new rows of `memories` but what is held back; index again their neighbours, and what has other tags now."""
    rows: list[dict[str, object]] = []
    first: dict[str, tuple[int, int]] = {}
    for memory in new:
        if memory["ended_because"] == HELD_BACK:
            continue
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
    _INDEXED.write(db, rows)
    _NEIGHBOURS.write(db, beside)
    if retagged:
        found = db.execute(_TAGS, {"numbers": json.dumps(sorted(retagged))})
        db.execute(_RETAG, [{"number": row.number, "tags": _words(row.tags)} for row in found])


def _fact(memory: Mapping[str, Any]) -> dict[str, object]:
    """The row of a fact, which has no neighbours."""
    texts = {"number": memory["number"], "turn": spaced(_own_words(memory)), "tags": _words(memory["tags"])}
    return dict.fromkeys(FTS_COLUMNS, "") | texts


def _own_words(memory: Mapping[str, Any]) -> str:
    """The text of a fact; of one that was extracted, without what the extractor calls its person."""
    return without_subject(memory["content"]) if memory["origin"] else str(memory["content"])


def _words(tags: str) -> str:
    return spaced(" ".join(json.loads(tags)))


def _from(db: Connection, session_id: str, place: tuple[int, int]) -> list[_IndexedTurn]:
    """The turns of a session from `place` on, and up to four before it, in order."""
    earlier, later = (db.exec_driver_sql(statement, (session_id, *place)).cursor.fetchall() for statement in (_EARLIER, _LATER))
    return [
        _IndexedTurn(number, event_time, spaced(said(speaker, content)), _words(tags))
        for number, event_time, speaker, content, tags in (*reversed(earlier), *later)
    ]


def _window(turns: Sequence[_IndexedTurn], place: tuple[int, int]) -> Iterable[tuple[_IndexedTurn, list[_IndexedTurn | None]]]:
    """The turns that are new or have a new neighbour, each with its neighbours in the order of the columns."""
    begin = next(index for index, turn in enumerate(turns) if (turn.event_time, turn.number) >= place)
    for index in range(max(0, begin - _REACH), len(turns)):
        around = (index - 1, index + 1, index - 2, index + 2)
        yield turns[index], [turns[other] if 0 <= other < len(turns) else None for other in around]


def _text_row(turn: _IndexedTurn, around: Sequence[_IndexedTurn | None]) -> dict[str, object]:
    texts = [f"{turn.said} {date_words(moment(turn.event_time))}", *(other.said if other else "" for other in around)]
    return {"number": turn.number, **dict(zip(FTS_COLUMNS, [*texts, turn.tags], strict=True))}


def _number_row(turn: _IndexedTurn, around: Sequence[_IndexedTurn | None]) -> dict[str, object]:
    numbers = [other.number if other else None for other in around]
    return {"number": turn.number, **dict(zip(NEIGHBOUR_COLUMNS, numbers, strict=True))}
