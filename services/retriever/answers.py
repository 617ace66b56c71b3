"""Answers queries from one user's file. Reads only: what was recalled is recorded after the reply, by ingest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from services.retriever.domain.block import choose, estimate_tokens, markdown
from services.retriever.domain.ranking import Candidate, Weights, normalised, rank
from services.retriever.domain.words import fts_query, named, phrases
from services.retriever.store import legs, rows
from services.retriever.store.legs import Connection, Filter
from shared.contracts.ids import RecallId
from shared.contracts.parts import Score
from shared.contracts.queries import ContextAnswer, ContextQuery, ScoredMemory, SearchAnswer, SearchQuery
from shared.domain.entities import canonical_name, find_entities
from shared.domain.moments import microseconds
from shared.runtime.logs import log
from shared.runtime.metrics import LEG_FAILURES

_MICROSECONDS = 1_000_000


class Ranked(NamedTuple):
    """Memories by number, best first, and the legs that gave no answer."""

    scores: list[tuple[int, Score]]
    failed: tuple[str, ...]


def rank_matches(db: Connection, query: str, wanted: Filter, *, most: int, now: datetime, weights: Weights) -> Ranked:
    """What matches the query, ranked. Reads no text: there are more candidates than answers."""
    failed: list[str] = []
    lexical = normalised(_leg("lexical", failed, lambda: _lexical(db, query, wanted, most)))
    entity = normalised(_leg("entity", failed, lambda: legs.entity(db, _entity_names(query), wanted, most)))
    speakers = named(legs.speaker_names(db), query)
    candidates = [
        Candidate(
            number=feature.number,
            age_s=(microseconds(now) - feature.event_time) / _MICROSECONDS,
            importance=feature.importance,
            legs={
                "lexical": lexical.get(feature.number, 0.0),
                "entity": entity.get(feature.number, 0.0),
                "speaker": float(feature.speaker in speakers),
            },
        )
        for feature in legs.features(db, list(lexical | entity))
    ]
    return Ranked(rank(candidates, weights), tuple(failed))


def context(
    db: Connection, query: ContextQuery, *, recall_id: RecallId, position: int, now: datetime, weights: Weights
) -> ContextAnswer:
    """What matters for the query, outside the current session, within the budget."""
    ranked: list[ScoredMemory] = []
    failed: tuple[str, ...] = ()
    for kind in query.kinds:  # a kind with many matches must not crowd out the other
        wanted = Filter((kind.value,), query.session_id)
        found = rank_matches(db, query.query, wanted, most=max(query.limit, _CANDIDATES), now=now, weights=weights)
        ranked += _memories(db, found.scores[: query.limit])
        failed += tuple(leg for leg in found.failed if leg not in failed)
    ranked.sort(key=lambda memory: (-memory.score.total, -memory.number))
    items = choose(ranked, limit=query.limit, budget_tokens=query.budget_tokens)
    block = markdown(items)
    return ContextAnswer(
        position=position,
        recall_id=recall_id,
        markdown=block,
        items=tuple(items),
        tokens=estimate_tokens(block),
        legs_failed=failed,
    )


def search(db: Connection, query: SearchQuery, *, position: int, now: datetime, weights: Weights) -> SearchAnswer:
    """The best matches."""
    wanted = Filter(tuple(kind.value for kind in query.kinds), query.exclude_session_id)
    found = rank_matches(db, query.query, wanted, most=max(query.limit, _CANDIDATES), now=now, weights=weights)
    items = _memories(db, found.scores[: query.limit])
    return SearchAnswer(position=position, items=tuple(items), legs_failed=found.failed)


def _memories(db: Connection, scores: Sequence[tuple[int, Score]]) -> list[ScoredMemory]:
    found = rows.by_numbers(db, [number for number, _ in scores])
    return [ScoredMemory(**dict(found[number]), score=score) for number, score in scores]


_CANDIDATES = 100


def _lexical(db: Connection, query: str, wanted: Filter, most: int) -> dict[int, float]:
    built = fts_query(query)
    return legs.lexical(db, built, wanted, most) if built else {}


def _entity_names(query: str) -> list[str]:
    """What in the query may name an entity: what the patterns find, and its runs of up to three words."""
    return list({canonical_name(entity) for entity in find_entities(query)} | set(phrases(query)))


def _leg(name: str, failed: list[str], run: Callable[[], dict[int, float]]) -> dict[int, float]:
    """A leg's result; nothing where it fails: the others still answer."""
    try:
        return run()
    except Exception:  # noqa: BLE001 - whatever a leg stumbles over, the answer must come; it is named and counted
        log.warning("leg.failed", leg=name, exc_info=True)
        LEG_FAILURES.labels(name).inc()
        failed.append(name)
        return {}
