"""What friends say to each other in passing: no statement of a person is made up of it."""

from datetime import UTC, datetime

import pytest

from services.consolidator.domain.extraction import SaidTurn
from services.consolidator.domain.rules import facts
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Role


def learned(*texts: str) -> list[str]:
    """The facts of what Anna says; what begins with a colon is said to her."""
    said = [(Role.ASSISTANT if text.startswith(":") else Role.USER, text.removeprefix(":")) for text in texts]
    return [
        fact.text
        for fact in facts(
            [
                SaidTurn(MemoryId(f"ep_{number}"), number, role, "Anna", text, datetime(2026, 3, 9, 12, tzinfo=UTC))
                for number, (role, text) in enumerate(said, start=1)
            ]
        )
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Love the red and blue!",
        "Love all the details.",
        "I love to!",
        "Yup, I do- what about yours?",
        "Gonna be a great night featuring local artists.",
        "Gonna be awesome!",
        "We make a great team!",
        "Feels like a dream come true.",
        "Reminds me how much I love performing.",
        "Art can be so healing.",
        "Gather documents like references and medical checks.",
        "Well, I'm off to bake some cakes.",
    ],
)
def test_what_is_said_of_the_moment_or_of_everybody_is_no_fact(text: str) -> None:
    assert learned(text) == []


def test_what_somebody_says_of_the_future_of_their_family_is_a_fact() -> None:
    assert learned("I'm gonna be a dad!") == ['Anna said: "I\'m gonna be a dad"']


def test_who_is_sorry_to_hear_something_takes_nothing_back() -> None:
    heard = learned("Lost my job as a banker, so I'm gonna take a shot at my own business.", ":Me too!", "Sorry to hear that!")
    assert heard == ['Anna said: "Lost my job as a banker, so I\'m gonna take a shot at my own business"']


def test_who_is_sorry_and_puts_a_day_right_takes_the_wrong_one_back() -> None:
    assert learned("I start on Monday at the library", "Sorry, Tuesday") == [
        'Anna said: "I start on Monday at the library", and put it right: "Sorry, Tuesday"'
    ]


def test_who_denies_what_was_asked_changes_nothing_of_what_was_said() -> None:
    heard = learned("I have a cat and I feel blessed to live with her.", ":Did you have any pets growing up?", "No, I didn't.")
    assert heard == ['Anna said: "I have a cat and I feel blessed to live with her"']


def test_an_answer_that_is_a_sentence_is_quoted_with_its_question() -> None:
    asked = ":What kind of work have you been doing?"
    assert learned(asked, "Just yesterday I joined a nearby church.") == [
        'Asked "What kind of work have you been doing?", Anna said: "Just yesterday (2026-03-08) I joined a nearby church."'
    ]


def test_a_day_before_the_subject_is_written_out_in_the_quotation() -> None:
    assert learned("Last week I retook the driving test with great results.") == [
        'Anna said: "Last week (week of 2026-03-02) I retook the driving test with great results"'
    ]
