"""Fusion of the search legs, and the tri-score of relevance, recency and importance.

Relevance is the fused score in [0, 1]; cosine or sparse scores alone rank far worse with the other two (measured: 25 and 31 %
of the evidence against 76 %).
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import repeat
from typing import Any, NamedTuple, TypeVar

from services.retriever.domain.candidate import Candidate, Parts, Placed
from services.retriever.domain.candidate_columns import CandidateColumns
from services.retriever.domain.fusion import Features, learned_fusion
from services.retriever.domain.weights import RRF_K, SHIPPED, Weights
from shared.contracts.preferences import Fusion
from shared.domain.arrays import NDArray, np
from shared.domain.recency import recencies, recency
from shared.domain.records import records
from shared.language.text.calendar import Period

V = TypeVar("V", int, float)
CONFIDENCE_FLOOR = 0.5
_NEAR = 4.0
"""Standard deviations of the candidates' cosines that count as much as all of any other feature."""

_LEAST_SPREAD = 0.05
"""Of the cosines; in less than this no candidate is nearer than the others."""

LEGS = ("lexical", "vector", "speaker", "entity", "time")


def normalised_column(scores: NDArray[Any]) -> NDArray[Any]:
    """Scores divided by the highest, so that the best is 1. Those at or below 0 are 0; NaN stays.

    >>> normalised_column(np.array([0.5, 2.0, -1.0, np.nan])).tolist()
    [0.25, 1.0, 0.0, nan]
    """
    known = scores[~np.isnan(scores)]
    top = known.max(initial=0.0)
    return np.maximum(scores, 0.0) / top if top > 0 else scores * 0.0


def ranks(scores: Mapping[int, float]) -> dict[int, int]:
    """The rank of each number in its leg, from 1. Equals share the last of their places, so that they are not lifted.

    >>> ranks({7: 0.9, 8: 0.5, 9: 0.5})
    {7: 1, 8: 3, 9: 3}
    """
    last = {score: place for place, score in enumerate(sorted(scores.values(), reverse=True), start=1)}
    return {number: last[score] for number, score in scores.items()}


def by_number(numbers: Sequence[int], legs: Mapping[str, Mapping[int, V]]) -> list[dict[str, V]]:
    """The values of each of these memories, by the legs that know of it.

    >>> by_number([7, 8], {"lexical": {7: 1.0}, "vector": {7: 0.5, 8: 0.4}})
    [{'lexical': 1.0, 'vector': 0.5}, {'vector': 0.4}]
    """
    found: list[dict[str, V]] = [{} for _ in numbers]
    for leg, said in legs.items():
        if said:
            for number, values in zip(numbers, found, strict=True):
                if number in said:
                    values[leg] = said[number]
    return found


def specificity(period: Period) -> float:
    """The weight of a period in the time leg, 1 / (1 + log10(days)): 1 for a day, 0.54 for a week.

    >>> from datetime import date
    >>> round(specificity(Period(date(2026, 5, 4), date(2026, 5, 10))), 2)
    0.54
    """
    return 1 / (1 + math.log10(period.days))


def convex(weights: Weights, *, spoken: Collection[str] = LEGS) -> Callable[[Mapping[str, Any]], Any]:
    """A function for the weighted mean of the legs, sum(w_i * s_i) / sum(w_i), in [0, 1]; without hints that found nothing.

    It takes the scores of one memory, or those of many as a column for each leg. Where there is no vector the words speak for
    it, so that a memory is not behind others only because it is new.

    >>> round(convex(Weights(), spoken={"speaker"})({"lexical": 1.0, "vector": 0.5, "speaker": 1.0}), 3)
    0.821
    """
    hints = [(leg, weight) for leg, weight in weights.hints.items() if leg in spoken]
    by_words, by_vector = weights.lexical, weights.vector
    weighed = by_words + by_vector + sum(weight for _, weight in hints)

    def mean(legs: Mapping[str, Any]) -> Any:  # noqa: ANN401 - a number or a column of them, as the scores are
        words = legs.get("lexical", 0.0)
        total = by_words * words + by_vector * legs.get("vector", words)
        for leg, weight in hints:
            if leg in legs:
                total += weight * legs[leg]
        return total / weighed if weighed else 0.0

    return mean


def rrf(ranks_of: Mapping[str, int], *, legs: int, k: int = RRF_K) -> float:
    """Reciprocal rank fusion, sum(1 / (k + rank)), divided by what the first of all legs would get: in [0, 1].

    >>> round(rrf({"lexical": 1, "vector": 1}, legs=3), 3)
    0.667
    """
    return sum(1 / (k + rank) for rank in ranks_of.values()) * (k + 1) / max(legs, 1)


def relevance(weights: Weights, *, ranked: Collection[str], spoken: Collection[str]) -> Callable[[Candidate], float]:
    """A function for the fused score of a candidate, by the fusion that the weights name; in [0, 1].

    `ranked` and `spoken`: the legs that found anything.
    """
    if weights.fusion is Fusion.RRF:
        return lambda candidate: rrf(candidate.ranks, legs=len(ranked), k=weights.rrf_k)
    if weights.fusion is Fusion.COSINE:
        return _cosine
    mean = convex(weights, spoken=spoken)
    return lambda candidate: mean(candidate.legs)


