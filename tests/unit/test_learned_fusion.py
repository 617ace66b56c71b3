"""What the learned fusion makes of a candidate, and what may be set of it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from services.retriever.domain import fusion, weights
from services.retriever.domain.candidate import Candidate
from services.retriever.domain.fusion import Features, LearnedFusion, learned_fusion
from services.retriever.domain.manner import PLAIN, Manner
from services.retriever.domain.ranking import nearness, rank
from services.retriever.domain.weights import Weights
from services.retriever.explanation import Explained, explain
from services.retriever.store.legs import QueryVector
from shared.contracts.preferences import Fusion
from tests.support.files import Shelved, question, shelved

ALONE = Weights(mmr_lambda=1)


def found(
    number: int,
    *,
    lexical: float = 0.5,
    cosine: float | None = None,
    manner: Manner = PLAIN,
    is_of_another: bool = False,
    is_dated: bool = False,
) -> Candidate:
    return Candidate(
        number,
        "episode",
        age_s=0.0,
        importance=0.5,
        legs={"lexical": lexical},
        cosine=cosine,
        manner=manner,
        is_of_another=is_of_another,
        is_dated=is_dated,
    )


def order(*candidates: Candidate, weights: Weights = ALONE) -> list[int]:
    return [place.candidate.number for place in rank(candidates, weights)]


@pytest.fixture
def file(tmp_path: Path) -> Shelved:
    return shelved(tmp_path / "anna.db")


def test_of_what_the_legs_find_alike_the_own_account_comes_first() -> None:
    told = Manner(of_self=1, to_other=0, names=0.4, numbers=1, length=0.5)
    asked_back = Manner(of_self=0, to_other=1, names=0, numbers=0, length=0.1)
    assert order(found(2, manner=asked_back), found(1, manner=told)) == [1, 2]
    assert order(found(2, is_of_another=True), found(1)) == [1, 2]
    assert order(found(2), found(1, is_dated=True)) == [1, 2]


def test_the_legs_outweigh_the_manner() -> None:
    told = Manner(of_self=1, to_other=0, names=1, numbers=1, length=1)
    assert order(found(1, lexical=1.0), found(2, lexical=0.6, manner=told)) == [1, 2]


def test_what_no_leg_finds_is_not_relevant_by_its_manner() -> None:
    told = Manner(of_self=1, to_other=0, names=1, numbers=1, length=1)
    [place] = rank([found(1, lexical=0.0, manner=told)], ALONE)
    assert place.relevance == 0


def test_nearness_counts_from_the_mean_of_the_candidates() -> None:
    assert nearness(np.array([0.2, 0.4, np.nan])) == pytest.approx([-0.25, 0.25, 0])
    assert nearness(np.array([0.30, 0.31])) == pytest.approx([-0.025, 0.025]), "where all are as near, none stands out"
    assert nearness(np.array([np.nan, np.nan])).tolist() == [0, 0]
    assert max(nearness(np.array([0.0] * 100 + [1.0]))) == 1


def test_a_leg_without_weight_has_no_features_either() -> None:
    near, far = found(1, lexical=0.47, cosine=0.9), found(2, lexical=0.5, cosine=0.1)
    assert order(near, far) == [1, 2]
    assert order(near, far, weights=replace(ALONE, vector=0)) == [2, 1]
    other, own = found(1, lexical=0.52, is_of_another=True), found(2, lexical=0.5)
    assert order(other, own) == [2, 1]
    assert order(other, own, weights=replace(ALONE, speaker=0)) == [1, 2]


def test_a_vector_that_is_not_trusted_weighs_less(file: Shelved) -> None:
    file.embed(file.say("A heron by the lake", session="s1"), [1, 0, 0])
    file.embed(file.say("A coot", session="s2"), [0.6, 0.8, 0])
    asked = question("coot", vector=[1, 0, 0], weights=replace(ALONE, lexical=0.14))
    assert isinstance(asked.vector, QueryVector)
    assert file.texts(asked)[0] == "A heron by the lake"
    assert file.texts(asked._replace(vector=asked.vector._replace(trust=0.5)))[0] == "A coot"


def test_the_hash_of_the_ranking_names_the_learned_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    before, plain = Weights().fingerprint, Weights(fusion=Fusion.CONVEX).fingerprint
    other = LearnedFusion(learned_fusion().weights, offset=0.5)
    monkeypatch.setattr(weights, "learned_fusion", lambda: other)
    assert Weights().fingerprint != before
    assert Weights(fusion=Fusion.CONVEX).fingerprint == plain


def test_the_package_has_a_weight_for_each_feature() -> None:
    assert set(fusion.learned_fusion().weights) == set(Features._fields)


def test_explain_shows_the_features_and_what_they_come_to(file: Shelved) -> None:
    file.say("I saw a heron by the lake on 3 May.")
    file.say("Did you see the heron, Ben?")
    with file.connected() as db:
        answer = explain(file.searched(db), Explained(question("heron"), None, 10), position=1, at_number=2)
    learned = learned_fusion()
    for each in answer.candidates:
        weighed = sum(learned.weights[name] * value for name, value in each.features.items())
        assert each.relevance == pytest.approx(weighed + learned.offset)
    assert [each.features["of_self"] for each in answer.candidates] == [1, 0]


def test_explain_shows_no_features_of_another_fusion(file: Shelved) -> None:
    file.say("I saw a heron by the lake.")
    request = question("heron", weights=Weights(fusion=Fusion.CONVEX))
    with file.connected() as db:
        [only] = explain(file.searched(db), Explained(request, None, 10), position=1, at_number=1).candidates
    assert only.features == {}
