"""Finds and ranks the memories that match a request: runs the search legs, completes their scores, and fuses them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, repeat
from typing import Any, NamedTuple, TypeVar

from services.retriever.asked_times import asked_times
from services.retriever.domain.asked_attributes import asked_about, asked_only, asks_of_now, asks_of_oneself
from services.retriever.domain.candidate import NO_RANKS, Placed, penalised
from services.retriever.domain.candidate_columns import CandidateColumns, column_of
from services.retriever.domain.diversity import RankedText, current_first, diverse, likeness, newest_first
from services.retriever.domain.excerpt import asked_words
from services.retriever.domain.familiarity import by_familiarity
from services.retriever.domain.full_text import phrases
from services.retriever.domain.manner import language_asked
from services.retriever.domain.ranking import by_number, normalised_column, rank, ranked_rows, ranks
from services.retriever.domain.shortlist import Looked, shortlist
from services.retriever.domain.smoothing import smoothed
from services.retriever.domain.succession import MemoryEnding, answering, merged, succeeded
from services.retriever.domain.telling_change import tells_change, tells_end
from services.retriever.judging import AskedOfMemory, EvidenceVerdict, judged
from services.retriever.matches import REPEATS, Matches, Ranked
from services.retriever.search_request import SearchRequest
from services.retriever.stages import stage
from services.retriever.store import best_known, legs, succession
from services.retriever.store.legs import NO_HITS, Hits
from services.retriever.store.search.columns import OF_USER, MemoryColumns
from services.retriever.store.search.exact_vectors import AskedVector
from services.retriever.store.search.searched_file import SearchedFile
from services.retriever.store.search.time_search import are_of_span, of_span
from services.retriever.store.search.traits import places_of_speakers, traits_of
from services.retriever.store.search.wanted_rows import best_rows, wanted_rows
from services.retriever.store.search.word_search import WordSearch
from services.retriever.store.shown_rows import ShownRow, unpacked
from services.retriever.store.stated_slots import stated_attributes
from shared.contracts.parts import Kind
from shared.contracts.preferences import Fusion
from shared.contracts.queries import LegFailure
from shared.domain.arrays import NDArray, np
from shared.domain.moments import microseconds
from shared.domain.pauses import may_pause
from shared.language.questions.asking_the_bot import asks_the_bot
from shared.language.text.entities import canonical_name, find_entities
from shared.language.text.length import beginning
from shared.runtime.logs import log
from shared.runtime.metrics import LEG_FAILURES

_MICROSECONDS = 1_000_000
_POOL = 60
"""So many of the best are put into an order in which they differ."""

_READ = 20
"""The texts of so many are read."""

_COARSE = 60
"""The number of nearest memories that the index gives for exact comparison, in percent of the most that a leg gives."""

_MAY_SINK = 8
"""So many more of the best are made: what is outdated in part may come to stand behind others."""

_EVIDENT = 10
T = TypeVar("T")


def match(file: SearchedFile, request: SearchRequest, *, meanwhile: Callable[[], object] | None = None) -> Matches:
    """Everything that any leg finds, ranked, what holds now before what does not any more.

    Hardly a text is read, because there are far more candidates than answers. `meanwhile` is done before the vector is awaited.
    """
    if request.looks_for_nothing:
        return Matches([], {}, EvidenceVerdict(0.0, request.weights.abstain_below))
    if request.is_broad:
        return _match_broadly(file, request)
    run = _Retrieval(file, request)
    found = run.found(meanwhile)
    hits = dict.fromkeys(chain.from_iterable(best.numbers for best in found.values()))
    ended = run.leg("succession", lambda: run.endings(hits, _best_of(found)), _NOTHING_ENDED)
    columns = run.columns([*(hits | dict.fromkeys(ended.heirs))], found)
    with stage("rank"):
        ranked = run.ranked(columns, found, ended)
    verdict = run.leg("evidence", lambda: run.verdict(ranked.places), EvidenceVerdict())
    return run.matches(ranked, ended, verdict)


def _match_broadly(file: SearchedFile, request: SearchRequest) -> Matches:
    """What is known best, without a look at the words of the question."""
    familiar = best_known.best_known(file, request.wanted, request.most_candidates, microseconds(request.now))
    run, places = _Retrieval(file, request), by_familiarity(familiar, request.weights, request.now)
    numbers = [known.number for known in familiar]
    ended = run.leg("succession", lambda: run.endings(numbers, numbers[:_READ]), _NOTHING_ENDED)
    return Matches(run.succeeded(places, ended), run.failed)


class _Ended(NamedTuple):
    """The candidates that do not hold any more, and what a search may return in their place."""

    endings: Mapping[int, MemoryEnding]
    heirs: Sequence[int] = ()


_NOTHING_ENDED = _Ended({})


class _Retrieval:
    """One request while it is matched with one file."""

    def __init__(self, file: SearchedFile, request: SearchRequest) -> None:
        self._file, self._db, self._columns = file, file.db, file.columns
        self._known, self._read, self._rightings = file.ends, file.rows, file.rightings
        self.request = request
        self.failed: dict[str, LegFailure] = {}
        self._most = request.most_candidates
        self._wanted = replace(request.wanted, superseded=True)
        self._rows = wanted_rows(file.columns, self._wanted)
        self._vectors: AskedVector | None = None
        self._word_scores = np.zeros(len(file.columns))
        self._spans = asked_times(request.text, request.now, request.zone)

    @functools.cached_property
    def _words(self) -> WordSearch:
        return self._file.words(self.request.text)

    def found(self, meanwhile: Callable[[], object] | None = None) -> dict[str, Hits]:
        """What each leg finds, best first. The vector may still be made while the others look."""
        by_words = {
            "lexical": self.leg("lexical", self.lexical, NO_HITS),
            "entity": self.leg("entity", self.entity, NO_HITS),
            "time": self.leg("time", self.time, NO_HITS),
        }
        if self.request.soon:
            if meanwhile:
                meanwhile()
            best = _best_of(by_words)  # what was put right of these is kept for `endings`
            none_ended = dict[int, MemoryEnding]()
            self.leg("succession", lambda: self._rightings.corrected(best), none_ended, counted_as="put_right")
        self.request = self.request.awaited
        return {"vector": self.leg("vector", self.vector, NO_HITS), **by_words}

    def leg(self, name: str, run: Callable[[], T], otherwise: T, *, counted_as: str = "") -> T:
        """The result of a leg; `otherwise` if it fails, so that the others still answer."""
        if name in self.failed:
            return otherwise
        may_pause()
        try:
            with stage(counted_as or name):
                return run()
        except Exception:  # noqa: BLE001 - whatever a leg stumbles over, the answer must come; it is named and counted
            log.warning("leg.failed", leg=name, exc_info=True)
            LEG_FAILURES.labels(name).inc()
            self.failed[name] = LegFailure.BROKEN
            return otherwise

    def lexical(self) -> Hits:
        """The memories that hold a word; the score of each by words is kept, as hits of other legs need it too."""
        self._word_scores = self._words.scores(self.request.speakers)
        rows = np.flatnonzero((self._word_scores > 0) & self._rows)
        return self._hits(best_rows(self._columns, rows, self._word_scores[rows], self._most), self._word_scores)

    def vector(self) -> Hits:
        """The memories most similar to the question; names the failure where there is no vector to compare."""
        if isinstance(self.request.vector, LegFailure):
            self.failed["vector"] = self.request.vector
            return NO_HITS
        self._vectors = self._file.vector(self.request.vector)
        if why := self._vectors.failure:
            self.failed["vector"] = why
        rows = self._vectors.nearest(self._rows, self._wanted.kinds, _COARSE * self._most // 100)
        scores = np.zeros(len(self._columns))
        scores[rows] = self._vectors.cosines(rows)
        return self._hits(best_rows(self._columns, rows, scores[rows], self._most), scores)

    def _hits(self, rows: NDArray[Any], scores: NDArray[Any]) -> Hits:
        """These rows with their scores, which are those of all rows."""
        return Hits(self._columns["number"][rows].tolist(), scores[rows].tolist())

    def entity(self) -> Hits:
        """The memories of entities that the question may name, by the patterns of entities and by runs of up to three words."""
        text = self.request.text
        names = {canonical_name(entity) for entity in find_entities(text)} | set(phrases(text))
        numbers, mentioned = np.unique(np.array(legs.mentioning(self._db, list(names)), np.int64), return_counts=True)
        scores = np.zeros(len(self._columns))
        scores[self._columns.rows_of(numbers.tolist())] = mentioned
        rows = np.flatnonzero((scores > 0) & self._rows)
        return self._hits(best_rows(self._columns, rows, scores[rows], self._most), scores)

    def time(self) -> Hits:
        """The memories of the times that the question names, or that speak of them; a narrower time scores higher."""
        if not self._spans:
            return NO_HITS
        scores = np.zeros(len(self._columns))
        for span, score in self._spans:
            rows = of_span(self._db, self._columns, span, self._rows, self._most)
            scores[rows] = np.maximum(scores[rows], score)
        found = scores.nonzero()[0]
        return self._hits(found[np.lexsort((-found, -self._columns["time"][found], -scores[found]))], scores)

    def _of_time(self, rows: NDArray[Any]) -> NDArray[Any]:
        """The score of each candidate by the times that the question names; NaN where it has none."""
        scores = np.full(len(rows), np.nan)
        for span, score in sorted(self._spans, key=lambda asked: asked[1]):
            scores[are_of_span(self._db, self._columns, span, rows)] = score
        return scores

    def endings(self, numbers: Collection[int], best: Collection[int]) -> _Ended:
        """What of these does not hold any more, and what may stand in its place: facts, or else the turns that state them.

        Whether a turn was put right is told by its words, which only those of the best are read for.
        """
        found = merged(self._known.endings_or_doubts(numbers), self._rightings.corrected(best))
        if found and Kind.FACT not in self.request.wanted.kinds:
            found = succession.said(self._db, found)
        return _Ended(found, succession.wanted(self._db, found, self.request.wanted))

    def succeeded(self, places: Sequence[Placed], ended: _Ended) -> list[Placed]:
        """The places with what holds now before what it outdates; superseded facts only where the ended are asked for."""
        about = {attribute for ending in ended.endings.values() for attribute in ending.about}
        asked = asked_about(asked_words(self.request.text), about) if about else frozenset[str]()
        found = succeeded(places, ended.endings, self.request.weights, asked=asked)
        found = answering(found, self._stating(found, ended.endings), self.request.weights)
        return found if self.request.wanted.ended else [each for each in found if not each.candidate.is_superseded]

    def _stating(self, places: Sequence[Placed], endings: Mapping[int, MemoryEnding]) -> set[int]:
        """Those among the places that state just what is asked, and hold."""
        if not asks_of_oneself(self.request.text):
            return set()
        facts = [each.candidate.number for each in places if each.candidate.kind == Kind.FACT]
        stated = stated_attributes(self._db, facts) if facts else {}
        if not stated:
            return set()
        asked = asked_only(self.request.text, {name for slots in stated.values() for name in slots.values()})
        return {
            number
            for number, slots in stated.items()
            if any(name in asked and _holds(place, endings.get(number)) for place, name in slots.items())
        }

    def columns(self, numbers: Sequence[int], found: Mapping[str, Hits]) -> CandidateColumns:
        """These memories, with their exact score in each leg that knows of them."""
        rows, now = self._columns.rows_of(numbers), microseconds(self.request.now)
        of, asked = traits_of(self._columns, rows, language_asked(self.request.text), now), self.request.speakers
        cosines, smooth = self._cosines(rows)
        by_words = self._word_scores[rows]
        of_time = np.full(len(rows), np.nan)
        if self._spans:
            of_time = self.leg("time", lambda: self._of_time(rows), of_time, counted_as="times")
        spoken = np.isin(of.speaker, places_of_speakers(self._columns, asked)) if asked else np.zeros(len(rows), bool)
        return CandidateColumns(
            number=numbers,
            kind=of.kind,
            age_s=(now - of.time) / _MICROSECONDS,
            importance=of.importance,
            confidence=of.confidence,
            session=of.session,
            asks=of.asks,
            legs={
                "vector": normalised_column(smooth),
                "lexical": normalised_column(np.where(by_words != 0, by_words, np.nan)),
                "entity": normalised_column(column_of(numbers, found["entity"].scores_by_number)),
                "speaker": np.where(spoken, 1.0, np.nan),
                "time": of_time,
            },
            cosine=cosines,
            is_superseded=of.is_superseded,
            is_of_another=(of.speaker >= 0) & ~spoken & bool(asked),
            is_of_bot=of.is_of_bot & (not asks_the_bot(self.request.text)),
            is_dated=of.is_dated,
            manner=of.manner,
        )

    def ranks(self, numbers: Sequence[int], found: Mapping[str, Hits]) -> Iterable[Mapping[str, int]]:
        """The ranks of each of these memories in the legs, where somebody looks at them."""
        if self.request.weights.fusion is not Fusion.RRF and not self.request.is_explained:
            return repeat(NO_RANKS, len(numbers))
        in_legs = {leg: ranks(best.first(self._most).scores_by_number) for leg, best in found.items()}
        return by_number(numbers, in_legs)

    def _cosines(self, rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The exact cosines of these rows; and the same, smoothed over the turns beside them. NaN without a vector."""
        if self._vectors is None or "vector" in self.failed:
            return np.full(len(rows), np.nan), np.full(len(rows), np.nan)
        cosines = self._vectors.cosines(rows)
        return cosines, smoothed(cosines, self._vectors.cosines(self._columns["beside"].take(rows, axis=0)))

    def ranked(self, columns: CandidateColumns, found: Mapping[str, Hits], ended: _Ended) -> Ranked:
        """The candidates, best first: of many those that are looked at, where nobody asks for all."""
        weights, of = self.request.trusted_weights, self.request
        if weights.fusion is not Fusion.LEARNED:
            return Ranked(rank(columns.candidates(self.ranks(columns.number, found)), weights))
        rows = ranked_rows(columns, weights)

        def whole() -> Ranked:
            candidates = columns.candidates(self.ranks(columns.number, found))
            return Ranked(rows.all_places(candidates, with_features=of.is_explained))

        listed = None if of.is_explained else shortlist(rows, self._looked_at(columns, ended))
        if listed is None:
            return whole()
        candidates = columns.at(listed.rows).candidates(repeat(NO_RANKS))
        return Ranked(rows.places(listed.rows, candidates), listed.unlisted, whole)

    def _looked_at(self, columns: CandidateColumns, ended: _Ended) -> Looked:
        """What of these candidates an answer may look at."""
        first = max(_POOL, self.request.most)
        numbers = {*ended.endings, *ended.heirs}
        if asks_of_oneself(self.request.text):
            numbers |= {number for number, kind in zip(columns.number, columns.kind, strict=True) if kind == Kind.FACT}
        return Looked(
            first=first + _MAY_SINK,
            relevant=self.request.most + REPEATS,
            share=self.request.weights.cut_below,
            superseded=self.request.wanted.ended,
            numbers=numbers,
        )

    def matches(self, ranked: Ranked, ended: _Ended, verdict: EvidenceVerdict) -> Matches:
        """The ranked as an answer has them: what holds now before what it outdates, and the best so that they differ."""
        places, unlisted, whole = self.succeeded(ranked.places, ended), ranked.unlisted, ranked.whole
        if unlisted and whole and not unlisted.leave(places, max(_POOL, self.request.most)):
            return self.matches(whole(), ended, verdict)
        best = self.leg("diversity", lambda: self.diverse(places), places)
        all_of_them = (lambda: self.matches(whole(), ended, verdict)) if whole else None
        return Matches(best, self.failed, verdict, unlisted, all_of_them)

    def verdict(self, places: Sequence[Placed]) -> EvidenceVerdict:
        """How much speaks for an answer among the first ten, and how much must."""
        of = self.request
        understood = isinstance(of.vector, LegFailure) or of.vector.is_understood
        asked = AskedOfMemory(of.text, of.speakers, of.aim, of.weights.abstain_below, is_understood=understood)
        best = [place.candidate for place in places[:_EVIDENT]]
        held = {} if "lexical" in self.failed else self._words.holding([candidate.number for candidate in best])
        return judged(asked, best, held, memories=len(self._columns))

    def diverse(self, places: list[Placed]) -> list[Placed]:
        """The places with the best ones in the order of maximal marginal relevance."""
        best, mmr_lambda = places[:_POOL], self.request.weights.mmr_lambda
        if mmr_lambda == 1 or len(best) < 2:  # noqa: PLR2004 - one alone is diverse
            return places
        numbers = [place.candidate.number for place in best]
        rows = self._columns.rows_of(numbers)
        vectors = self._vectors.vectors(rows) if self._vectors else [None] * len(best)
        tags = functools.cache(lambda: [unpacked(row.tags) for row in self._read.of(numbers).values()])  # hardly ever wanted
        alike = likeness(vectors, tags)
        totals = [place.total for place in best]
        penalties = {pick.place: pick.penalty for pick in diverse(totals, alike, tags, mmr_lambda=mmr_lambda)}
        said = self._read.of(numbers[:_READ])
        texts = _ranked_texts(best, said, self._columns, rows)
        order = newest_first(list(penalties), alike, texts)
        if asks_of_now(self.request.text):
            order = current_first(order, alike, texts)
        return [*penalised((best[index] for index in order), (penalties[index] for index in order)), *places[_POOL:]]


