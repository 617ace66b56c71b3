"""Finds and ranks the memories that match a request: runs the search legs, completes their scores, and fuses them."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from datetime import time as time_of_day
from typing import NamedTuple, TypeVar
from zoneinfo import ZoneInfo

from services.retriever.domain.aims import AskingAim
from services.retriever.domain.asked_attributes import asked_about, asked_only
from services.retriever.domain.asking_the_bot import asks_the_bot
from services.retriever.domain.candidate import Candidate, Placed
from services.retriever.domain.diversity import RankedText, diverse, likeness, newest_first, vector_of
from services.retriever.domain.excerpt import asked_words
from services.retriever.domain.familiarity import by_familiarity
from services.retriever.domain.full_text import fts_query, phrases, terms, too_common
from services.retriever.domain.idle_turns import SHIPPED
from services.retriever.domain.manner import language_asked, manner_of
from services.retriever.domain.periods.reading import periods
from services.retriever.domain.ranking import normalised, rank, ranks, specificity
from services.retriever.domain.smoothing import smoothed
from services.retriever.domain.succession import MemoryEnding, answering, merged, succeeded
from services.retriever.domain.weights import Weights
from services.retriever.judging import AskedOfMemory, EvidenceVerdict, judged
from services.retriever.store import best_known, corrected_turns, legs, succession
from services.retriever.store.legs import Connection, Filter, Hit, QueryVector, Span
from services.retriever.store.stated_slots import stated_attributes
from shared.contracts.parts import Kind
from shared.contracts.queries import LegFailure
from shared.domain.moments import microseconds
from shared.runtime.logs import log
from shared.runtime.metrics import CONTEXT_STAGE_SECONDS, LEG_FAILURES
from shared.text import calendar
from shared.text.calendar import Period
from shared.text.entities import canonical_name, find_entities

_MICROSECONDS = 1_000_000
_POOL = 60
"""So many of the best are put into an order in which they differ."""

_READ = 20
"""The texts of so many are read."""

_SCORED = 1_000
"""Of so many memories of each kind the score by words is known; the leg's candidates are the best of them."""

_MOST_MATCHES = 5_000
"""Where there are more memories, the most common words of a question are left out until so many match: BM25 takes 2 µs each."""

_EVIDENT = 10
UTC = ZoneInfo("UTC")
T = TypeVar("T")
V = TypeVar("V", int, float)


class SearchRequest(NamedTuple):
    """A question with everything that finding and ranking depend on."""

    text: str
    vector: QueryVector | LegFailure
    wanted: Filter
    most: int
    now: datetime
    weights: Weights
    speakers: frozenset[str] = frozenset()  # those that the words name
    zone: ZoneInfo = UTC
    aim: AskingAim = AskingAim.PERSON
    is_broad: bool = False  # asks for everything that is known
    languages: Sequence[str] = SHIPPED  # in which a turn may be a command

    @property
    def most_candidates(self) -> int:
        """The most candidates of a leg, for each kind of memory."""
        return max(self.most, self.weights.candidates)

    @property
    def trusted_weights(self) -> Weights:
        """The weights, with less for vectors where the model does not know the question's script."""
        return self.weights.trusting(self.vector.trust) if isinstance(self.vector, QueryVector) else self.weights

    def limited_to(self, numbers: tuple[int, ...] | None) -> SearchRequest:
        """The request for none but the memories with these numbers; None: for all."""
        return self if numbers is None else self._replace(wanted=replace(self.wanted, among=numbers))

    @property
    def looks_for_nothing(self) -> bool:
        """True for small talk, unless an answer is wanted whatever speaks for it."""
        return self.aim is AskingAim.CHAT and not self.is_broad and self.weights.abstain_below > 0


class Matches(NamedTuple):
    """The memories that match, best first; the legs that failed; and the verdict whether there is an answer at all."""

    places: list[Placed]
    failed: dict[str, LegFailure]
    verdict: EvidenceVerdict = EvidenceVerdict()

    @property
    def abstained(self) -> bool:
        """True if so little speaks for an answer that none is given."""
        return self.verdict.evidence < self.verdict.least


class WordMatches(NamedTuple):
    """The hits of the legs that need no vector; they run while the question is embedded."""

    found: dict[str, list[Hit]]
    lexical: dict[int, float]  # of all that hold a word, not only of the best
    spans: Sequence[tuple[Span, float]]  # the times that the question names
    failed: dict[str, LegFailure]


