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
    ("said", "told"),
    [
        ("traded the Clio in for a Kia", "The user traded the Clio in for a Kia."),
        ("not vegan anymore, the cheese won", "The user is not vegan anymore, the cheese won."),
        ("Back in Turin for good.", "The user is back in Turin for good."),
        ("They put my rent up to 1550 euros.", "They put the user's rent up to 1550 euros."),
        ("Miso died in spring.", "Miso died in spring."),
        ("The divorce went through in May.", "The divorce went through in May."),
    ],
)
def test_what_changed_is_learned_without_a_subject_and_whoever_did_it(said: str, told: str) -> None:
    assert learned(said) == [told]


@pytest.mark.parametrize("said", ["They live here.", "Not now.", "No hazelnuts.", "On Friday.", "Don't forget the milk."])
def test_what_states_no_change_of_the_user_is_not_learned(said: str) -> None:
    assert learned(said) == []


@pytest.mark.parametrize(
    ("said", "right", "told"),
    [
        ("I need 12 chairs for the party.", "make that 14 chairs", "The user needs 14 chairs for the party."),
        ("The code is 4417.", "wrong, it's 4471", "The code is 4471."),
        ("I'm meeting Sam at the station.", "Not the station, the library.", "The user is meeting Sam at the library."),
        ("My nephew is called Theo.", "*Leo, autocorrect", "The user's nephew is called Leo."),
        ("The party is at Tom's place.", "no wait, at Jim's place", "The party is at Jim's place."),
        ("I have three cats.", "I meant two cats, the third is my neighbour's", "The user has two cats."),
        ("We're going to Crete in May.", "hang on, Corfu", "The user and others are going to Corfu in May."),
    ],
)
def test_what_is_put_right_is_learned_as_it_is_right(said: str, right: str, told: str) -> None:
    assert learned(said, right) == [told]
