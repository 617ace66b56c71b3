"""The search legs that ask SQL, which has an index for them: by entities and by time. Statements are fixed texts."""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection as Connection  # noqa: PLC0414 - passed on to callers that must not know SQLAlchemy

from services.retriever.store.memory_days import LONGEST_DAYS
from shared.contracts.parts import Kind, Standing
from shared.runtime.sqlite import rows

_MOST = 100
"""Most candidates of a leg, for each kind of memory."""

_HIT = "memories.number AS number, memories.kind AS kind"
WANTED = """(memories.valid_until IS NULL OR :ended OR memories.status = :even
        OR :rolled_up AND memories.ended_because IS 'rolled_up') AND memories.ended_because IS NOT 'held_back'
      AND memories.kind IN (SELECT value FROM json_each(:kinds))
      AND (:session IS NULL OR memories.session_id IS NULL OR memories.session_id <> :session)
      AND (:among IS NULL OR memories.number IN (SELECT value FROM json_each(:among)))"""


ASKS = "rtrim(memories.content, char(9, 10, 13, 32)) GLOB '*[?？؟]'"
_BEST_FIRST = "ORDER BY score DESC, number DESC"


def _best_of_each_kind(found: str) -> str:
    """A kind with many matches must not crowd out another; and one pass over the index must do for all kinds.

    Half as slow as numbering all matches within their kind. `found` selects score, number and kind.
    """
    best = " UNION ALL ".join(
        f"SELECT * FROM (SELECT * FROM found WHERE kind = '{kind.value}' {_BEST_FIRST} LIMIT :most)" for kind in Kind
    )
    return f"WITH found AS MATERIALIZED (SELECT {found}), best AS ({best}) SELECT * FROM best ORDER BY score DESC, number DESC"


_NAMED = """
SELECT DISTINCT entity_id FROM entity_aliases WHERE alias IN (SELECT value FROM json_each(:names))
  AND EXISTS (SELECT 1 FROM memory_entities WHERE memory_entities.entity_id = entity_aliases.entity_id)
"""
_MENTIONING = """
SELECT DISTINCT number, entity_id FROM memory_entities WHERE entity_id IN (SELECT value FROM json_each(:entities))
"""
_NEWEST = 500
_IN_TIME = _best_of_each_kind(
    f"""
    memories.event_time AS score, {_HIT} FROM memories WHERE number IN (
        SELECT number FROM (
          SELECT number FROM memories WHERE event_time >= :begin AND event_time < :end ORDER BY event_time DESC LIMIT {_NEWEST})
        UNION SELECT number FROM (
          SELECT number FROM memory_days WHERE first BETWEEN :first - {LONGEST_DAYS} AND :last AND last >= :first
          ORDER BY first DESC LIMIT {_NEWEST})) AND {WANTED}
    """
)
_OF_TIME = """
SELECT number FROM memories
  WHERE number IN (SELECT value FROM json_each(:numbers)) AND event_time >= :begin AND event_time < :end
UNION SELECT number FROM memory_days
  WHERE number IN (SELECT value FROM json_each(:numbers)) AND first <= :last AND last >= :first
"""
_STATEMENTS = """
SELECT number, tags, content, slots, kind <> 'episode' OR source_role IS 'user' FROM memories
WHERE number IN (SELECT value FROM json_each(:numbers))
"""
_NONE = "[]"


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


class Hit(NamedTuple):
    """A memory that a leg found."""

    score: float
    number: int
    kind: str


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


class SaidMemory(NamedTuple):
    """What a memory says, with its tags."""

    tags: tuple[str, ...]
    text_and_slots: tuple[str, str] | None  # the slots as JSON; None where the user did not say it, nor was it learned of them


def statements(db: Connection, numbers: Collection[int]) -> dict[int, SaidMemory]:
    """The texts and tags of these memories."""
    return {
        number: SaidMemory(() if tags == _NONE else tuple(json.loads(tags)), (said, slots) if is_of_user else None)
        for number, tags, said, slots, is_of_user in rows(db, _STATEMENTS, _these(numbers))
    }


def mentioning(db: Connection, names: Sequence[str]) -> list[int]:
    """The numbers of the memories that mention entities with these names, under whatever name: once for each entity."""
    named = [entity_id for (entity_id,) in rows(db, _NAMED, {"names": json.dumps(names)})]
    return [number for number, _ in rows(db, _MENTIONING, {"entities": json.dumps(named)})] if named else []


def time(db: Connection, span: Span, wanted: Filter, most: int = _MOST) -> list[Hit]:
    """Memories of this time or that speak of it, newest first; the score is their time."""
    return _hits(db, _IN_TIME, wanted, most, **span._asdict())


def of_time(db: Connection, span: Span, numbers: Collection[int]) -> set[int]:
    """The memories among these that are of this time, or speak of it."""
    return {number for (number,) in rows(db, _OF_TIME, _these(numbers, **span._asdict()))}


def _hits(db: Connection, statement: str, wanted: Filter, most: int, **parameters: str | int) -> list[Hit]:
    return list(map(Hit._make, rows(db, statement, {**wanted.bound, "most": most, **parameters})))


def _these(numbers: Collection[int], **parameters: str | bytes | int) -> dict[str, str | bytes | int]:
    return {"numbers": json.dumps(list(numbers)), **parameters}
