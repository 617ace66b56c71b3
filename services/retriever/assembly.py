"""Assembles answers of what a search finds: without repeats, within the budget."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, partial
from itertools import islice

from services.retriever.domain.block import same_day
from services.retriever.domain.budget import Chosen, choose
from services.retriever.domain.candidate import Candidate, Placed
from services.retriever.domain.estimating import estimate_tokens
from services.retriever.domain.excerpt import asked_words
from services.retriever.domain.gathering import AskedOf, asked_values, gathered, may_be_gathered
from services.retriever.domain.given import with_given
from services.retriever.domain.insight import insight_part, room_for_insight
from services.retriever.domain.profile import ATTRIBUTES, profile, worth_reading
from services.retriever.domain.repeats import Sifted, sift, wording_of
from services.retriever.domain.weights import Weights
from services.retriever.domain.worth import FEW, in_turn, worth_showing
from services.retriever.found_memory import FoundMemory, Shown, wholes
from services.retriever.matches import REPEATS, Matches
from services.retriever.retrieval import match
from services.retriever.search_request import SearchRequest
from services.retriever.stages import stage
from services.retriever.store import read_memories
from services.retriever.store.conflicts import pending_about
from services.retriever.store.insights import latest_insight
from services.retriever.store.legs import Connection
from services.retriever.store.privacy import commands_among
from services.retriever.store.reading_moment import as_at
from services.retriever.store.search.searched_file import SearchedFile
from services.retriever.store.stated_slots import told_of_the_person, values_of
from shared.contracts.ids import RecallId
from shared.contracts.parts import Kind, Role
from shared.contracts.queries import ContextAnswer, Outdated, ProfileEntry, ScoredMemory, SearchAnswer
from shared.contracts.reflecting import Insight
from shared.domain.pauses import may_pause


def context(
    file: SearchedFile,
    request: SearchRequest,
    *,
    recall_id: RecallId,
    position: int,
    budget_tokens: int | None,
    given: Sequence[ScoredMemory] = (),
) -> ContextAnswer:
    """The memories that matter for the question, within the budget; among them what other spaces give."""
    db = file.db
    as_at(db, request.now)
    beside = _BesideMemories(file, request, budget_tokens)
    found = match(file, request, meanwhile=beside.make)
    may_pause()
    with stage("assemble"):
        sifted = distinct(file, Matches([], {}) if found.abstained else found, request)
        if given:
            sifted = sifted._replace(kept=with_given(list(wholes(sifted.kept)), given))
        insight = beside.insight
        shown, left = beside.room
        chosen = fitting(file, sifted, request, left, profile=beside.profile)
        block = chosen.markdown
        if insight and shown and chosen.items:
            shown = insight_part(insight, most_tokens=estimate_tokens(shown), said=[item.text for item in chosen.items])
            block += shown
        else:
            shown = ""
    return ContextAnswer(
        position=position,
        recall_id=recall_id,
        markdown=block,
        items=chosen.items,
        tokens=estimate_tokens(block),
        abstained=found.abstained and not given,
        legs_failed=tuple(found.failed),
        leg_failures=found.failed,
        profile=chosen.profile,
        pending=chosen.questions,
        insight=insight if shown else None,
    )


class _BesideMemories:
    """What stands beside the memories, whatever is found: each made once, at best while the vector is awaited."""

    def __init__(self, file: SearchedFile, request: SearchRequest, budget_tokens: int | None) -> None:
        self._file = file
        self._request = request
        self._budget_tokens = budget_tokens

    @cached_property
    def insight(self) -> Insight | None:
        """What the last week came to."""
        # facts must be asked for, and of all times, tags and names
        if Kind.FACT.value not in self._request.wanted.kinds or self._request.wanted.among is not None:
            return None
        return latest_insight(self._file.db, self._request.now, self._file.unchanged)

    @cached_property
    def room(self) -> tuple[str, int | None]:
        """What is shown of it, and the budget that is left."""
        return room_for_insight(self.insight, self._budget_tokens)

    @cached_property
    def profile(self) -> tuple[ProfileEntry, ...]:
        """Who the person is."""
        return profile_of(self._file, self._request, self.room[1])

    def make(self) -> None:
        """Make all of it, and read the question, which is kept for what follows."""
        _ = self.profile, asked_words(self._request.text)


def search(file: SearchedFile, request: SearchRequest, *, position: int, given: Sequence[ScoredMemory] = ()) -> SearchAnswer:
    """The memories that match best, among them what other spaces give."""
    found = match(file, request)
    as_at(file.db, request.now)
    with stage("assemble"):
        items = scored(file, found.places[: request.most], request)
        if given:
            items = with_given(items, given)[: request.most]
    return SearchAnswer(position=position, items=tuple(items), legs_failed=tuple(found.failed), leg_failures=found.failed)


def distinct(file: SearchedFile, found: Matches, request: SearchRequest) -> Sifted[Shown]:
    """The memories that are worth a line, without repeats, best first; the few best in any case."""
    turn = in_turn(found.places, _weights(request), found.unlisted)
    waiting = iter(turn.places)
    taken: list[FoundMemory] = []
    sifted, most = Sifted[FoundMemory]([], {}, {}), min(turn.how_many, request.most + REPEATS)
    while most:
        batch = list(islice(waiting, most))
        if len(batch) < most and found.unlisted:
            return distinct(file, found.whole, request)
        if not batch:
            break
        further = found_at(file, batch, request)
        taken = _in_order([*taken, *further], found.places) if taken else further
        turns = [each.message_id for each in taken if each.message_id and each.role is Role.USER]
        known = {each.number: file.columns.told("wording", each.number, partial(wording_of, each)) for each in taken}
        commands = commands_among(file.db, turns, file.unchanged)
        sifted = sift(taken, request.text, request.languages, commands=commands, wordings=known)
        most = max(FEW - len(sifted.kept), len(taken)) if len(sifted.kept) < FEW else 0
    few = {memory.number for memory in [each for each in sifted.kept if each.outdated is not Outdated.WHOLLY][:FEW]}
    kept = [memory for memory in sifted.kept if memory.number in few or memory.number in turn.worthy]
    return _gathered(file, Sifted[Shown](kept, sifted.left_out, sifted.said_by), found, request)


def _in_order(memories: list[FoundMemory], places: Sequence[Placed]) -> list[FoundMemory]:
    order = {place.candidate.number: index for index, place in enumerate(places)}
    return sorted(memories, key=lambda memory: order[memory.number])


def worthy_numbers(places: Sequence[Placed], request: SearchRequest) -> frozenset[int]:
    """The numbers of the memories that are worth a line."""
    return worth_showing(places, _weights(request))


def _weights(request: SearchRequest) -> Weights:
    """The weights of a request: where everything is asked for, all is worth a line."""
    return replace(request.weights, cut_below=0.0) if request.is_broad else request.weights


def _gathered(file: SearchedFile, sifted: Sifted[Shown], matches: Matches, request: SearchRequest) -> Sifted[Shown]:
    """The memories with what facts state of many values in the respect that is asked about on one line."""
    asked = AskedOf(request.text, request.speakers)
    if request.is_broad or Kind.FACT not in request.wanted.kinds or not (attributes := asked.attributes):
        return sifted
    values = list(values_of(file.db, attributes, request.wanted))
    if not may_be_gathered(values, asked):
        return sifted
    places = matches.whole.places
    found = {place.candidate.number: (rank, place) for rank, place in enumerate(places)}
    stated = sorted(values, key=lambda each: found.get(each.number, (len(places),))[0])
    if (gathering := asked_values(stated, asked)) is None:
        return sifted
    members = [found[number][1] if number in found else _unfound(number) for number in gathering.values]
    whole = Sifted(list(wholes(sifted.kept)), sifted.left_out, sifted.said_by)
    return Sifted[Shown](*gathered(whole, [fact for fact in scored(file, members, request) if not fact.outdated], gathering))


def _unfound(number: int) -> Placed:
    """The place of a fact that no leg found."""
    return Placed(0.0, 0.0, 0.0, Candidate(number=number, kind=Kind.FACT, age_s=0.0, importance=0.0))


def fitting(
    file: SearchedFile,
    sifted: Sifted[Shown],
    request: SearchRequest,
    budget_tokens: int | None,
    *,
    profile: tuple[ProfileEntry, ...],
) -> Chosen:
    """The memories that fit the budget, with who the person is above them."""
    return choose(
        wholes(sifted.kept),
        limit=request.most,
        budget_tokens=budget_tokens,
        asked=asked_words(request.text),
        pending=pending_about(file.db, [memory.memory_id for memory in sifted.kept if memory.conflict_ids], file.unchanged),
        said_by=sifted.said_by,
        profile=profile,
        timed=same_day(sifted.kept),
        zone=request.zone,
    )


def profile_of(file: SearchedFile, request: SearchRequest, budget_tokens: int | None) -> tuple[ProfileEntry, ...]:
    """Who the person is: where facts are asked for, and in a small block in a quarter of it."""
    most = request.weights.profile_tokens
    if not most or Kind.FACT.value not in request.wanted.kinds:
        return ()
    if budget_tokens is not None:
        most = min(most, budget_tokens // 4)
    return file.unchanged.of_facts(("profile", most), lambda: _profile(file.db, most))


def _profile(db: Connection, most_tokens: int) -> tuple[ProfileEntry, ...]:
    stated, pinned = worth_reading(told_of_the_person(db, ATTRIBUTES)), read_memories.pinned(db)
    facts = read_memories.facts_by_numbers(db, [told.number for told in stated])
    return profile(stated, facts, pinned, most_tokens=most_tokens)


def scored(file: SearchedFile, places: Sequence[Placed], request: SearchRequest) -> list[ScoredMemory]:
    """The memories at these places, with their scores and with what ages in them come to by now."""
    return [found.whole for found in found_at(file, places, request)]


def found_at(file: SearchedFile, places: Sequence[Placed], request: SearchRequest) -> list[FoundMemory]:
    """The memories at these places."""
    found = read_memories.stored_by_numbers(file, [place.candidate.number for place in places], FoundMemory)
    return [found[place.candidate.number].at(place, request.now) for place in places]
