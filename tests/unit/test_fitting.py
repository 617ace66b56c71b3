"""Weights are fitted to what answers, and judged on conversations that they were not fitted on."""

import numpy as np
import pytest

from memstream.evaluation.fitting import JudgedQuestion, fitted, left_out

NAMES = ("fused", "session", "asks", "told", "noise")


def asked(conversation: str, seed: int, *, sign: float = 1.0, file: str = "a") -> JudgedQuestion:
    """A question whose two answers stand out by `told` as much as by the legs."""
    rng = np.random.default_rng(seed)
    rows = rng.random((40, len(NAMES)))
    rows[:2, 3] += sign
    rows[:2, 0] += 0.5
    return JudgedQuestion(file, conversation, rows, np.arange(40) < 2, 2)


MANY = [asked(f"c{index % 4}", index) for index in range(40)]


def test_what_tells_the_answers_weighs() -> None:
    weights = fitted(MANY, NAMES, trust=1).weights
    assert weights["told"] > 5 * abs(weights["noise"])


def test_without_trust_the_formula_stays_as_it_is() -> None:
    found = fitted(MANY, NAMES, trust=0)
    assert list(found.weights.values()) == pytest.approx([1 / 1.1, 0.1 / 1.1, -0.05 / 1.1, 0, 0])
    assert found.offset == pytest.approx(0)


def test_relevances_stay_as_large_as_those_of_the_formula() -> None:
    found = fitted(MANY, NAMES)
    learned, convex = np.array(list(found.weights.values())), np.array([1 / 1.1, 0.1 / 1.1, -0.05 / 1.1, 0, 0])
    for level in (np.mean, np.max):
        levels = [[level(each.features @ by) for each in MANY] for by in (learned, convex)]
        assert np.mean(levels[0]) + found.offset == pytest.approx(np.mean(levels[1]))


def test_a_conversation_is_judged_by_weights_of_the_others() -> None:
    contrary = [asked("contrary", index, sign=-1.0) for index in range(100, 103)]
    recalls = left_out([*MANY, *contrary], NAMES, trust=1)["a"]
    assert np.mean([each[0] for each in recalls[:40]]) > 0.9
    assert np.mean([each[0] for each in recalls[40:]]) < 0.1


def told(questions: list[JudgedQuestion]) -> float:
    return fitted(questions, NAMES, trust=1).weights["told"]


def test_each_file_counts_the_same_whatever_its_size() -> None:
    few = [asked("d", index, sign=-1.0, file="b") for index in range(200, 204)]
    assert told([*MANY, *few]) == pytest.approx(told([*MANY, *few * 5]), abs=0.02)
    assert told([*MANY, *few]) < told(MANY) / 2


def test_a_question_whose_answers_were_not_found_counts_as_missed_and_teaches_nothing() -> None:
    rows = np.random.default_rng(9).random((40, len(NAMES)))
    missed = JudgedQuestion("a", "c0", rows, np.zeros(40, np.bool_), 3)
    assert left_out([*MANY, missed], NAMES)["a"].count((0.0, 0.0, 0.0)) >= 1
    assert told([*MANY, missed]) == pytest.approx(told(MANY), rel=0.05)


def test_the_file_names_every_weight() -> None:
    text = fitted(MANY, NAMES).toml()
    assert text.startswith("offset = ")
    assert all(f"\n{name} = " in text for name in NAMES)
