"""What the embedded rules learn of conversations as people type them, in which every fact worth keeping is annotated."""

from __future__ import annotations

import functools
import operator

import pytest

from tests.support.annotated_talks import Score, score, talks

LEAST_RECALL = {"en": 0.65, "de": 0.5, "es": 0.5, "fr": 0.5}
LEAST_PRECISION = 0.85


@functools.cache
def scored(language: str) -> Score:
    return functools.reduce(operator.add, (score(talk) for talk in talks().values() if talk.language == language))


@pytest.mark.parametrize("language", LEAST_RECALL)
def test_most_of_what_is_learned_is_what_a_reader_would_keep(language: str) -> None:
    found = scored(language)
    assert found.precision >= LEAST_PRECISION, found.wrong


@pytest.mark.parametrize(("language", "least"), LEAST_RECALL.items())
def test_most_of_what_a_reader_would_keep_is_learned(language: str, least: float) -> None:
    found = scored(language)
    assert found.recall >= least, found.missed


def test_the_score_counts_what_is_wrong_and_what_is_missed() -> None:
    talk = talks()["en_mia"].model_copy(update={"talk": "user: I live in Horsforth\nuser: My rent is 950"})
    found = score(talk)
    assert (len(found.right), len(found.wrong), found.found) == (1, 1, 1)
