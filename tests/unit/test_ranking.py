"""In which order what was found stands: fusion, the three scores, certainty, sessions, difference."""

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever.domain.candidate import Candidate
from services.retriever.domain.diversity import diverse, likeness
from services.retriever.domain.ranking import rank, ranks, rrf
from services.retriever.domain.weights import Weights
from shared.contracts.preferences import Fusion, RankingOptions
from shared.domain.recency import recency
from tests.support.files import Shelved, question, shelved
from tests.support.scopes import T0, at

ALONE = Weights(mmr_lambda=1)
units = st.floats(0, 1)


def found(
    number: int,
    *,
    age_days: float = 0,
    importance: float = 0.5,
    legs: Mapping[str, float] | None = None,
    ranks: Mapping[str, int] | None = None,
    confidence: float = 1.0,
    session: str | None = None,
    asks: bool = False,
) -> Candidate:
    age_s = age_days * 86_400
    return Candidate(number, "fact", age_s, importance, confidence, session, asks, (), legs or {}, ranks or {})


def order(*candidates: Candidate, weights: Weights = ALONE) -> list[int]:
    return [place.candidate.number for place in rank(candidates, weights)]


@pytest.fixture
def file(tmp_path: Path) -> Shelved:
    return shelved(tmp_path / "anna.db")


def test_of_equals_the_newer_comes_first() -> None:
    assert order(found(1), found(2)) == [2, 1]


def test_the_recent_and_the_important_win_among_the_equally_relevant() -> None:
    words = {"lexical": 0.8}
    assert order(found(2, legs=words, age_days=9), found(1, legs=words)) == [1, 2]
    assert order(found(2, legs=words, importance=0.1), found(1, legs=words, importance=0.9)) == [1, 2]


def test_what_is_doubted_is_ranked_down() -> None:
    words = {"lexical": 0.8}
    assert order(found(2, legs=words, confidence=0.3), found(1, legs={"lexical": 0.7})) == [1, 2]
    assert order(found(2, legs=words, confidence=0.6), found(1, legs={"lexical": 0.7})) == [2, 1]


def test_a_memory_without_a_vector_takes_its_words_score() -> None:
    assert order(found(2, legs={"lexical": 0.8}), found(1, legs={"lexical": 0.8, "vector": 0.5})) == [2, 1]


def test_a_turn_that_only_asks_comes_after_the_answer() -> None:
    words = {"lexical": 0.8}
    assert order(found(2, legs=words, asks=True), found(1, legs=words)) == [1, 2]


def test_the_session_of_the_best_is_lifted() -> None:
    best, beside, elsewhere = (
        found(1, legs={"lexical": 1.0}, session="s1"),
        found(2, legs={"lexical": 0.5}, session="s1"),
        found(3, legs={"lexical": 0.5}, session="s2"),
    )
    assert order(best, beside, elsewhere) == [1, 2, 3]


def test_each_leg_weighs_as_much_as_is_set() -> None:
    by_words, by_vector = found(1, legs={"lexical": 1.0, "vector": 0.0}), found(2, legs={"lexical": 0.0, "vector": 1.0})
    for weights in (Weights(lexical=1), Weights(vector=0)):
        assert order(by_vector, by_words, weights=weights) == [1, 2]
    assert order(by_words, by_vector, weights=Weights(lexical=0)) == [2, 1]
    for hint in ("speaker", "entity", "time"):
        with_hint, without = found(1, legs={"lexical": 0.5, hint: 1.0}), found(2, legs={"lexical": 0.6})
        assert order(with_hint, without, weights=Weights().under(RankingOptions.model_validate({hint: 1}))) == [1, 2]
        assert order(with_hint, without, weights=Weights().under(RankingOptions.model_validate({hint: 0}))) == [2, 1]


def test_without_any_weight_nothing_is_relevant() -> None:
    [place] = rank([found(1, legs={"lexical": 1.0})], Weights(lexical=0, vector=0))
    assert place.relevance == 0


@pytest.mark.parametrize("fusion", list(Fusion))
@given(st.lists(st.tuples(units, units, units, st.booleans()), min_size=1, max_size=8), st.floats(0, 365), st.floats(0, 2))
def test_relevance_stays_between_0_and_1(
    fusion: Fusion, scores: list[tuple[float, float, float, bool]], age_days: float, beta: float
) -> None:
    candidates = [
        found(number, age_days=age_days, legs={"lexical": a, "vector": b, "time": c}, ranks={"lexical": 1}, asks=asks)
        for number, (a, b, c, asks) in enumerate(scores)
    ]
    for place in rank(candidates, Weights(fusion=fusion, beta=beta)):
        assert 0 <= place.relevance <= 1
        assert 0 <= place.recency <= 1


