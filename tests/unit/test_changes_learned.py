"""What states a change is learned, whoever made it and however it begins; what somebody puts right is worth keeping."""

from datetime import UTC, datetime

import pytest

from services.consolidator.domain.extraction import SaidTurn
from services.consolidator.domain.rules import facts
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Role

NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)


def learned(*texts: str) -> list[str]:
    said = [SaidTurn(MemoryId(f"ep_{n}"), n, Role.USER, None, text, NOON) for n, text in enumerate(texts, start=1)]
    return [fact.text for fact in facts(said)]


@pytest.mark.parametrize(
    "said",
    [
        "traded the Clio in for a Kia",
        "not vegan anymore, the cheese won",
        "Back in Turin for good.",
        "They put my rent up to 1550 euros.",
    ],
)
def test_what_changed_is_quoted_without_a_subject_and_whoever_did_it(said: str) -> None:
    assert learned(said) == [f'The user said: "{said.rstrip(".")}"']


@pytest.mark.parametrize("said", ["They live here.", "Not now.", "No hazelnuts.", "On Friday.", "Don't forget the milk."])
def test_what_states_no_change_of_the_user_is_not_learned(said: str) -> None:
    assert learned(said) == []


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("I need 12 chairs for the party.", "make that 14 chairs"),
        ("I'm meeting Sam at the station.", "Not the station, the library."),
        ("My nephew is called Theo.", "*Leo, autocorrect"),
        ("I have three cats.", "I meant two cats, the third is my neighbour's"),
        ("We're going to Crete in May.", "hang on, Corfu"),
    ],
)
def test_what_is_put_right_is_quoted_with_what_puts_it_right(said: str, right: str) -> None:
    assert learned(said, right) == [f'The user said: "{said.rstrip(".")}", and put it right: "{right.rstrip(".")}"']
