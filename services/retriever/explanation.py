"""Explains a context: computes it again and tells for every candidate its scores and why it was given or left out."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from services.retriever.assembly import distinct, fitting
from services.retriever.domain.ranking import Placed
from services.retriever.retrieval import Matches, SearchRequest, match
from services.retriever.store import provenance, read_memories
from services.retriever.store.legs import Connection, Filter
from shared.contracts.events import MemoriesRecalled
from shared.contracts.parts import Standing
from shared.contracts.queries import Considered, ExplainAnswer, Fate, LegScore, Memory

_ENDED = {Standing.SUPERSEDED: Fate.SUPERSEDED, Standing.RETIRED: Fate.RETIRED}


class Explained(NamedTuple):
    """The terms of an explanation: the request, its limits, and the recall that it reproduces."""

    request: SearchRequest
    budget_tokens: int | None
    most_candidates: int
    recall: MemoriesRecalled | None = None


def explain(db: Connection, asked: Explained, *, position: int, at_number: int) -> ExplainAnswer:
    """The context computed again, with every candidate that was considered."""
    found = match(db, asked.request)
    abstained = found.evidence < asked.request.weights.abstain_below
    given, fates = _fates(db, found, asked, abstained=abstained)
    hidden, why_hidden = _hidden(db, asked, found)
    most = asked.most_candidates
    weights, recall = asked.request.weights, asked.recall
    return ExplainAnswer(
        position=position,
        recall_id=recall.recall_id if recall else None,
        query=asked.request.text,
        at_number=at_number,
        computed_at=asked.request.now,
        ranking=weights.fingerprint,
        options=weights.options,
        evidence=found.evidence,
        abstained=abstained,
        reproduced=None if recall is None else given == tuple(str(item.memory_id) for item in recall.items),
        candidates=(
            *_considered(db, found.places[:most], fates, are_in_order=True),
            *_considered(db, hidden[:most], why_hidden, are_in_order=False),
        ),
        legs_failed=tuple(found.failed),
        leg_failures=found.failed,
    )


def _fates(db: Connection, found: Matches, asked: Explained, *, abstained: bool) -> tuple[tuple[str, ...], dict[int, Fate]]:
    """The ids of the memories that are given, in order; and the fate of each candidate by its number."""
    numbers = [place.candidate.number for place in found.places]
    if abstained:
        return (), dict.fromkeys(numbers, Fate.ABSTAINED)
    sifted = distinct(db, found.places, asked.request)
    given = fitting(db, sifted.kept, asked.request, asked.budget_tokens)
    unlimited = fitting(db, sifted.kept, asked.request, None)
    by_total = sorted(found.places, key=lambda place: (-place.total, -place.candidate.number))
    fates = dict.fromkeys(numbers, Fate.OVER_LIMIT)
    fates |= {place.candidate.number: Fate.DUPLICATE for place in by_total[: asked.request.most] if place.penalty}
    fates |= {entry.memory.number: Fate.OVER_BUDGET for entry in unlimited.entries}
    fates |= sifted.left_out
    fates |= {entry.memory.number: Fate.GIVEN for entry in given.entries}
    return tuple(entry.memory.memory_id for entry in given.entries), fates


def _hidden(db: Connection, asked: Explained, found: Matches) -> tuple[list[Placed], dict[int, Fate]]:
    """The matches that a context may not hold, because they have ended or belong to the session that asks; and their fates."""
    wanted = asked.request.wanted
    seen = {place.candidate.number for place in found.places}
    everything = asked.request._replace(wanted=Filter(wanted.kinds, ended=True))
    places = [place for place in match(db, everything).places if place.candidate.number not in seen]
    memories = read_memories.by_numbers(db, [place.candidate.number for place in places])
    fates = {number: fate for number, memory in memories.items() if (fate := _why_hidden(memory, wanted))}
    return [place for place in places if place.candidate.number in fates], fates


def _why_hidden(memory: Memory, wanted: Filter) -> Fate | None:
    if memory.status in _ENDED:
        return _ENDED[memory.status]
    is_current = wanted.exclude_session_id is not None and memory.session_id == wanted.exclude_session_id
    return Fate.CURRENT_SESSION if is_current else None


def _considered(
    db: Connection, places: Sequence[Placed], fates: Mapping[int, Fate], *, are_in_order: bool
) -> Iterator[Considered]:
    """These candidates with their memories, sources and fates; with their places, if they are in the final order."""
    memories = read_memories.by_numbers(db, [place.candidate.number for place in places])
    sources = provenance.sources(db, [memory.memory_id for memory in memories.values()])
    replaced = read_memories.by_numbers(db, [number for place in places for number in place.stands_for])
    for index, place in enumerate(places, start=1):
        candidate, memory = place.candidate, memories[place.candidate.number]
        yield Considered(
            memory=memory,
            fate=fates[memory.number],
            place=index if are_in_order else None,
            legs={
                leg: LegScore(score=candidate.legs.get(leg), rank=candidate.ranks.get(leg))
                for leg in sorted(candidate.legs.keys() | candidate.ranks.keys())
            },
            cosine=candidate.cosine,
            relevance=place.relevance,
            relevance_parts={name: value for name, value in place.parts._asdict().items() if value},
            recency=place.recency,
            importance=candidate.importance,
            confidence=candidate.confidence,
            total=place.total,
            mmr_penalty=place.penalty,
            stands_for=tuple(replaced[number].memory_id for number in place.stands_for),
            sources=sources[memory.memory_id],
        )
