"""Answers queries from one user's file. Reads only: what was recalled is recorded after the reply, by ingest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import NamedTuple

from services.retriever.domain.block import choose, estimate_tokens, markdown
from services.retriever.domain.ranking import Candidate, Placed, Weights, normalised, rank
from services.retriever.domain.words import fts_query, named, phrases
from services.retriever.store import legs, rows
from services.retriever.store.legs import Connection, Filter, Hit
from shared.contracts.ids import RecallId
from shared.contracts.queries import ContextAnswer, ContextQuery, ScoredMemory, SearchAnswer, SearchQuery
from shared.domain.entities import canonical_name, find_entities
from shared.domain.moments import microseconds
from shared.runtime.logs import log
from shared.runtime.metrics import LEG_FAILURES

_MICROSECONDS = 1_000_000


class Ranked(NamedTuple):
    """What matches, best first, and the legs that gave no answer."""

    places: list[Placed]
    failed: tuple[str, ...]


def rank_matches(db: Connection, query: str, wanted: Filter, *, most: int, now: datetime, weights: Weights) -> Ranked:
    """What matches the query, ranked. Reads no text: there are more candidates than answers."""
    failed: list[str] = []
    lexical = _leg("lexical", failed, lambda: _lexical(db, query, wanted, most))
    entity = _leg("entity", failed, lambda: legs.entity(db, _entity_names(query), wanted, most))
    by_words, by_entities = _scores(lexical), _scores(entity)
    speakers = named(legs.speaker_names(db), query)
    candidates = [
        Candidate(
            number=hit.number,
            kind=hit.kind,
            age_s=(microseconds(now) - hit.event_time) / _MICROSECONDS,
            importance=hit.importance,
            legs={
                "lexical": by_words.get(hit.number, 0.0),
                "entity": by_entities.get(hit.number, 0.0),
                "speaker": float(hit.speaker in speakers),
            },
        )
        for hit in {hit.number: hit for hit in (*lexical, *entity)}.values()
    ]
    return Ranked(rank(candidates, weights), tuple(failed))


def _scores(hits: Sequence[Hit]) -> dict[int, float]:
    return normalised({hit.number: hit.score for hit in hits})


def context(
    db: Connection, query: ContextQuery, *, recall_id: RecallId, position: int, now: datetime, weights: Weights
) -> ContextAnswer:
    """What matters for the query, outside the current session, within the budget."""
    wanted = Filter(tuple(kind.value for kind in query.kinds), query.session_id)
    found = rank_matches(db, query.query, wanted, most=max(query.limit, _CANDIDATES), now=now, weights=weights)
    ranked = _memories(db, _best_of_each_kind(found.places, query.limit))
    items = choose(ranked, limit=query.limit, budget_tokens=query.budget_tokens)
    block = markdown(items)
    return ContextAnswer(
        position=position,
        recall_id=recall_id,
        markdown=block,
        items=tuple(items),
        tokens=estimate_tokens(block),
        legs_failed=found.failed,
    )


def _best_of_each_kind(places: Sequence[Placed], most: int) -> list[Placed]:
    """The best `most` of each kind, in order: enough to choose from, whatever each kind's share will be."""
    taken: Counter[str] = Counter()
    best = []
    for place in places:
        taken[place.candidate.kind] += 1
        if taken[place.candidate.kind] <= most:
            best.append(place)
    return best


def search(db: Connection, query: SearchQuery, *, position: int, now: datetime, weights: Weights) -> SearchAnswer:
    """The best matches."""
    wanted = Filter(tuple(kind.value for kind in query.kinds), query.exclude_session_id)
    found = rank_matches(db, query.query, wanted, most=max(query.limit, _CANDIDATES), now=now, weights=weights)
    items = _memories(db, found.places[: query.limit])
    return SearchAnswer(position=position, items=tuple(items), legs_failed=found.failed)


def _memories(db: Connection, places: Sequence[Placed]) -> list[ScoredMemory]:
    found = rows.by_numbers(db, [place.candidate.number for place in places])
    return [ScoredMemory(**dict(found[place.candidate.number]), score=place.score()) for place in places]


_CANDIDATES = 100


def _lexical(db: Connection, query: str, wanted: Filter, most: int) -> list[Hit]:
    built = fts_query(query)
    return legs.lexical(db, built, wanted, most) if built else []


def _entity_names(query: str) -> list[str]:
    """What in the query may name an entity: what the patterns find, and its runs of up to three words."""
    return list({canonical_name(entity) for entity in find_entities(query)} | set(phrases(query)))


def _leg(name: str, failed: list[str], run: Callable[[], list[Hit]]) -> list[Hit]:
    """A leg's result; nothing where it fails: the others still answer."""
    try:
        return run()
    except Exception:  # noqa: BLE001 - whatever a leg stumbles over, the answer must come; it is named and counted
        log.warning("leg.failed", leg=name, exc_info=True)
        LEG_FAILURES.labels(name).inc()
        failed.append(name)
        return []