def match_words(db: Connection, request: SearchRequest) -> WordMatches:
    """Run the legs that need only the words of the question."""
    if request.is_broad or request.looks_for_nothing:
        return WordMatches({}, {}, (), {})
    run, spans, nothing = _Retrieval(db, request, {}), _spans(request), list[Hit]()
    wide = run.leg("lexical", run.lexical, nothing)
    found = {
        "lexical": legs.best_of_each_kind(wide, request.most_candidates),
        "entity": run.leg("entity", run.entity, nothing),
        "time": run.leg("time", lambda: run.time(spans), nothing),
    }
    return WordMatches(found, {hit.number: hit.score for hit in wide}, spans, run.failed)


def match(db: Connection, request: SearchRequest, words: WordMatches | None = None) -> Matches:
    """Everything that any leg finds, ranked, what holds now before what does not any more.

    Hardly a text is read, because there are far more candidates than answers.
    """
    if request.looks_for_nothing:
        return Matches([], {}, EvidenceVerdict(0.0, request.weights.abstain_below))
    if request.is_broad:
        return _match_broadly(db, request)
    words = words or match_words(db, request)
    run = _Retrieval(db, request, words.failed)
    nearest = run.leg("vector", run.vector, legs.Nearest([], {}))
    found = {"vector": nearest.hits} | words.found
    hits = {hit.number: hit for best in found.values() for hit in best}
    ended = run.leg("succession", lambda: run.endings(hits, _best_of(found)), _NOTHING_ENDED)
    hits |= {heir.number: heir for heir in ended.heirs if heir.number not in hits}
    around = run.leg("vector", lambda: run.around(hits, nearest.cosines), _Around({}, {}), stage="cosines")
    times = run.leg("time", lambda: run.of_time(hits, words.spans), dict[int, float](), stage="times")
    with CONTEXT_STAGE_SECONDS.labels("rank").time():
        ranked = rank(run.candidates(hits, found, words, around, times), request.trusted_weights)
    verdict = run.leg("evidence", lambda: run.verdict(ranked), EvidenceVerdict())
    places = run.succeeded(ranked, ended)
    return Matches(run.leg("diversity", lambda: run.diverse(places), places), run.failed, verdict)


def _match_broadly(db: Connection, request: SearchRequest) -> Matches:
    """What is known best, without a look at the words of the question."""
    familiar = best_known.best_known(db, request.wanted, request.most_candidates)
    run, places = _Retrieval(db, request, {}), by_familiarity(familiar, request.weights, request.now)
    numbers = [known.number for known in familiar]
    ended = run.leg("succession", lambda: run.endings(numbers, numbers[:_READ]), _NOTHING_ENDED)
    return Matches(run.succeeded(places, ended), run.failed)


class _Around(NamedTuple):
    """The cosines of candidates and of the turns beside them, and which turns these are."""

    cosines: Mapping[int, float]
    neighbours: Mapping[int, Sequence[int | None]]


class _Ended(NamedTuple):
    """The candidates that do not hold any more, and what a search may return in their place."""

    endings: Mapping[int, MemoryEnding]
    heirs: Sequence[Hit] = ()


_NOTHING_ENDED = _Ended({})