def _cosine(candidate: Candidate) -> float:
    return candidate.legs.get("lexical", 0.0) if candidate.cosine is None else max(candidate.cosine, 0.0)


def in_session(relevant: Mapping[int, float], candidates: Iterable[Candidate], weights: Weights) -> dict[int, Parts]:
    """The parts of relevance: the fused score, a share of the best of its session, and a deduction for a turn that only asks.

    (r - question * asks + session * best of the session) / (1 + session)
    """
    found = list(candidates)
    fused = np.array([relevant[each.number] for each in found])
    best = best_of_sessions(fused, CandidateColumns.of(found), weights).tolist()
    whole = 1 + weights.session
    shared, taken = weights.session / whole, weights.question / whole
    return {
        each.number: Parts(relevant[each.number] / whole, shared * of_session, -taken * each.asks)
        for each, of_session in zip(found, best, strict=True)
    }


def fused_columns(found: CandidateColumns) -> dict[str, NDArray[Any]]:
    """The scores of these candidates as `convex` takes them: a column for each leg that knows of any."""
    unknown = {leg: np.isnan(column) for leg, column in found.legs.items()}
    known = [leg for leg, rows in unknown.items() if not rows.all()]
    columns = {leg: np.where(unknown[leg], 0.0, found.legs[leg]) for leg in known if leg != "vector"}
    if "vector" in known:
        columns["vector"] = np.where(unknown["vector"], columns.get("lexical", 0.0), found.legs["vector"])
    return columns


def feature_columns(fused: NDArray[Any], found: CandidateColumns, weights: Weights) -> NDArray[Any]:
    """What the learned fusion knows of each candidate, a row for each of `Features`. `fused`: the fused scores."""
    columns = np.empty((len(Features._fields), len(found.number)))
    columns[0] = fused
    columns[1] = best_of_sessions(fused, found, weights)
    columns[2] = found.asks
    columns[3] = nearness(found.cosine)
    columns[4] = found.is_of_another
    columns[5] = found.is_dated
    columns[6:] = found.manner
    return columns


def nearness(cosines: NDArray[Any]) -> NDArray[Any]:
    """How near each candidate's own vector is beside those of the others: (cosine - mean) / (4 * deviation), in [-1, 1].

    0 where there is no vector, which is NaN, and where all are as near.

    >>> nearness(np.array([0.2, 0.4, np.nan])).round(2).tolist()
    [-0.25, 0.25, 0.0]
    """
    unknown = np.isnan(cosines)
    known = cosines[~unknown]
    if not len(known):
        return np.zeros(len(cosines))
    mean = np.add.reduce(known) / len(known)
    apart = known - mean
    deviation = math.sqrt(np.add.reduce(apart * apart) / len(known))  # numpy's own checks take three times as long as this
    spread = _NEAR * max(deviation, _LEAST_SPREAD)
    near: NDArray[Any] = np.minimum(np.maximum((cosines - mean) / spread, -1.0), 1.0)
    near[unknown] = 0.0
    return near


def best_of_sessions(fused: NDArray[Any], found: CandidateColumns, weights: Weights) -> NDArray[Any]:
    """The fused score of the best of each candidate's session, less for a turn that only asks, float64[n].

    What is of no session shares nothing.
    """
    places = {session: place for place, session in enumerate(dict.fromkeys((None, *found.session)))}
    sessions = np.fromiter(map(places.__getitem__, found.session), np.intp, len(found.session))
    best: NDArray[Any] = np.zeros(len(places))
    np.maximum.at(best, sessions, fused - weights.question * found.asks)
    best[0] = 0.0
    of_session: NDArray[Any] = best[sessions]
    return of_session


class RankedRows(NamedTuple):
    """All candidates with what places them by the learned fusion, each a column in the candidates' own order."""

    found: CandidateColumns
    order: NDArray[Any]  # the rows, best first; of equals the newer first
    totals: NDArray[Any]  # float64[n]
    relevance: NDArray[Any]  # float64[n]
    recency: NDArray[Any]  # float64[n]
    parts: Sequence[NDArray[Any]]  # float64[n] each: the parts of relevance that ranking knows of, as in `Parts`
    features: NDArray[Any]  # float64[len(Features), n]

    def places(self, rows: NDArray[Any], candidates: Sequence[Candidate], *, with_features: bool = False) -> list[Placed]:
        """The places of the candidates in these rows, in this order; each as `place` makes it. `candidates`: of these rows."""
        scores = (column[rows].tolist() for column in (self.totals, self.relevance, self.recency))
        none = repeat(0.0)
        split = records(Parts, zip(*(part[rows].tolist() for part in self.parts), none, none, none, strict=False))
        features = map(Features._make, self.features.T[rows].tolist()) if with_features else repeat(None)
        return list(records(Placed, zip(*scores, candidates, none, split, repeat(()), features, strict=False)))

    def all_places(self, candidates: Sequence[Candidate], *, with_features: bool = False) -> list[Placed]:
        """The places of all, best first. `candidates`: in their own order."""
        ordered = [candidates[row] for row in self.order.tolist()]
        return self.places(self.order, ordered, with_features=with_features)


