"""The search legs that ask SQL, which has an index for them: by entities and by time. Statements are fixed texts."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection as Connection  # noqa: PLC0414 - passed on to callers that must not know SQLAlchemy

from services.retriever.store.memory_days import LONGEST_DAYS
from shared.contracts.parts import Standing
from shared.runtime.sqlite import rows

WANTED = """(memories.valid_until IS NULL OR :ended OR memories.status = :even
        OR :rolled_up AND memories.ended_because IS 'rolled_up') AND memories.ended_because IS NOT 'held_back'
      AND memories.kind IN (SELECT value FROM json_each(:kinds))
      AND (:session IS NULL OR memories.session_id IS NULL OR memories.session_id <> :session)
      AND (:among IS NULL OR memories.number IN (SELECT value FROM json_each(:among)))"""


ASKS = "rtrim(memories.content, char(9, 10, 13, 32)) GLOB '*[?？؟]'"
_NAMED = """
SELECT DISTINCT entity_id FROM entity_aliases WHERE alias IN (SELECT value FROM json_each(:names))
  AND EXISTS (SELECT 1 FROM memory_entities WHERE memory_entities.entity_id = entity_aliases.entity_id)
"""
_MENTIONING = """
SELECT json_group_array(number) FROM (
  SELECT DISTINCT number, entity_id FROM memory_entities WHERE entity_id IN (SELECT value FROM json_each(:entities))
)
"""
"""One row for a thousand: for each SQLite gives Python's lock back, and others take it."""

NEWEST = 500
"""Of a long time so many memories: those that were said last in it, and those that speak of its last days."""

_SPEAKING_OF = f"""
SELECT number FROM memory_days WHERE first BETWEEN :first - {LONGEST_DAYS} AND :last AND last >= :first
ORDER BY first DESC LIMIT {NEWEST}
"""
_SPEAKING_AMONG = """
SELECT number FROM memory_days WHERE number IN (SELECT value FROM json_each(:numbers)) AND first <= :last AND last >= :first
"""


class QueryVector(NamedTuple):
    """A question as a vector."""

    model: str  # fingerprint of the embedder
    vector: bytes  # float32[dimensions], of length 1
    trust: float = 1.0  # times its weight: less where the model does not know the script of the question
    is_understood: bool = True  # the model knows the language of the question


class Span(NamedTuple):
    """A period of days: as moments in microseconds without the end, and as ordinals of days with the last."""

    begin: int
    end: int
    first: int
    last: int


class Hits(NamedTuple):
    """The memories that a leg found, best first."""

    numbers: list[int]
    scores: list[float]

    @property
    def scores_by_number(self) -> dict[int, float]:
        """The score of each."""
        return dict(zip(self.numbers, self.scores, strict=True))

    def first(self, most: int) -> Hits:
        """The best of them."""
        return Hits(self.numbers[:most], self.scores[:most])


NO_HITS = Hits([], [])


@dataclass(frozen=True, slots=True)
class Filter:
    """The memories that a search may return."""

    kinds: tuple[str, ...]
    exclude_session_id: str | None = None
    ended: bool = False  # True: superseded and retired ones too, to explain why they did not appear
    superseded: bool = False  # True: superseded ones too, in whose place others stand
    rolled_up: bool = False  # True: those that a roll-up stands for, too
    among: tuple[int, ...] | None = None  # the numbers of all that may be returned; None: not limited

    @property
    def bound(self) -> dict[str, str | bool | None]:
        """The parameters of the condition WANTED."""
        even = Standing.SUPERSEDED.value if self.superseded else None
        among = None if self.among is None else json.dumps(self.among)
        session = self.exclude_session_id
        of_kinds = {"kinds": json.dumps(self.kinds), "session": session, "among": among}
        return {**of_kinds, "ended": self.ended, "even": even, "rolled_up": self.rolled_up}


def mentioning(db: Connection, names: Sequence[str]) -> list[int]:
    """The numbers of the memories that mention entities with these names, under whatever name: once for each entity."""
    named = [entity_id for (entity_id,) in rows(db, _NAMED, {"names": json.dumps(names)})]
    if not named:
        return []
    [(numbers,)] = rows(db, _MENTIONING, {"entities": json.dumps(named)})
    return list(json.loads(numbers))


def speaking_of(db: Connection, span: Span) -> list[int]:
    """The numbers of memories that speak of this time; of many those that speak of the last days."""
    return [number for (number,) in rows(db, _SPEAKING_OF, {"first": span.first, "last": span.last})]


def speaking_among(db: Connection, span: Span, numbers: Collection[int]) -> list[int]:
    """The numbers of those of these memories that speak of this time."""
    asked = {"numbers": json.dumps(list(numbers)), "first": span.first, "last": span.last}
    return [number for (number,) in rows(db, _SPEAKING_AMONG, asked)]