class _Retrieval:
    """One request while it is matched with one file."""

    def __init__(self, db: Connection, request: SearchRequest, failed: Mapping[str, LegFailure]) -> None:
        self._db = db
        self._request = request
        self.failed = dict(failed)
        self._most = request.most_candidates
        self._wanted = replace(request.wanted, superseded=True)
        self._asked = None if isinstance(request.vector, LegFailure) else request.vector

    def leg(self, name: str, run: Callable[[], T], otherwise: T, *, stage: str = "") -> T:
        """The result of a leg; `otherwise` if it fails, so that the others still answer."""
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

    def lexical(self) -> list[Hit]:
        """The memories that hold a word, many more than become candidates: hits of other legs need their exact score too."""
        asked, common = self._request.text, frozenset[str]()
        if legs.are_more_than(self._db, _MOST_MATCHES):
            common = too_common(legs.frequencies(self._db, terms(asked), _MOST_MATCHES + 1), _MOST_MATCHES)
        built = fts_query(asked, self._request.speakers, common=common)
        return legs.lexical(self._db, built, self._wanted, max(self._most, _SCORED)) if built else []

    def vector(self) -> legs.Nearest:
        """The memories most similar to the question; names the failure where there is no vector to compare."""
        if isinstance(asked := self._request.vector, LegFailure):
            self.failed["vector"] = asked
            return legs.Nearest([], {})
        nearest = legs.vector(self._db, asked, self._wanted, self._most)
        if not nearest.hits and (why := legs.vectorless(self._db, asked.model)):
            self.failed["vector"] = why
        return nearest

    def around(self, hits: Collection[int], known: Mapping[int, float]) -> _Around:
        """The exact cosine of every candidate and of the turns beside it, those that are `known` included."""
        neighbours = legs.neighbours(self._db, hits)
        beside = {other for turns in neighbours.values() for other in turns if other is not None}
        unknown = beside.union(hits) - known.keys()
        more = legs.cosines(self._db, self._asked, unknown) if self._asked and unknown else {}
        return _Around({**known, **more}, neighbours)

    def entity(self) -> list[Hit]:
        """The memories of entities that the question may name, by the patterns of entities and by runs of up to three words."""
        text = self._request.text
        names = {canonical_name(entity) for entity in find_entities(text)} | set(phrases(text))
        return legs.entity(self._db, list(names), self._wanted, self._most)

    def time(self, spans: Sequence[tuple[Span, float]]) -> list[Hit]:
        """The memories of the times that the question names, or that speak of them; a narrower time scores higher."""
        hits: dict[int, tuple[float, Hit]] = {}
        for span, score in spans:
            for hit in legs.time(self._db, span, self._wanted, self._most):
                if hit.number not in hits or hits[hit.number][0] < score:
                    hits[hit.number] = score, hit
        newest = sorted(hits.values(), key=lambda found: (-found[0], -found[1].score, -found[1].number))
        return [hit._replace(score=score) for score, hit in newest]

    def of_time(self, hits: Collection[int], spans: Sequence[tuple[Span, float]]) -> dict[int, float]:
        """The score of each candidate by the times that the question names."""
        scores: dict[int, float] = {}
        for span, score in sorted(spans, key=lambda asked: asked[1]):
            scores |= dict.fromkeys(legs.of_time(self._db, span, hits), score)
        return scores

    def endings(self, numbers: Collection[int], best: Collection[int]) -> _Ended:
        """What of these does not hold any more, and what may stand in its place: facts, or else the turns that state them.

        Whether a turn was put right is told by its words, which only those of the best are read for.
        """
        found = merged(succession.endings_or_doubts(self._db, numbers), corrected_turns.corrected(self._db, best))
        if found and Kind.FACT not in self._request.wanted.kinds:
            found = succession.said(self._db, found)
        return _Ended(found, succession.wanted(self._db, found, self._request.wanted))

    def succeeded(self, places: Sequence[Placed], ended: _Ended) -> list[Placed]:
        """The places with what holds now before what it outdates; superseded facts only where the ended are asked for."""
        about = {attribute for ending in ended.endings.values() for attribute in ending.about}
        asked = asked_about(asked_words(self._request.text), about) if about else frozenset[str]()
        found = succeeded(places, ended.endings, self._request.weights, asked=asked)
        found = answering(found, self._stating(found, ended.endings), self._request.weights)
        return found if self._request.wanted.ended else [each for each in found if not each.candidate.is_superseded]

    def _stating(self, places: Sequence[Placed], endings: Mapping[int, MemoryEnding]) -> set[int]:
        """Those among the places that state just what is asked, and hold."""
        stated = stated_attributes(self._db, [each.candidate.number for each in places])
        asked = asked_only(self._request.text, {name for slots in stated.values() for name in slots.values()})
        return {
            number
            for number, slots in stated.items()
            if any(name in asked and _holds(place, endings.get(number)) for place, name in slots.items())
        }

    def candidates(
        self,
        hits: Mapping[int, Hit],
        found: Mapping[str, list[Hit]],
        words: WordMatches,
        around: _Around,
        times: Mapping[int, float],
    ) -> Iterator[Candidate]:
        """Each of these memories, with its exact score and its rank in each leg that found it."""
        traits = legs.traits(self._db, hits)
        dated = self.leg("time", lambda: legs.dated(self._db, hits), frozenset[int](), stage="times")
        scores = {
            "vector": normalised(smoothed(list(hits), around.cosines, around.neighbours)),
            "lexical": normalised({number: words.lexical[number] for number in hits if number in words.lexical}),
            "entity": normalised({hit.number: hit.score for hit in found["entity"]}),
            "speaker": {number: 1.0 for number, of in traits.items() if of.speaker in self._request.speakers},
            "time": times,
        }
        places = {leg: ranks({hit.number: hit.score for hit in best[: self._most]}) for leg, best in found.items()}
        scores_of, ranks_of, now = _by_number(hits, scores), _by_number(hits, places), microseconds(self._request.now)
        language, is_of_bot_asked = language_asked(self._request.text), asks_the_bot(self._request.text)
        for number, hit in hits.items():
            of = traits[number]
            yield Candidate(
                number=number,
                kind=hit.kind,
                age_s=(now - of.event_time) / _MICROSECONDS,
                importance=of.importance,
                confidence=of.confidence,
                session_id=of.session_id,
                asks=of.asks,
                tags=of.tags,
                legs=scores_of[number],
                ranks=ranks_of[number],
                cosine=around.cosines.get(number),
                is_superseded=of.is_superseded,
                is_of_another=self._is_of_another(of.speaker),
                is_dated=number in dated,
                is_of_bot=of.is_of_bot and not is_of_bot_asked,
                manner=manner_of(of.content, language, is_fact=hit.kind == Kind.FACT),
            )

    def _is_of_another(self, speaker: str | None) -> bool:
        asked = self._request.speakers
        return bool(asked) and speaker is not None and speaker not in asked

    def verdict(self, places: Sequence[Placed]) -> EvidenceVerdict:
        """How much speaks for an answer among the first ten, and how much must."""
        of = self._request
        understood = self._asked is None or self._asked.is_understood
        asked = AskedOfMemory(of.text, of.speakers, of.aim, of.weights.abstain_below, is_understood=understood)
        best = [place.candidate for place in places[:_EVIDENT]]
        return judged(self._db, asked, best, has_words="lexical" not in self.failed)

    def _statements(self, places: Sequence[Placed]) -> list[RankedText]:
        """The places as statements; the first ones with their texts, by which one may be seen to change another."""
        said = legs.statements(self._db, [place.candidate.number for place in places[:_READ]])
        asked = (place.candidate for place in places)
        ages_s = [math.inf if each.asks else each.age_s for each in asked]  # a newer question supersedes nothing
        return [
            RankedText.of(place.total, age_s, place.candidate.session_id, said.get(place.candidate.number))
            for place, age_s in zip(places, ages_s, strict=True)
        ]

    def diverse(self, places: list[Placed]) -> list[Placed]:
        """The places with the best ones in the order of maximal marginal relevance."""
        best, mmr_lambda = places[:_POOL], self._request.weights.mmr_lambda
        if mmr_lambda == 1 or len(best) < 2:  # noqa: PLR2004 - one alone is diverse
            return places
        numbers = [place.candidate.number for place in best]
        raw = legs.embeddings(self._db, self._asked.model, numbers) if self._asked else {}
        tags = [place.candidate.tags for place in best]
        alike = likeness([vector_of(raw, number) for number in numbers], tags)
        totals = [place.total for place in best]
        penalties = {pick.place: pick.penalty for pick in diverse(totals, alike, tags, mmr_lambda=mmr_lambda)}
        order = newest_first(list(penalties), alike, self._statements(best))
        return [best[index]._replace(penalty=penalties[index]) for index in order] + places[_POOL:]


