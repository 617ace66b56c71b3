"""The chats themselves, and where their answers stand, through the real path."""

from __future__ import annotations

import pytest

from memstream.cli.eval_chats import PlacedAnswer, placed_answer, scored_chats
from memstream.evaluation.task import SayStep, Task, all_chats
from tests.evals.commands import evaluated
from tests.unit.test_block import memory
from tests.unit.test_coverage import given

_CHATS = all_chats()


@pytest.mark.parametrize("chat", _CHATS, ids=lambda chat: chat.name)
def test_every_answer_was_said(chat: Task) -> None:
    said = [turn.casefold() for step in chat.play if isinstance(step, SayStep) for turn in step.turns]
    assert len(chat.ask) == 20
    assert not [words for ask in chat.ask for words in ask.within if not any(words.casefold() in turn for turn in said)]


def test_an_answer_counts_where_the_block_shows_it() -> None:
    long = memory(2, "a long letter that tells of tea").model_copy(update={"excerpt": "a long letter"})
    answer = given(memory(1, "The sea."), long, memory(3, "Green TEA only."))
    assert placed_answer("maya", "Which tea?", "tea", answer) == PlacedAnswer("maya", "Which tea?", 3, 3, 7)
    assert placed_answer("maya", "Which tea?", "coffee", answer).line is None


def test_the_shares_are_over_all_questions() -> None:
    placed = [PlacedAnswer("a", "x", line, 4, 100) for line in (1, 3, 5, None)]
    scores = scored_chats(placed)
    assert [scores[name] for name in ("in_first_1", "in_first_3", "in_first_6", "given")] == [0.25, 0.5, 0.75, 0.75]
    assert [each["line"] for each in scores["below_the_third"]] == [5, None]


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_four_of_five_answers_are_in_the_first_three_lines() -> None:
    scores = evaluated("chats")
    assert scores["questions"] == 60
    assert scores["in_first_3"] >= 0.8
    assert scores["tokens"] < 398, "what twelve items took before the block was one list"
