"""What a reader would keep of a chat, and what is said in passing."""

from __future__ import annotations

import pytest

from services.consolidator.domain.rules import facts
from tests.support.annotated_talks import said_turns

PASSING = (
    "We all had a good laugh.",
    "I'm gonna make my dreams come true!",
    "Everyone we love was there to celebrate us - it was really special.",
    "Tomorrow's opening will be so much fun!",
    "Sourcing trendy pieces for my store was a big hurdle.",
    "My family has been awesome.",
    "I'd love to visit it.",
    "My grandma gave it to me.",
    "I'm making pasta right now.",
    "Today me and my mum cooked lasagna together.",
    "I'm so excited to meet everyone!",
    "We need to push ourselves out of our comfort zones.",
    "People are so judgmental these days.",
    "Just remember that sometimes stumbling blocks can be opened doors.",
    "I've really enjoyed our conversation.",
    "Learning Spanish is a fantastic choice.",
    "Kandinsky is from Russia.",
    "I found a place like this.",
    "I'm doing well, Bella.",
)


@pytest.mark.parametrize("said", PASSING)
def test_what_is_said_in_passing_is_no_fact(said: str) -> None:
    assert facts(said_turns(f"user: {said}")) == []


KEPT = (
    ("My family is moving to Leeds.", "moving to Leeds"),
    ("I'm excited to start at Siemens on Monday!", "Siemens"),
    ("I started taking sertraline today.", "sertraline"),
    ("We all had a good laugh when Ben proposed to me in Rome last May.", "Rome"),
    ("Nadia is pregnant", "pregnant"),
    ("Just remember that the bins go out on Tuesday.", "Tuesday"),
    ("I love swimming, it's a great way to switch off.", "swimming"),
)


@pytest.mark.parametrize(("said", "told"), KEPT)
def test_what_outlives_the_moment_is_a_fact(said: str, told: str) -> None:
    [fact] = facts(said_turns(f"user: {said}"))
    assert told in fact.text
