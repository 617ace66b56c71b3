"""Answers questions from one user's file. Reads only: what was recalled is recorded after the reply, by ingest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from services.retriever.domain.block import choose, estimate_tokens, markdown
from services.retriever.domain.excerpt import stems
from services.retriever.domain.ranking import Placed
from services.retriever.matching import Question, Words, match
from services.retriever.store import rows
from services.retriever.store.legs import Connection
from shared.contracts.ids import RecallId
from shared.contracts.queries import ContextAnswer, ScoredMemory, SearchAnswer
from shared.runtime.metrics import CONTEXT_STAGE_SECONDS


def context(
    db: Connection,
    question: Question,
    words: Words | None = None,
    *,
    recall_id: RecallId,
    position: int,
    budget_tokens: int | None,
) -> ContextAnswer:
    """What matters for the question, within the budget."""
    found = match(db, question, words)
    abstained = found.evidence < question.weights.abstain_below
    places = [] if abstained else best_of_each_kind(found.places, question.most)
    with CONTEXT_STAGE_SECONDS.labels("assemble").time():
        ranked = scored(db, places)
        asked = stems(question.text)
        items = choose(ranked, limit=question.most, budget_tokens=budget_tokens, asked=asked)
        block = markdown(items, asked)
    return ContextAnswer(
        position=position,
        recall_id=recall_id,
        markdown=block,
        items=tuple(items),
        tokens=estimate_tokens(block),
        abstained=abstained,
        legs_failed=tuple(found.failed),
        leg_failures=found.failed,
    )


def search(db: Connection, question: Question, words: Words | None = None, *, position: int) -> SearchAnswer:
    """The best matches."""
    found = match(db, question, words)
    with CONTEXT_STAGE_SECONDS.labels("assemble").time():
        items = scored(db, found.places[: question.most])
    return SearchAnswer(position=position, items=tuple(items), legs_failed=tuple(found.failed), leg_failures=found.failed)


def best_of_each_kind(places: Sequence[Placed], most: int) -> list[Placed]:
    """The best `most` of each kind, in order: enough to choose from, whatever each kind's share will be."""
    taken: Counter[str] = Counter()
    best = []
    for place in places:
        taken[place.candidate.kind] += 1
        if taken[place.candidate.kind] <= most:
            best.append(place)
    return best


def scored(db: Connection, places: Sequence[Placed]) -> list[ScoredMemory]:
    """The memories at these places, with their scores."""
    found = rows.by_numbers(db, [place.candidate.number for place in places])
    return [ScoredMemory(**dict(found[place.candidate.number]), score=place.score()) for place in places]
