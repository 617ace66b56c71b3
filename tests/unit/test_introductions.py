"""Who somebody says they are, and what they must not eat, as people type it: `im roz btw`, `type 1 diabetic here`."""

import pytest
from services.consolidator.domain.introductions import introduced

from services.consolidator.domain.extraction import SaidTurn
from services.consolidator.domain.rules import facts
from shared.contracts.ids import MemoryId
from shared.contracts.parts import FactSlot, Role
from tests.support.scopes import T0


def _slots(*texts: str) -> list[FactSlot]:
    turns = [
        SaidTurn(MemoryId(f"mem_{number}"), number, Role.USER, None, text, T0) for number, text in enumerate(texts, start=1)
    ]
    return [slot for fact in facts(turns) for slot in fact.slots]


def _of_user(attribute: str, *texts: str) -> list[str | None]:
    return [slot.value for slot in _slots(*texts) if (slot.subject, slot.attribute, slot.negated) == ("user", attribute, False)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("hi im dana btw", "dana"),
        ("im roz btw", "roz"),
        ("im tamsin", "tamsin"),
        ("hello i'm priya!", "priya"),
        ("hey im marcus here", "marcus"),
        ("i am gregor, by the way", "gregor"),
        ("my names roz", "roz"),
        ("my name's kiri btw", "kiri"),
        ("ich bin die svenja", "svenja"),
        ("Hi, ich bin der Tobi", "tobi"),
        ("ich heiße Ralf", "ralf"),
    ],
)
def test_a_name_is_learned_as_people_type_it(text: str, name: str) -> None:
    assert _of_user("name", text) == [name]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "im tired btw",
            "hey im home",
            "im skint",
            "hi im new here",
            "im hyped",
            "hi im vegan",
            "im lily-livered",
            "my name's fine",
        ),
        *("ich bin die Chefin", "ich bin der neue", "ich bin der Lehrer von nebenan", "ich bin der Meinung, dass das stimmt"),
        *("wir kriegen nen hund!! ein welpe, heißt Pelle", "heißt Pelle", "unser Hund heißt Pelle", "das ist die Anna"),
    ],
)
def test_a_state_and_the_name_of_somebody_else_are_not_the_persons_name(text: str) -> None:
    assert _of_user("name", text) == []


def test_a_word_of_the_language_needs_a_greeting_or_an_aside_to_be_a_name() -> None:
    assert introduced("im lily") is None
    assert introduced("hi im lily") == introduced("im lily here") == introduced("Im lily btw") == "I am Lily"


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        ("type 1 diabetic here", "condition", "type 1 diabetic"),
        ("coeliac here", "condition", "coeliac"),
        ("i have bad knees", "condition", "bad knees"),
        ("ich vertrag keine laktose", "allergy", "laktose"),
        ("i take levothyroxine every morning btw, does coffee interfere?", "medication", "levothyroxine"),
        ("no exclamation points please", "answer style", "no exclamation points"),
        ("metric units only pls", "answer style", "metric units only"),
        ("no spoilers please", "answer style", "no spoilers"),
    ],
)
def test_what_belongs_into_a_profile_is_learned(text: str, attribute: str, value: str) -> None:
    assert _of_user(attribute, text) == [value]


@pytest.mark.parametrize(
    "text", ["I take the bus every morning", "i take my dog out every night", "no milk please", "raining here"]
)
def test_what_only_looks_like_it_is_not(text: str) -> None:
    assert {slot.attribute for slot in _slots(text)}.isdisjoint({"medication", "answer style", "condition"})