def test_the_first_of_all_legs_has_rrf_1_whatever_k() -> None:
    for k in (1, 60, 1_000):
        assert rrf({"lexical": 1, "vector": 1}, legs=2, k=k) == pytest.approx(1)
    assert rrf({"lexical": 1}, legs=1, k=1) > rrf({"lexical": 2}, legs=1, k=1) * 1.4


@given(st.floats(0, 10_000), st.floats(0.1, 1_000))
def test_recency_falls_from_1_to_0(age_days: float, tau_days: float) -> None:
    assert 0 <= recency(age_days * 86_400, tau_days) <= recency(0, tau_days) == 1


@given(st.floats(0, 1e9), st.floats(0, 1e9))
def test_recency_falls_with_age(one_s: float, other_s: float) -> None:
    one, other = recency(one_s, 7), recency(other_s, 7)
    assert (one >= other) == (one_s <= other_s) or one == other
    assert recency(-86_400, 7) == 1


def test_what_a_leg_cannot_tell_apart_it_does_not_lift() -> None:
    assert ranks({1: 0.4, 2: 0.9, 3: 0.4}) == {2: 1, 1: 3, 3: 3}
    entity, words = ranks(dict.fromkeys(range(1, 101), 1.0)), ranks({100: 0.9, 1: 0.8})
    newest = found(99, ranks={"entity": entity[99]})
    second = found(1, ranks={"entity": entity[1], "lexical": words[1]})
    assert order(newest, second, weights=Weights(fusion=Fusion.RRF, mmr_lambda=1)) == [1, 99]
    assert entity[99] == 100


def test_likeness_is_the_cosine_and_else_the_overlap_of_tags() -> None:
    one = np.array([1, 0], np.float32)
    alike = likeness([one, one, None], lambda: [("a",), ("b",), ("a", "c")])
    assert alike[0, 1] == pytest.approx(1)
    assert alike[0, 2] == pytest.approx(0.5)
    assert alike[1, 2] == 0


def test_of_equals_the_one_with_other_tags_comes_next() -> None:
    tags = [("boats",), ("boats",), ("eels",)]
    picks = diverse([0.5, 0.5, 0.5], np.zeros((3, 3), np.float32), lambda: tags, mmr_lambda=0.7)
    assert [pick.place for pick in picks] == [0, 2, 1]


@given(st.lists(units, min_size=1, max_size=12), st.floats(0, 1))
def test_diversity_loses_nothing_and_begins_with_the_best(totals: list[float], mmr_lambda: float) -> None:
    totals = sorted(totals, reverse=True)
    alike = np.full((len(totals), len(totals)), 0.5, np.float32)
    picks = diverse(totals, alike, lambda: [()] * len(totals), mmr_lambda=mmr_lambda)
    assert sorted(pick.place for pick in picks) == list(range(len(totals)))
    assert picks[0].penalty == 0
    if mmr_lambda > 0.01:
        assert totals[picks[0].place] == pytest.approx(totals[0], abs=1e-3)


def test_a_copy_comes_after_something_else(file: Shelved) -> None:
    vectors = {"The heron by the lake": (1, 0, 0), "The heron at the lake": (1, 0.05, 0), "The heron of Anna": (0.6, 0.8, 0)}
    for text, vector in vectors.items():
        file.embed(file.say(text, session=text), vector)
    asked = question("heron", vector=[1, 0, 0])
    copies = {"The heron by the lake", "The heron at the lake"}
    assert set(file.texts(asked._replace(weights=Weights(mmr_lambda=1)))[:2]) == copies
    assert set(file.texts(asked._replace(weights=Weights(mmr_lambda=0.5)))[:2]) != copies


def test_the_current_session_does_not_appear(file: Shelved) -> None:
    file.say("The heron by the lake", session="now")
    file.say("The heron by the canal", session="then")
    assert file.texts(question("heron", session="now")) == ["The heron by the canal"]


def test_recency_counts_from_when_it_happened(file: Shelved) -> None:
    file.say("The heron by the lake", session="s1", now=at(0))
    file.say("The heron by the canal", session="s2", now=at(1))
    [newer, older] = file.match(question("heron", now=T0 + timedelta(days=7))).places
    assert newer.recency == pytest.approx(0.368, abs=0.001)
    assert newer.recency > older.recency
