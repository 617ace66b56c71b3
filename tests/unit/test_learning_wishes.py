"""A lasting wish to the bot is learned with a slot, so that every context can say it."""

from __future__ import annotations

import pytest

from services.consolidator.domain.rules import facts
from tests.support.annotated_talks import said_turns

WISHES = [
    ("never use emojis with me", "answer style", "never use emojis with me"),
    ("Please don't call me sir", "answer style", "please don't call me sir"),
    ("from now on explain things simply", "answer style", "from now on explain things simply"),
    (
        "oh and always keep your answers short, no bullet points",
        "answer style",
        "oh and always keep your answers short, no bullet points",
    ),
    ("always answer in bullet points pls", "answer style", "always answer in bullet points pls"),
    ("Bitte antworte mir immer kurz", "answer style", "bitte antworte mir immer kurz"),
    ("Bitte benutze keine Emojis", "answer style", "bitte benutze keine emojis"),
    ("Bitte antworte immer auf Deutsch", "answer language", "german"),
]


@pytest.mark.parametrize(("said", "attribute", "value"), WISHES)
def test_a_wish_states_how_its_person_wants_to_be_answered(said: str, attribute: str, value: str) -> None:
    [fact] = facts(said_turns(f"user: {said}"))
    assert not {slot.attribute for slot in fact.slots or ()} & {"activity", "uses"}
    stated = [(slot.subject, slot.attribute, slot.value) for slot in fact.slots or () if not slot.negated]
    assert stated == [("user", attribute, value)]


def test_a_wish_of_many_words_has_a_value_that_an_event_can_hold() -> None:
    [fact] = facts(said_turns(f"user: from now on explain things simply{' with examples' * 25}"))
    assert [len(slot.value or "") for slot in fact.slots or ()] == [256]