def _ranked_texts(
    places: Sequence[Placed], said: Mapping[int, ShownRow], columns: MemoryColumns, rows: NDArray[Any]
) -> list[RankedText]:
    """The places in these rows as statements; the first ones with their texts, by which one may be seen to change another."""
    texts, are_of_user = [], (columns["flags"][rows] & OF_USER != 0).tolist()
    for index, place in enumerate(places):
        candidate = place.candidate
        age_s = math.inf if candidate.asks else candidate.age_s  # a newer question supersedes nothing
        text = RankedText(place.total, age_s, candidate.session)
        if index < _READ and (candidate.kind != Kind.EPISODE or are_of_user[index]):
            shown = said[candidate.number]
            text.tells_change, text.tells_end = columns.told(
                "changes", shown.number, functools.partial(_told_of_change, shown.content)
            )
            text.tell(shown.content, shown.slots)
        texts.append(text)
    return texts


def _told_of_change(text: str) -> tuple[bool, bool]:
    """Return whether a statement says that something has changed, and whether it says that something is over."""
    told = beginning(text)
    return tells_change(told), tells_end(told)


def _holds(place: int, ending: MemoryEnding | None) -> bool:
    """Whether a slot of a fact with this ending holds, and nobody doubts it."""
    return ending is None or not (ending.is_whole or ending.is_doubted or place in ending.slots)


def _best_of(found: Mapping[str, Hits]) -> set[int]:
    """The best hits of each leg: only they may come to stand first."""
    return {number for best in found.values() for number in best.numbers[:_READ]}
