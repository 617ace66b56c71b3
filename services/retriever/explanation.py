"""Explains a context: computes it again and tells for every candidate its scores and why it was given or left out."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from services.retriever.assembly import distinct, fitting, profile_of, worthy_numbers
from services.retriever.domain.candidate import Placed
from services.retriever.domain.repeats import Sifted
from services.retriever.found_memory import Shown
from services.retriever.matches import Matches
from services.retriever.retrieval import match
from services.retriever.search_request import SearchRequest
from services.retriever.store import provenance, read_memories
from services.retriever.store.legs import Connection, Filter
from services.retriever.store.reading_moment import as_at
from services.retriever.store.search.searched_file import SearchedFile
from shared.contracts.parts import Standing
from shared.contracts.queries import Considered, ExplainAnswer, Fate, LegScore, Memory, ScoredMemory
from shared.contracts.recalls import Recall

_ENDED = {Standing.SUPERSEDED: Fate.SUPERSEDED, Standing.RETIRED: Fate.RETIRED}


class Explained(NamedTuple):
    """The terms of an explanation: the request, its limits, and the recall that it reproduces."""

    request: SearchRequest
    budget_tokens: int | None
    most_candidates: int
    recall: Recall | None = None


class _Outcome(NamedTuple):
    """What became of the candidates: the ids of those that are given, in order; and of each by its number.

    `shown`: those that are given, with their lines and what of them is shown.
    """

    given: tuple[str, ...]
    fates: Mapping[int, Fate]
    shown: Mapping[int, ScoredMemory] = MappingProxyType({})
    said_by: Mapping[str, str] = MappingProxyType({})


def explain(file: SearchedFile, asked: Explained, *, position: int, at_number: int) -> ExplainAnswer:
    """The context computed again, with every candidate that was considered."""
    asked = asked._replace(request=asked.request._replace(is_explained=True))
    found, db = match(file, asked.request), file.db
    as_at(db, asked.request.now)
    outcome = _outcome(file, found, asked)
    hidden, why_hidden = _hidden(file, asked, found)
    most = asked.most_candidates
    weights, recall, told = asked.request.weights, asked.recall, found.verdict.signs
    return ExplainAnswer(
        position=position,
        recall_id=recall.recall_id if recall else None,
        query=asked.request.text,
        at_number=at_number,
        computed_at=asked.request.now,
        ranking=weights.fingerprint,
        options=weights.options,
        evidence=found.verdict.evidence,
        least_evidence=found.verdict.least,
        signs={name: float(value) for name, value in told._asdict().items() if value is not None} if told else {},
        profile=profile_of(file, asked.request, asked.budget_tokens),
        abstained=found.abstained,
        is_small_talk=asked.request.looks_for_nothing,
        reproduced=None
        if recall is None or recall.shared
        else outcome.given == tuple(str(item.memory_id) for item in recall.items),
        candidates=(
            *_considered(db, found.places[:most], outcome, are_in_order=True),
            *_considered(db, hidden[:most], _Outcome((), why_hidden), are_in_order=False),
        ),
        legs_failed=tuple(found.failed),
        leg_failures=found.failed,
    )


def _outcome(file: SearchedFile, found: Matches, asked: Explained) -> _Outcome:
    numbers = [place.candidate.number for place in found.places]
    if found.abstained:
        return _Outcome((), dict.fromkeys(numbers, Fate.ABSTAINED))
    sifted = distinct(file, found, asked.request)
    given = _fitting(file, sifted, asked.request, asked.budget_tokens)
    unlimited = _fitting(file, sifted, asked.request, None)
    worthy = worthy_numbers(found.places, asked.request)
    by_total = sorted(found.places, key=lambda place: (-place.total, -place.candidate.number))
    fates = dict.fromkeys(numbers, Fate.OVER_LIMIT)
    fates |= {place.candidate.number: Fate.DUPLICATE for place in by_total[: asked.request.most] if place.penalty}
    fates |= {number: Fate.LESS_RELEVANT for number in numbers if number not in worthy}
    fates |= {memory.number: Fate.OVER_BUDGET for memory in unlimited}
    fates |= sifted.left_out
    fates |= {memory.number: Fate.GIVEN for memory in given}
    shown = {memory.number: memory for memory in given}
    return _Outcome(tuple(memory.memory_id for memory in given), fates, shown, sifted.said_by)


def _fitting(
    file: SearchedFile, sifted: Sifted[Shown], request: SearchRequest, budget_tokens: int | None
) -> tuple[ScoredMemory, ...]:
    return fitting(file, sifted, request, budget_tokens, profile=profile_of(file, request, budget_tokens)).items


def _hidden(file: SearchedFile, asked: Explained, found: Matches) -> tuple[list[Placed], dict[int, Fate]]:
    """The matches that a context may not hold, because they have ended or belong to the session that asks; and their fates."""
    wanted = asked.request.wanted
    seen = {place.candidate.number for place in found.places}
    everything = asked.request._replace(wanted=Filter(wanted.kinds, ended=True, among=wanted.among))
    places = [place for place in match(file, everything).places if place.candidate.number not in seen]
    memories = read_memories.by_numbers(file.db, [place.candidate.number for place in places])
    fates = {number: fate for number, memory in memories.items() if (fate := _why_hidden(memory, wanted))}
    return [place for place in places if place.candidate.number in fates], fates


def _why_hidden(memory: Memory, wanted: Filter) -> Fate | None:
    if memory.status in _ENDED:
        return _ENDED[memory.status]
    is_current = wanted.exclude_session_id is not None and memory.session_id == wanted.exclude_session_id
    return Fate.CURRENT_SESSION if is_current else None


def _considered(db: Connection, places: Sequence[Placed], outcome: _Outcome, *, are_in_order: bool) -> Iterator[Considered]:
    """These candidates with their memories, sources and fates; with their places, if they are in the final order."""
    memories = read_memories.by_numbers(db, [place.candidate.number for place in places])
    sources = provenance.sources(db, [memory.memory_id for memory in memories.values()])
    replaced = read_memories.by_numbers(db, [number for place in places for number in place.stands_for])
    for index, place in enumerate(places, start=1):
        candidate, memory = place.candidate, memories[place.candidate.number]
        shown = outcome.shown.get(memory.number)
        yield Considered(
            memory=memory,
            fate=outcome.fates[memory.number],
            place=index if are_in_order else None,
            line=shown.line if shown else None,
            excerpt=shown.excerpt if shown else None,
            said_by=outcome.said_by.get(memory.memory_id),
            legs={
                leg: LegScore(score=candidate.legs.get(leg), rank=candidate.ranks.get(leg))
                for leg in sorted(candidate.legs.keys() | candidate.ranks.keys())
            },
            cosine=candidate.cosine,
            relevance=place.relevance,
            relevance_parts={name: value for name, value in place.parts._asdict().items() if value},
            features=place.features._asdict() if place.features else {},
            recency=place.recency,
            importance=candidate.importance,
            confidence=candidate.confidence,
            total=place.total,
            mmr_penalty=place.penalty,
            stands_for=tuple(replaced[number].memory_id for number in place.stands_for),
            sources=sources[memory.memory_id],
        )