def _holds(place: int, ending: MemoryEnding | None) -> bool:
    """Whether a slot of a fact with this ending holds, and nobody doubts it."""
    return ending is None or not (ending.is_whole or ending.is_doubted or place in ending.slots)


def _best_of(found: Mapping[str, Sequence[Hit]]) -> set[int]:
    """The best hits of each leg: only they may come to stand first."""
    return {hit.number for best in found.values() for hit in best[:_READ]}


def _by_number(numbers: Iterable[int], legs: Mapping[str, Mapping[int, V]]) -> dict[int, dict[str, V]]:
    """The values of each leg, grouped by memory."""
    found: dict[int, dict[str, V]] = {number: {} for number in numbers}
    for leg, said in legs.items():
        for number, value in said.items():
            if number in found:
                found[number][leg] = value
    return found


def _spans(request: SearchRequest) -> list[tuple[Span, float]]:
    """The times that the question names, by the asker's calendar, each with its specificity."""
    today = request.now.astimezone(request.zone).date()
    return [(_span(period, request.zone), specificity(period)) for period in periods(request.text, today, asked=True)]


def _span(period: Period, zone: ZoneInfo) -> Span:
    after = calendar.day_at(period.last, 1) or period.last
    begin, end = (microseconds(datetime.combine(day, time_of_day.min, zone)) for day in (period.first, after))
    return Span(begin, end, period.first.toordinal(), period.last.toordinal())
