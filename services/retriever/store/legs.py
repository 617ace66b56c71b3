"""The search legs: each finds memories by one kind of evidence, and may fail alone. Statements are fixed texts."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection, TextClause, select, text

from services.retriever.store.schema import speakers

__all__ = ["Connection", "Filter", "Hit", "entity", "lexical", "speaker_names"]

_MOST = 100
"""Most candidates of a leg, for each kind of memory."""

_HIT = "memories.number, memories.kind, memories.event_time, memories.importance, memories.speaker"
_WANTED = """memories.valid_until IS NULL AND memories.kind IN (SELECT value FROM json_each(:kinds))
      AND (:session IS NULL OR memories.session_id IS NULL OR memories.session_id <> :session)"""


def _best_of_each_kind(scored: str) -> TextClause:
    """A kind with many matches must not crowd out another; and one pass over the index must do for all kinds."""
    return text(
        f"""
        SELECT score, number, kind, event_time, importance, speaker FROM (
          SELECT *, row_number() OVER (PARTITION BY kind ORDER BY score DESC, number DESC) AS place FROM (
            SELECT {scored}))
        WHERE place <= :most ORDER BY score DESC, number DESC
        """
    )


_LEXICAL = _best_of_each_kind(
    f"""
    -bm25(memories_fts, 1.0, 0.5, 0.25, 0.25, 0.125) AS score, {_HIT}
    FROM memories_fts JOIN memories ON memories.number = memories_fts.rowid
    WHERE memories_fts MATCH :query AND {_WANTED}
    """
)
_ENTITY = _best_of_each_kind(
    f"""
    count(DISTINCT entities.id) AS score, {_HIT}
    FROM entities
      JOIN memory_entities ON memory_entities.entity_id = entities.id
      JOIN memories ON memories.number = memory_entities.number
    WHERE entities.canonical_name IN (SELECT value FROM json_each(:names)) AND {_WANTED}
    GROUP BY memories.number
    """
)
_SPEAKERS = select(speakers.c.name)


class Hit(NamedTuple):
    """A memory that a leg found, with what ranking needs to know of it."""

    score: float
    number: int
    kind: str
    event_time: int
    importance: float
    speaker: str | None


@dataclass(frozen=True, slots=True)
class Filter:
    """What a search may return."""

    kinds: tuple[str, ...]
    exclude_session_id: str | None = None


def lexical(db: Connection, query: str, wanted: Filter, most: int = _MOST) -> list[Hit]:
    """BM25 over a turn and its neighbours, nearer ones weighing more; best first."""
    return _hits(db, _LEXICAL, wanted, most, query=query)


def entity(db: Connection, names: Sequence[str], wanted: Filter, most: int = _MOST) -> list[Hit]:
    """Memories that mention entities of these canonical names, those with most of them first."""
    return _hits(db, _ENTITY, wanted, most, names=json.dumps(names))


def speaker_names(db: Connection) -> list[str]:
    """Everyone who spoke."""
    return list(db.scalars(_SPEAKERS))


def _hits(db: Connection, statement: TextClause, wanted: Filter, most: int, **parameters: str) -> list[Hit]:
    bound = parameters | {"kinds": json.dumps(wanted.kinds), "session": wanted.exclude_session_id, "most": most}
    return [Hit(*row) for row in db.execute(statement, bound)]