def ranked_rows(found: CandidateColumns, weights: Weights) -> RankedRows:
    """The candidates with their relevance by the learned fusion; what no leg found is not relevant by its manner.

    A weight of a leg that is set otherwise than the shipped one counts here by as much more or less.
    """
    legs = fused_columns(found)
    fused = convex(weights, spoken=legs.keys())(legs) + np.zeros(len(found.number))
    columns = feature_columns(fused, found, weights)
    parts = _parts_of_all(columns, found, weights)
    relevant, recent = _relevance(parts), recencies(found.age_s, weights.tau_days)
    totals = total(relevant, recent, found.importance, weights) * np.minimum(found.confidence / CONFIDENCE_FLOOR, 1.0)
    return RankedRows(found, np.lexsort((-np.array(found.number), -totals)), totals, relevant, recent, parts, columns)


def _parts_of_all(rows: NDArray[Any], found: CandidateColumns, weights: Weights) -> list[NDArray[Any]]:
    """The features times their weights as the parts of relevance, float64[n] each, what is below 0 or above 1 taken off."""
    fusion = learned_fusion()
    scale = {
        "session": weights.session / SHIPPED.session,
        "asks": weights.question / SHIPPED.question,
        "nearness": weights.vector / SHIPPED.vector,
        "another": weights.speaker / SHIPPED.speaker,
    }
    fused, session, asks, beside, another, *manners = map(operator.mul, rows, fusion.scaled(scale))
    manner = functools.reduce(operator.add, manners)
    whole = fused + session + asks + beside + another + manner + fusion.offset
    outside = whole - np.minimum(np.maximum(whole, 0.0), 1.0)
    parts = [fused + fusion.offset - outside, session, asks, beside, another, manner]
    parts = [np.where(rows[0] != 0, part, 0.0) for part in parts]
    lost = (1 - weights.of_bot) * _relevance(parts)
    parts[4] = np.where(found.is_of_bot, parts[4] - lost, parts[4])
    return parts


def _relevance(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """`Parts.relevance` of all."""
    return np.asarray(np.minimum(np.maximum(functools.reduce(operator.add, parts), 0.0), 1.0))


def total(relevant: Any, recent: Any, importance: Any, weights: Weights) -> Any:  # noqa: ANN401 - numbers, or columns of them
    """The score that orders: alpha * relevance + beta * recency + gamma * importance.

    Source: ../reference/memory-upgrade-spec.md, "Tri-Score Re-Ranking".

    >>> round(total(0.8, 0.5, 0.5, Weights()), 2)
    0.9
    """
    return weights.alpha * relevant + weights.beta * recent + weights.gamma * importance


def certainty(confidence: float) -> float:
    """The factor of the total by confidence: 1 from the floor on, below it proportionally less.

    >>> certainty(0.9), certainty(0.3)
    (1.0, 0.6)
    """
    return min(confidence / CONFIDENCE_FLOOR, 1.0)


def less_of_a_bot(candidate: Candidate, parts: Parts, weights: Weights) -> Parts:
    """The parts, less what a turn of a bot loses that only guesses what the person knows.

    >>> less_of_a_bot(Candidate(1, "episode", 0.0, 0.0, is_of_bot=True), Parts(0.8), Weights(of_bot=0.75)).another
    -0.2
    """
    if not candidate.is_of_bot:
        return parts
    fused, session, question, near, another, *others = parts
    return Parts(fused, session, question, near, another - (1 - weights.of_bot) * parts.relevance, *others)


def place(candidate: Candidate, parts: Parts, weights: Weights) -> Placed:
    """A candidate with these parts of its relevance, and the total that follows from them."""
    recent, relevant = recency(candidate.age_s, weights.tau_days), parts.relevance
    value = total(relevant, recent, candidate.importance, weights) * certainty(candidate.confidence)
    return Placed(value, relevant, recent, candidate, parts=parts)


def rank(candidates: Iterable[Candidate], weights: Weights) -> list[Placed]:
    """The candidates, best first; of equals the newer first."""
    found = list(candidates)
    if weights.fusion is Fusion.LEARNED:
        return ranked_rows(CandidateColumns.of(found), weights).all_places(found) if found else []
    ranked = {leg for candidate in found for leg in candidate.ranks}
    spoken = {leg for candidate in found for leg in candidate.legs}
    fuse = relevance(weights, ranked=ranked, spoken=spoken)
    fused = {each.number: fuse(each) for each in found}
    if weights.fusion is Fusion.CONVEX:
        split = in_session(fused, found, weights)
        parts = {each.number: less_of_a_bot(each, split[each.number], weights) for each in found}
    else:
        parts = {number: Parts(value) for number, value in fused.items()}
    return best_first(place(each, parts[each.number], weights) for each in found)


def best_first(places: Iterable[Placed]) -> list[Placed]:
    """Places by their totals; of equals the newer first."""
    return sorted(places, key=lambda place: (-place.total, -place.candidate.number))
