"""The search legs: each finds memories by one kind of evidence, and may fail alone. Statements are fixed texts."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from sqlalchemy import Connection as Connection  # noqa: PLC0414 - passed on to callers that must not know SQLAlchemy

from services.retriever.domain.evidence import Holding
from services.retriever.store import vector_signs
from services.retriever.store.memory_days import LONGEST_DAYS
from shared.contracts.parts import Kind, Standing
from shared.contracts.queries import LegFailure
from shared.runtime.sqlite import rows

_MOST = 100
"""Most candidates of a leg, for each kind of memory."""

_EXACT_UP_TO = 1_000
_COARSE_CANDIDATES = 500
"""Of so many that are nearest by the signs of their dimensions, the best are found exactly."""

_HIT = "memories.number AS number, memories.kind AS kind"
WANTED = """(memories.valid_until IS NULL OR :ended OR memories.status = :even) AND memories.ended_because IS NOT 'held_back'
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


_LEXICAL = _best_of_each_kind(
    f"""
    -bm25(memories_fts, 1.0, 0.5, 0.5, 0.25, 0.25, 1.0) AS score, {_HIT}
    FROM memories_fts JOIN memories ON memories.number = memories_fts.rowid
    WHERE memories_fts MATCH :query AND {WANTED}
    """
)
_ENTITY = _best_of_each_kind(
    f"""
    count(DISTINCT memory_entities.entity_id) AS score, {_HIT}
    FROM memory_entities JOIN memories ON memories.number = memory_entities.number
    WHERE memory_entities.entity_id IN
        (SELECT entity_id FROM entity_aliases WHERE alias IN (SELECT value FROM json_each(:names))) AND {WANTED}
    GROUP BY memories.number
    """
)
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
_SIMILARITY = "1 - vec_distance_cosine(vec_memories.embedding, :vector)"
_SIMILARITIES = f"""
SELECT {_SIMILARITY} AS score, {_HIT}, {WANTED} AS wanted
FROM vec_memories JOIN memories ON memories.number = vec_memories.number
WHERE vec_memories.model = :model
"""
_COARSE_SIMILARITIES = f"{_SIMILARITIES} AND vec_memories.number IN (SELECT value FROM json_each(:near))"
_COSINES = f"""
SELECT number, {_SIMILARITY} AS cosine FROM vec_memories
WHERE model = :model AND number IN (SELECT value FROM json_each(:numbers))
"""
_NEIGHBOURS = "SELECT * FROM neighbours WHERE number IN (SELECT value FROM json_each(:numbers))"
_TRAITS = f"""
SELECT number, event_time, importance, speaker, session_id, confidence, tags,
  kind = 'episode' AND {ASKS} AS asks, status = 'superseded' AS is_superseded, content,
  kind = 'episode' AND source_role = 'assistant' AND speaker IS NULL AS is_of_bot
FROM memories WHERE number IN (SELECT value FROM json_each(:numbers))
"""
_DATED = "SELECT DISTINCT number FROM memory_days WHERE number IN (SELECT value FROM json_each(:numbers))"
_EMBEDDINGS = (
    "SELECT number, embedding FROM vec_memories WHERE model = :model AND number IN (SELECT value FROM json_each(:numbers))"
)
_STATEMENTS = """
SELECT number, content, slots FROM memories
WHERE number IN (SELECT value FROM json_each(:numbers)) AND (kind <> 'episode' OR source_role = 'user')
"""
_NONE = "[]"
_ENOUGH = 1_000
"""A term that so many memories hold says next to nothing; the others that hold it are not counted."""

