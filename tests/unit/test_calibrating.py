"""Evidence is calibrated so that few answerable questions fall below the threshold."""

from __future__ import annotations

import math
import random

import pytest

from memstream.evaluation.calibrating import (
    ANSWERED,
    AS_IS,
    EXCHANGED,
    MOST_WRONGLY_EMPTY,
    WITH_VECTORS,
    SignedQuestion,
    calibrated,
    empty_shares,
    left_out,
)


def questions(file: str, count: int = 200) -> list[SignedQuestion]:
    """What is answered is nearer, better covered and without strangers, mostly."""
    chance = random.Random(file)
    found = []
    for asked, level in ((ANSWERED, 0.6), (EXCHANGED, 0.35), (AS_IS, 0.3)):
        for _ in range(count):
            near, covered = (chance.gauss(level, 0.1) for _ in range(2))
            signs = {"near": near, "covered": covered, "held": 5.0, "missing": 5.0, "strangers": float(asked == AS_IS)}
            found.append(SignedQuestion(file, asked, signs))
    return found


def test_as_many_answerable_questions_as_wanted_fall_below_the_threshold() -> None:
    asked = [*questions("a"), *questions("b")]
    shares = empty_shares(asked, calibrated(asked, WITH_VECTORS))
    assert sum(of[ANSWERED] for of in shares.values()) / 2 == pytest.approx(MOST_WRONGLY_EMPTY, abs=0.01)
    assert all(of[EXCHANGED] > 0.5 and of[AS_IS] > of[EXCHANGED] for of in shares.values())


def test_what_says_nothing_weighs_nothing_and_what_speaks_against_it_weighs_less_than_nothing() -> None:
    weights = calibrated(questions("a"), WITH_VECTORS).weights
    assert weights["held"] == weights["missing"] == pytest.approx(0)
    assert weights["strangers"] < 0 < min(weights["near"], weights["covered"])


def test_each_file_is_judged_by_the_others() -> None:
    alone, both = questions("a"), [*questions("a"), *questions("b", 150)]
    assert left_out(alone, WITH_VECTORS) == {}
    assert set(left_out(both, WITH_VECTORS)) == {"a", "b"}


def test_a_file_counts_the_same_whatever_its_size() -> None:
    small, large = questions("a"), questions("b")
    once, thrice = calibrated([*small, *large], WITH_VECTORS), calibrated([*small, *large * 3], WITH_VECTORS)
    assert thrice.weights == pytest.approx(once.weights, rel=0.01)
    assert math.isclose(thrice.offset, once.offset, abs_tol=0.05)
