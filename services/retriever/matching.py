"""Finds and ranks what matches a question: runs the legs, looks up exact scores for the union, fuses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, TypeVar

from services.retriever.domain.ranking import Candidate, Placed, Weights, normalised, rank, ranks
from services.retriever.domain.smoothing import smoothed
from services.retriever.domain.words import fts_query, named, phrases
from services.retriever.store import legs
from services.retriever.store.legs import Connection, Filter, Hit, QueryVector
from shared.contracts.queries import LegFailure
from shared.domain.entities import canonical_name, find_entities
from shared.domain.moments import microseconds
from shared.runtime.logs import log
from shared.runtime.metrics import CONTEXT_STAGE_SECONDS, LEG_FAILURES

_MICROSECONDS = 1_000_000
_CANDIDATES = 100
T = TypeVar("T")


class Question(NamedTuple):
    """What is asked, of whom, and how to rank."""

    text: str
    vector: QueryVector | LegFailure
    wanted: Filter
    most: int
    now: datetime
    weights: Weights


class Matches(NamedTuple):
    """What matches, best first, and the legs that gave no answer."""

    places: list[Placed]
    failed: dict[str, LegFailure]


def match(db: Connection, question: Question) -> Matches:
    """Everything that a leg finds, ranked. Reads no text: there are more candidates than answers."""
    run = _Run(db, question)
    nothing: list[Hit] = []
    unknown: dict[int, float] = {}
    vector = run.leg("vector", run.vector, nothing)
    lexical = run.leg("lexical", lambda: run.lexical({hit.number for hit in vector}), nothing)
    entity = run.leg("entity", run.entity, nothing)
    hits = {hit.number: hit for hit in (*vector, *lexical, *entity)}
    cosines = run.leg("vector", lambda: run.cosines(hits), unknown, stage="cosines")
    with CONTEXT_STAGE_SECONDS.labels("rank").time():
        placed = rank(run.candidates(hits, vector, lexical, entity, cosines), question.weights)
    return Matches(placed, run.failed)


class _Run:
    """One question on one file."""

    def __init__(self, db: Connection, question: Question) -> None:
        self._db = db
        self._question = question
        self._most = max(question.most, _CANDIDATES)
        self._neighbours: Mapping[int, Sequence[int | None]] = {}
        self._asked = None if isinstance(question.vector, LegFailure) else question.vector
        self.failed: dict[str, LegFailure] = {}
        if isinstance(question.vector, LegFailure):
            self.failed["vector"] = question.vector

    def leg(self, name: str, run: Callable[[], T], otherwise: T, *, stage: str = "") -> T:
        """A leg's result; `otherwise` where it fails: the others still answer."""
        if name in self.failed:
            return otherwise
        try:
            with CONTEXT_STAGE_SECONDS.labels(stage or name).time():
                return run()
        except Exception:  # noqa: BLE001 - whatever a leg stumbles over, the answer must come; it is named and counted
            log.warning("leg.failed", leg=name, exc_info=True)
            LEG_FAILURES.labels(name).inc()
            self.failed[name] = LegFailure.BROKEN
            return otherwise

    def lexical(self, also: Collection[int]) -> list[Hit]:
        built = fts_query(self._question.text)
        return legs.lexical(self._db, built, self._question.wanted, self._most, also) if built else []

    def vector(self) -> list[Hit]:
        if self._asked is None:
            return []
        hits = legs.vector(self._db, self._asked, self._question.wanted, self._most)
        if not hits and (why := legs.vectorless(self._db, self._asked.model)):
            self.failed["vector"] = why
        return hits

    def entity(self) -> list[Hit]:
        """What in the question may name an entity: what the patterns find, and its runs of up to three words."""
        text = self._question.text
        names = {canonical_name(entity) for entity in find_entities(text)} | set(phrases(text))
        return legs.entity(self._db, list(names), self._question.wanted, self._most)

    def cosines(self, hits: Collection[int]) -> dict[int, float]:
        """Exact similarities of all candidates and of the turns beside them."""
        if self._asked is None:
            return {}
        self._neighbours = legs.neighbours(self._db, hits)
        around = {other for beside in self._neighbours.values() for other in beside if other is not None}
        return legs.cosines(self._db, self._asked, around.union(hits))

    def candidates(
        self,
        hits: Mapping[int, Hit],
        vector: Sequence[Hit],
        lexical: Sequence[Hit],
        entity: Sequence[Hit],
        cosines: Mapping[int, float],
    ) -> list[Candidate]:
        speakers = named(legs.speaker_names(self._db), self._question.text)
        scores = {
            "vector": normalised(smoothed(list(hits), cosines, self._neighbours)),
            "lexical": normalised({hit.number: hit.score for hit in lexical}),
            "entity": normalised({hit.number: hit.score for hit in entity}),
            "speaker": {number: 1.0 for number, hit in hits.items() if hit.speaker in speakers},
        }
        places = {
            "vector": ranks([hit.number for hit in vector]),
            "lexical": ranks([hit.number for hit in lexical[: self._most]]),
            "entity": ranks([hit.number for hit in entity]),
        }
        now = microseconds(self._question.now)
        return [
            Candidate(
                number=number,
                kind=hit.kind,
                age_s=(now - hit.event_time) / _MICROSECONDS,
                importance=hit.importance,
                legs={leg: of[number] for leg, of in scores.items() if number in of},
                ranks={leg: of[number] for leg, of in places.items() if number in of},
                cosine=cosines.get(number),
            )
            for number, hit in hits.items()
        ]
