"""Assembles answers of what a search finds: without repeats, within the budget."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from services.retriever.domain.budget import Chosen, choose, estimate_tokens
from services.retriever.domain.excerpt import asked_words
from services.retriever.domain.ranking import Placed
from services.retriever.domain.repeats import Sifted, sift
from services.retriever.retrieval import SearchRequest, WordMatches, match
from services.retriever.store import read_memories
from services.retriever.store.conflicts import pending_about
from services.retriever.store.legs import Connection
from shared.contracts.ids import RecallId
from shared.contracts.queries import ContextAnswer, ScoredMemory, SearchAnswer
from shared.runtime.metrics import CONTEXT_STAGE_SECONDS
from shared.statements.ageing import aged


def context(
    db: Connection,
    request: SearchRequest,
    words: WordMatches | None = None,
    *,
    recall_id: RecallId,
    position: int,
    budget_tokens: int | None,
) -> ContextAnswer:
    """The memories that matter for the question, within the budget."""
    found = match(db, request, words)
    abstained = found.evidence < request.weights.abstain_below
    with CONTEXT_STAGE_SECONDS.labels("assemble").time():
        kept = [] if abstained else distinct(db, found.places, request).kept
        chosen = fitting(db, kept, request, budget_tokens)
        block = chosen.markdown
    return ContextAnswer(
        position=position,
        recall_id=recall_id,
        markdown=block,
        items=tuple(entry.memory for entry in chosen.entries),
        tokens=estimate_tokens(block),
        abstained=abstained,
        legs_failed=tuple(found.failed),
        leg_failures=found.failed,
        pending=chosen.questions,
    )


def search(db: Connection, request: SearchRequest, words: WordMatches | None = None, *, position: int) -> SearchAnswer:
    """The memories that match best."""
    found = match(db, request, words)
    with CONTEXT_STAGE_SECONDS.labels("assemble").time():
        items = scored(db, found.places[: request.most], request)
    return SearchAnswer(position=position, items=tuple(items), legs_failed=tuple(found.failed), leg_failures=found.failed)


def distinct(db: Connection, places: Sequence[Placed], request: SearchRequest) -> Sifted:
    """The best memories of each kind without repeats: enough to choose from, whatever share each kind will get."""
    order = {place.candidate.number: index for index, place in enumerate(places)}
    waiting: defaultdict[str, list[Placed]] = defaultdict(list)
    for place in places:
        waiting[place.candidate.kind].append(place)
    taken: list[ScoredMemory] = []
    sifted = Sifted([], {})
    while batch := _next(waiting, sifted.kept, request.most, already=len(taken)):
        taken = sorted([*taken, *scored(db, batch, request)], key=lambda memory: order[memory.number])
        sifted = sift(taken, request.text, request.languages)
    return sifted


def _next(waiting: Mapping[str, list[Placed]], kept: Sequence[ScoredMemory], most: int, *, already: int) -> list[Placed]:
    """Take from the waiting places what each kind is short of; at least as many as before, for they may be repeats too."""
    counts = Counter(memory.kind.value for memory in kept)
    batch: list[Placed] = []
    for kind, queue in waiting.items():
        if short := max(most - counts[kind], 0):
            batch += queue[: max(short, already)]
            del queue[: max(short, already)]
    return batch


def fitting(db: Connection, kept: Sequence[ScoredMemory], request: SearchRequest, budget_tokens: int | None) -> Chosen:
    """The memories that fit the budget. Where everything is asked for, the order alone counts and kinds have no shares."""
    return choose(
        kept,
        limit=request.most,
        budget_tokens=budget_tokens,
        asked=asked_words(request.text),
        shares=not request.is_broad,
        pending=pending_about(db, [memory.memory_id for memory in kept if memory.conflict_ids]),
    )


def scored(db: Connection, places: Sequence[Placed], request: SearchRequest) -> list[ScoredMemory]:
    """The memories at these places, with their scores and with what ages in them come to by now."""
    found = read_memories.fields_by_numbers(db, [place.candidate.number for place in places])
    memories = (ScoredMemory(**found[place.candidate.number], score=place.score()) for place in places)
    return [_grown_older(memory, request.now) if memory.slots else memory for memory in memories]


def _grown_older(memory: ScoredMemory, now: datetime) -> ScoredMemory:
    told = (aged(slot, told_at=memory.occurred_at, now=now) for slot in memory.slots)
    by_now = ", ".join(dict.fromkeys(filter(None, told)))
    return memory.model_copy(update={"by_now": by_now}) if by_now else memory
