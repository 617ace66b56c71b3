"""Finds and ranks the memories that match a request: runs the search legs, completes their scores, and fuses them."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import repeat
from typing import Any, NamedTuple, TypeVar
from zoneinfo import ZoneInfo

from services.retriever.asked_times import asked_times
from services.retriever.domain.aims import AskingAim
from services.retriever.domain.asked_attributes import asked_about, asked_only, asks_of_oneself
from services.retriever.domain.asking_the_bot import asks_the_bot
from services.retriever.domain.candidate import NO_RANKS, Placed, penalised
from services.retriever.domain.candidate_columns import CandidateColumns, column_of
from services.retriever.domain.diversity import RankedText, diverse, likeness, newest_first
from services.retriever.domain.excerpt import asked_words
from services.retriever.domain.familiarity import by_familiarity
from services.retriever.domain.full_text import phrases
from services.retriever.domain.idle_turns import SHIPPED
from services.retriever.domain.manner import language_asked
from services.retriever.domain.ranking import by_number, normalised_column, rank, ranks
from services.retriever.domain.smoothing import smoothed
from services.retriever.domain.succession import MemoryEnding, answering, merged, succeeded
from services.retriever.domain.weights import Weights
from services.retriever.judging import AskedOfMemory, EvidenceVerdict, judged
from services.retriever.stages import stage
from services.retriever.store import best_known, legs, succession
from services.retriever.store.arrays.columns import KINDS, OF_USER, TELLS_CHANGE, TELLS_END
from services.retriever.store.arrays.searched_file import SearchedFile
from services.retriever.store.arrays.time_search import are_of_span, of_span
from services.retriever.store.arrays.traits import places_of_speakers, traits_of
from services.retriever.store.arrays.vector_search import VectorSearch
from services.retriever.store.arrays.wanted_rows import best_rows, wanted_rows
from services.retriever.store.arrays.word_search import WordSearch
from services.retriever.store.legs import Filter, Hit, QueryVector
from services.retriever.store.shown_rows import ShownRow, unpacked
from services.retriever.store.stated_slots import stated_attributes
from shared.contracts.parts import Kind
from shared.contracts.preferences import Fusion
from shared.contracts.queries import LegFailure
from shared.domain.arrays import NDArray, np
from shared.domain.moments import microseconds
from shared.domain.pauses import may_pause
from shared.domain.records import records
from shared.runtime.logs import log
from shared.runtime.metrics import LEG_FAILURES
from shared.text.entities import canonical_name, find_entities

_MICROSECONDS = 1_000_000
_POOL = 60
"""So many of the best are put into an order in which they differ."""

_READ = 20
"""The texts of so many are read."""

_EVIDENT = 10
UTC = ZoneInfo("UTC")
T = TypeVar("T")


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
    is_explained: bool = False  # the ranks in the legs are wanted, too
    soon: Callable[[], QueryVector | LegFailure] | None = None  # waits for the vector, where it is made meanwhile

    @property
    def most_candidates(self) -> int:
        """The most candidates of a leg, for each kind of memory."""
        return max(self.most, self.weights.candidates)

    @property
    def awaited(self) -> SearchRequest:
        """The request with its vector, which is waited for."""
        return self if self.soon is None else self._replace(vector=self.soon(), soon=None)

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
    hits = {hit.number: hit for best in found.values() for hit in best}
    ended = run.leg("succession", lambda: run.endings(hits, _best_of(found)), _NOTHING_ENDED)
    hits |= {heir.number: heir for heir in ended.heirs if heir.number not in hits}
    columns = run.columns(list(hits), found)
    candidates = columns.candidates(run.ranks(columns.number, found))
    with stage("rank"):
        ranked = rank(candidates, run.request.trusted_weights, with_features=request.is_explained, columns=columns)
    verdict = run.leg("evidence", lambda: run.verdict(ranked), EvidenceVerdict())
    places = run.succeeded(ranked, ended)
    return Matches(run.leg("diversity", lambda: run.diverse(places), places), run.failed, verdict)


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
    heirs: Sequence[Hit] = ()


_NOTHING_ENDED = _Ended({})


class _Retrieval:
    """One request while it is matched with one file."""

    def __init__(self, file: SearchedFile, request: SearchRequest) -> None:
        self._db, self._arrays, self._known, self._read, self._rightings, _ = file
        self.request = request
        self.failed: dict[str, LegFailure] = {}
        self._most = request.most_candidates
        self._wanted = replace(request.wanted, superseded=True)
        self._rows = wanted_rows(file.arrays, self._wanted)
        self._vectors: VectorSearch | None = None
        self._word_scores = np.zeros(len(file.arrays))
        self._spans = asked_times(request.text, request.now, request.zone)

    @functools.cached_property
    def _words(self) -> WordSearch:
        return WordSearch(self._arrays, self.request.text)

    def found(self, meanwhile: Callable[[], object] | None = None) -> dict[str, list[Hit]]:
        """What each leg finds, best first. The vector may still be made while the others look."""
        nothing = list[Hit]()
        by_words = {
            "lexical": self.leg("lexical", self.lexical, nothing),
            "entity": self.leg("entity", self.entity, nothing),
            "time": self.leg("time", self.time, nothing),
        }
        if self.request.soon:
            if meanwhile:
                meanwhile()
            best = _best_of(by_words)  # what was put right of these is kept for `endings`
            none_ended = dict[int, MemoryEnding]()
            self.leg("succession", lambda: self._rightings.corrected(best), none_ended, counted_as="put_right")
        self.request = self.request.awaited
        return {"vector": self.leg("vector", self.vector, nothing), **by_words}

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

    def lexical(self) -> list[Hit]:
        """The memories that hold a word; the score of each by words is kept, as hits of other legs need it too."""
        self._word_scores = self._words.scores(self.request.speakers)
        rows = np.flatnonzero((self._word_scores > 0) & self._rows)
        return self._hits(best_rows(self._arrays, rows, self._word_scores[rows], self._most), self._word_scores)

    def vector(self) -> list[Hit]:
        """The memories most similar to the question; names the failure where there is no vector to compare."""
        if isinstance(self.request.vector, LegFailure):
            self.failed["vector"] = self.request.vector
            return []
        self._vectors = VectorSearch(self._arrays, self.request.vector)
        if why := self._vectors.failure():
            self.failed["vector"] = why
        rows, scores = self._vectors.nearest(self._rows), np.zeros(len(self._arrays))
        scores[rows] = self._vectors.cosines(rows)
        return self._hits(best_rows(self._arrays, rows, scores[rows], self._most), scores)

    def _hits(self, rows: NDArray[Any], scores: NDArray[Any]) -> list[Hit]:
        """These rows with their scores, which are those of all rows."""
        kinds = [KINDS[kind] for kind in self._arrays["kind"][rows].tolist()]
        return list(records(Hit, zip(scores[rows].tolist(), self._arrays["number"][rows].tolist(), kinds, strict=True)))

    def entity(self) -> list[Hit]:
        """The memories of entities that the question may name, by the patterns of entities and by runs of up to three words."""
        text = self.request.text
        names = {canonical_name(entity) for entity in find_entities(text)} | set(phrases(text))
        numbers, mentioned = np.unique(np.array(legs.mentioning(self._db, list(names)), np.int64), return_counts=True)
        scores = np.zeros(len(self._arrays))
        scores[self._arrays.rows_of(numbers.tolist())] = mentioned
        rows = np.flatnonzero((scores > 0) & self._rows)
        return self._hits(best_rows(self._arrays, rows, scores[rows], self._most), scores)

    def time(self) -> list[Hit]:
        """The memories of the times that the question names, or that speak of them; a narrower time scores higher."""
        if not self._spans:
            return []
        scores = np.zeros(len(self._arrays))
        for span, score in self._spans:
            rows = of_span(self._db, self._arrays, span, self._rows, self._most)
            scores[rows] = np.maximum(scores[rows], score)
        found = scores.nonzero()[0]
        return self._hits(found[np.lexsort((-found, -self._arrays["time"][found], -scores[found]))], scores)

    def _of_time(self, rows: NDArray[Any]) -> NDArray[Any]:
        """The score of each candidate by the times that the question names; NaN where it has none."""
        scores = np.full(len(rows), np.nan)
        for span, score in sorted(self._spans, key=lambda asked: asked[1]):
            scores[are_of_span(self._db, self._arrays, span, rows)] = score
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

    def columns(self, numbers: Sequence[int], found: Mapping[str, list[Hit]]) -> CandidateColumns:
        """These memories, with their exact score in each leg that knows of them."""
        rows, now = self._arrays.rows_of(numbers), microseconds(self.request.now)
        of, asked = traits_of(self._arrays, rows, language_asked(self.request.text), now), self.request.speakers
        cosines, smooth = self._cosines(rows)
        by_words = self._word_scores[rows]
        of_time = self.leg("time", lambda: self._of_time(rows), np.full(len(rows), np.nan), counted_as="times")
        spoken = np.isin(of.speaker, places_of_speakers(self._arrays, asked)) if asked else np.zeros(len(rows), bool)
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
                "entity": normalised_column(column_of(numbers, {hit.number: hit.score for hit in found["entity"]})),
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

    def ranks(self, numbers: Sequence[int], found: Mapping[str, list[Hit]]) -> Iterable[Mapping[str, int]]:
        """The ranks of each of these memories in the legs, where somebody looks at them."""
        if self.request.weights.fusion is not Fusion.RRF and not self.request.is_explained:
            return repeat(NO_RANKS, len(numbers))
        in_legs = {leg: ranks({hit.number: hit.score for hit in best[: self._most]}) for leg, best in found.items()}
        return by_number(numbers, in_legs)

    def _cosines(self, rows: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """The exact cosines of these rows; and the same, smoothed over the turns beside them. NaN without a vector."""
        if self._vectors is None or "vector" in self.failed:
            return np.full(len(rows), np.nan), np.full(len(rows), np.nan)
        cosines = self._vectors.cosines(rows)
        return cosines, smoothed(cosines, self._vectors.cosines(self._arrays["beside"][rows]))

    def verdict(self, places: Sequence[Placed]) -> EvidenceVerdict:
        """How much speaks for an answer among the first ten, and how much must."""
        of = self.request
        understood = isinstance(of.vector, LegFailure) or of.vector.is_understood
        asked = AskedOfMemory(of.text, of.speakers, of.aim, of.weights.abstain_below, is_understood=understood)
        best = [place.candidate for place in places[:_EVIDENT]]
        rows = self._arrays.rows_of([candidate.number for candidate in best])
        held = {} if "lexical" in self.failed else self._words.holding(rows)
        return judged(asked, best, held, memories=len(self._arrays))

    def diverse(self, places: list[Placed]) -> list[Placed]:
        """The places with the best ones in the order of maximal marginal relevance."""
        best, mmr_lambda = places[:_POOL], self.request.weights.mmr_lambda
        if mmr_lambda == 1 or len(best) < 2:  # noqa: PLR2004 - one alone is diverse
            return places
        numbers = [place.candidate.number for place in best]
        rows = self._arrays.rows_of(numbers)
        vectors = self._vectors.vectors(rows) if self._vectors else [None] * len(best)
        tags = functools.cache(lambda: [unpacked(row.tags) for row in self._read.of(numbers).values()])  # hardly ever wanted
        alike = likeness(vectors, tags)
        totals = [place.total for place in best]
        penalties = {pick.place: pick.penalty for pick in diverse(totals, alike, tags, mmr_lambda=mmr_lambda)}
        said = self._read.of(numbers[:_READ])
        order = newest_first(list(penalties), alike, _ranked_texts(best, said, self._arrays["flags"][rows].tolist()))
        return [*penalised((best[index] for index in order), (penalties[index] for index in order)), *places[_POOL:]]


def _ranked_texts(places: Sequence[Placed], said: Mapping[int, ShownRow], flags: Sequence[int]) -> list[RankedText]:
    """The places as statements; the first ones with their texts, by which one may be seen to change another."""
    texts = []
    for index, place in enumerate(places):
        candidate = place.candidate
        age_s = math.inf if candidate.asks else candidate.age_s  # a newer question supersedes nothing
        text = RankedText(place.total, age_s, candidate.session)
        if index < _READ and (candidate.kind != Kind.EPISODE or flags[index] & OF_USER):
            text.tells_change, text.tells_end = bool(flags[index] & TELLS_CHANGE), bool(flags[index] & TELLS_END)
            text.tell(said[candidate.number].content, said[candidate.number].slots)
        texts.append(text)
    return texts


def _holds(place: int, ending: MemoryEnding | None) -> bool:
    """Whether a slot of a fact with this ending holds, and nobody doubts it."""
    return ending is None or not (ending.is_whole or ending.is_doubted or place in ending.slots)


def _best_of(found: Mapping[str, Sequence[Hit]]) -> set[int]:
    """The best hits of each leg: only they may come to stand first."""
    return {hit.number for best in found.values() for hit in best[:_READ]}
