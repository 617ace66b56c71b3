"""What is found by words: a memory by its own, and a turn by a share of what is said beside it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.files import Shelved, shelved
from tests.support.scopes import T0

TALK = ("we sat down", "the tea was cold", "a heron came", "it was grey", "it flew away", "we went home")


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Shelved]:
    file = shelved(tmp_path / "anna.db")
    for text in TALK:
        file.say(text)
    yield file
    file.file.close()


def scores(file: Shelved, asked: str) -> list[float]:
    """The scores of all memories, oldest first."""
    with file.connected() as db:
        return list(file.searched(db).words(asked).scores(()).tolist())


def test_the_turns_beside_a_turn_hold_a_share_of_its_words(file: Shelved) -> None:
    two_before, one_before, of_itself, one_after, two_after, other = scores(file, "heron")
    most = math.log((len(TALK) - 1 + 0.5) / (1 + 0.5)) * (1.2 + 1)
    often = of_itself / (most - of_itself)
    assert (one_before, one_after) == pytest.approx([most * often / 2 / (1 + often / 2)] * 2)
    assert (two_before, two_after) == pytest.approx([most * often / 4 / (1 + often / 4)] * 2)
    assert of_itself > one_before > two_before > other == 0


def test_a_turn_of_another_session_has_no_share(file: Shelved) -> None:
    file.say("and a weir", session="s2")
    assert scores(file, "weir")[:-1] == [0] * len(TALK)


def test_the_date_of_a_turn_is_found_and_gives_no_share(file: Shelved) -> None:
    file.say("and a weir", session="s2")
    found = scores(file, str(T0.year))
    assert min(found) == pytest.approx(max(found), rel=0.3), "each has its own date, and nothing of others'"
    assert min(found) > 0


def test_a_fact_has_no_share_and_gives_none(file: Shelved) -> None:
    file.know("Anna feeds herons")
    *turns, fact = scores(file, "feeds")
    assert fact > 0
    assert turns == [0] * len(TALK)


def test_words_that_stand_near_each_other_count_more(tmp_path: Path) -> None:
    file = shelved(tmp_path / "ben.db")
    far = " ".join(["green", *(["so", "it", "was", "said", "at", "the", "time", "by", "one", "of", "us"]), "heron"])
    near = " ".join([*(["so", "it", "was", "said", "at", "the", "time", "by", "one", "of", "us"]), "green", "heron"])
    for text in (far, near, "nothing of it"):
        file.know(text)
    of_far, of_near, of_none = scores(file, "green heron")
    assert of_near > of_far > of_none == 0
    file.file.close()


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("I painted the weir", "painting"),
        ("le café du port", "cafe"),
        ("我喜欢猫", "喜欢"),
        ("die Katze schläft", "Wo sind die Katzen?"),
        ('she said "NEAR" and AND', 'what about "NEAR" OR AND?'),
    ],
)
def test_words_are_found_in_their_other_forms(file: Shelved, text: str, asked: str) -> None:
    file.know(text)
    assert scores(file, asked)[-1] > 0


def test_a_question_without_a_telling_word_finds_nothing(file: Shelved) -> None:
    assert set(scores(file, "?!")) == {0}