_HOLDING = f"""
SELECT asked.value AS term,
  (SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH asked.value LIMIT {_ENOUGH})) AS memories,
  (SELECT json_group_array(rowid) FROM memories_fts
   WHERE memories_fts MATCH asked.value AND rowid IN (SELECT value FROM json_each(:numbers))) AS best
FROM json_each(:terms) AS asked
"""
_FREQUENCIES = """
SELECT asked.value, (SELECT count(*) FROM (SELECT 1 FROM memories_fts WHERE memories_fts MATCH asked.value LIMIT :most))
FROM json_each(:terms) AS asked
"""
_COUNTED_UP_TO = "SELECT count(*) FROM (SELECT 1 FROM memories LIMIT :most)"
_MEMORIES = "SELECT count(*) FROM memories"
_THERE_ARE = """
SELECT EXISTS (SELECT 1 FROM vec_memories WHERE model = :model) AS vectors,
       EXISTS (SELECT 1 FROM vec_memories) AS others, EXISTS (SELECT 1 FROM memories) AS memories
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


class Hit(NamedTuple):
    """A memory that a leg found."""

    score: float
    number: int
    kind: str


class Nearest(NamedTuple):
    """The most similar memories, best first; and every cosine that was computed to find them."""

    hits: list[Hit]
    cosines: dict[int, float]


class Traits(NamedTuple):
    """The columns of a memory that ranking needs."""

    event_time: int  # microseconds
    importance: float
    speaker: str | None
    session_id: str | None
    confidence: float
    tags: tuple[str, ...]
    asks: bool
    is_superseded: bool
    content: str
    is_of_bot: bool = False  # a bot said it, not a person by name


@dataclass(frozen=True, slots=True)
class Filter:
    """The memories that a search may return."""

    kinds: tuple[str, ...]
    exclude_session_id: str | None = None
    ended: bool = False  # True: superseded and retired ones too, to explain why they did not appear
    superseded: bool = False  # True: superseded ones too, in whose place others stand
    among: tuple[int, ...] | None = None  # the numbers of all that may be returned; None: not limited

    @property
    def bound(self) -> dict[str, str | bool | None]:
        """The parameters of the condition WANTED."""
        even = Standing.SUPERSEDED.value if self.superseded else None
        among = None if self.among is None else json.dumps(self.among)
        session = self.exclude_session_id
        return {"kinds": json.dumps(self.kinds), "session": session, "ended": self.ended, "even": even, "among": among}


def lexical(db: Connection, query: str, wanted: Filter, most: int = _MOST) -> list[Hit]:
    """The best matches by BM25 over a turn and its neighbours, nearer ones weighing more; best first."""
    return _hits(db, _LEXICAL, wanted, most, query=query)


def frequencies(db: Connection, terms: Collection[str], most: int) -> dict[str, int]:
    """The number of memories that hold each of these FTS5 terms, themselves or in a neighbour, counted up to `most`."""
    return dict(rows(db, _FREQUENCIES, {"terms": json.dumps(list(terms)), "most": most}))


def vector(db: Connection, asked: QueryVector, wanted: Filter, most: int = _MOST) -> Nearest:
    """The most similar memories by cosine: exact in small files; in large ones exact over the nearest by their signs."""
    parameters = {**wanted.bound, "model": asked.model, "vector": asked.vector}
    if vector_signs.count(db, asked.model) <= _EXACT_UP_TO:
        found = rows(db, _SIMILARITIES, parameters)
    else:
        near = vector_signs.nearest(db, asked.model, asked.vector, _COARSE_CANDIDATES)
        found = rows(db, _COARSE_SIMILARITIES, {**parameters, "near": json.dumps(near)})
    found = [row for row in found if row[0] is not None]  # a vector of zeros is like nothing
    best = sorted((Hit(score, number, kind) for score, number, kind, is_wanted in found if is_wanted), key=best_first)
    return Nearest(best_of_each_kind(best, most), {number: score for score, number, *_ in found})


def vectorless(db: Connection, model: str) -> LegFailure | None:
    """The reason why no memory has a vector of this model; None if one has, or if there are no memories."""
    [(vectors, others, memories)] = rows(db, _THERE_ARE, {"model": model})
    if vectors or not memories:
        return None
    return LegFailure.OTHER_MODEL if others else LegFailure.NO_VECTORS


def cosines(db: Connection, asked: QueryVector, numbers: Collection[int]) -> dict[int, float]:
    """The exact cosine of each of these memories that has a vector."""
    return dict(rows(db, _COSINES, _these(numbers, model=asked.model, vector=asked.vector)))


def neighbours(db: Connection, numbers: Collection[int]) -> dict[int, tuple[int | None, ...]]:
    """The turns beside each of these: one before, one after, two before, two after."""
    return {row[0]: row[1:] for row in rows(db, _NEIGHBOURS, _these(numbers))}


def traits(db: Connection, numbers: Collection[int]) -> dict[int, Traits]:
    """The traits of these memories."""
    return {
        number: Traits(
            at, importance, speaker, session, confidence, _tags(tags), bool(asks), bool(ended), content, bool(of_bot)
        )
        for number, at, importance, speaker, session, confidence, tags, asks, ended, content, of_bot in rows(
            db, _TRAITS, _these(numbers)
        )
    }


def dated(db: Connection, numbers: Collection[int]) -> frozenset[int]:
    """The numbers of the memories, out of `numbers`, whose text speaks of a day."""
    return frozenset(number for (number,) in rows(db, _DATED, _these(numbers)))


def _tags(stored: str) -> tuple[str, ...]:
    return () if stored == _NONE else tuple(json.loads(stored))


def embeddings(db: Connection, model: str, numbers: Collection[int]) -> dict[int, bytes]:
    """The vector, float32[dimensions], of each of these memories that has one of this model."""
    return dict(rows(db, _EMBEDDINGS, _these(numbers, model=model)))


def statements(db: Connection, numbers: Collection[int]) -> dict[int, tuple[str, str]]:
    """The texts of those of these memories that the user said, or that were learned of them; and their slots, as JSON."""
    return {number: (said, slots) for number, said, slots in rows(db, _STATEMENTS, _these(numbers))}


def holding(db: Connection, terms: Collection[str], numbers: Collection[int]) -> dict[str, Holding]:
    """For each of these FTS5 terms: the number of memories with it in their own words, and which of these memories have it."""
    asked = {f"turn : {term}": term for term in terms}
    found = rows(db, _HOLDING, _these(numbers, terms=json.dumps(list(asked))))
    return {asked[term]: Holding(memories, frozenset(json.loads(best))) for term, memories, best in found}


def are_more_than(db: Connection, count: int) -> bool:
    """True if there are more than `count` memories; does not count all."""
    [(counted,)] = rows(db, _COUNTED_UP_TO, {"most": count + 1})
    return bool(counted > count)


def memories(db: Connection) -> int:
    """The number of all memories."""
    [(counted,)] = rows(db, _MEMORIES)
    return int(counted)


def entity(db: Connection, names: Sequence[str], wanted: Filter, most: int = _MOST) -> list[Hit]:
    """Memories that mention entities with these names, under whatever name; those with most of them first."""
    return _hits(db, _ENTITY, wanted, most, names=json.dumps(names))


def time(db: Connection, span: Span, wanted: Filter, most: int = _MOST) -> list[Hit]:
    """Memories of this time or that speak of it, newest first; the score is their time."""
    return _hits(db, _IN_TIME, wanted, most, **span._asdict())


def of_time(db: Connection, span: Span, numbers: Collection[int]) -> set[int]:
    """The memories among these that are of this time, or speak of it."""
    return {number for (number,) in rows(db, _OF_TIME, _these(numbers, **span._asdict()))}


def best_first(hit: Hit) -> tuple[float, int]:
    """The sort key of hits: the best score first, of equals the newer."""
    return -hit.score, -hit.number


def best_of_each_kind(hits: Iterable[Hit], most: int) -> list[Hit]:
    """The first `most` hits of each kind, in the given order."""
    taken: Counter[str] = Counter()
    best = []
    for hit in hits:
        taken[hit.kind] += 1
        if taken[hit.kind] <= most:
            best.append(hit)
    return best


def _hits(db: Connection, statement: str, wanted: Filter, most: int, **parameters: str | int) -> list[Hit]:
    return list(map(Hit._make, rows(db, statement, {**wanted.bound, "most": most, **parameters})))


def _these(numbers: Collection[int], **parameters: str | bytes | int) -> dict[str, str | bytes | int]:
    return {"numbers": json.dumps(list(numbers)), **parameters}
