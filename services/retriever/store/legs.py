"""The search legs: each finds memories by one kind of evidence, and may fail alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, bindparam, func, select, text
from sqlalchemy.sql.elements import TextClause

from services.retriever.store.schema import entities, memories, memory_entities, speakers

__all__ = ["Connection", "Features", "Filter", "entity", "features", "lexical", "speaker_names"]

_MOST = 100
"""Most candidates of a leg."""

_LEXICAL = text(
    """
    SELECT memories.number AS number, -bm25(memories_fts, 1.0, 0.5, 0.25, 0.25, 0.125) AS score
    FROM memories_fts JOIN memories ON memories.number = memories_fts.rowid
    WHERE memories_fts MATCH :query AND memories.valid_until IS NULL AND memories.kind IN :kinds
      AND (:session IS NULL OR memories.session_id IS NULL OR memories.session_id <> :session)
    ORDER BY score DESC, number DESC LIMIT :most
    """
).bindparams(bindparam("kinds", expanding=True))


class Features(NamedTuple):
    """What ranking needs to know of a memory."""

    number: int
    event_time: int
    importance: float
    speaker: str | None


@dataclass(frozen=True, slots=True)
class Filter:
    """What a search may return."""

    kinds: tuple[str, ...]
    exclude_session_id: str | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """The same as SQL over `memories`."""
        found: list[ColumnElement[bool]] = [memories.c.valid_until.is_(None), memories.c.kind.in_(self.kinds)]
        if self.exclude_session_id is not None:
            found.append(memories.c.session_id.is_distinct_from(self.exclude_session_id))
        return found


def lexical(db: Connection, query: str, wanted: Filter, most: int = _MOST) -> dict[int, float]:
    """BM25 over a turn and its neighbours, nearer ones weighing more: number to score, best first."""
    statement: TextClause = _LEXICAL
    rows = db.execute(
        statement, {"query": query, "kinds": list(wanted.kinds), "session": wanted.exclude_session_id, "most": most}
    )
    return {row.number: row.score for row in rows}


def entity(db: Connection, names: Sequence[str], wanted: Filter, most: int = _MOST) -> dict[int, float]:
    """Memories that mention entities of these canonical names: number to how many of them."""
    count = func.count(memory_entities.c.entity_id.distinct()).label("score")
    query = (
        select(memories.c.number, count)
        .join(memory_entities, memory_entities.c.number == memories.c.number)
        .join(entities, entities.c.id == memory_entities.c.entity_id)
        .where(entities.c.canonical_name.in_(names), *wanted.conditions())
        .group_by(memories.c.number)
        .order_by(count.desc(), memories.c.number.desc())
        .limit(most)
    )
    return {row.number: float(row.score) for row in db.execute(query)}


def speaker_names(db: Connection) -> list[str]:
    """Everyone who spoke."""
    return list(db.scalars(select(speakers.c.name)))


def features(db: Connection, numbers: Sequence[int]) -> list[Features]:
    """The features of these memories."""
    columns = (memories.c.number, memories.c.event_time, memories.c.importance, memories.c.speaker)
    return [Features(*row) for row in db.execute(select(*columns).where(memories.c.number.in_(numbers)))]
