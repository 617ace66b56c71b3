"""What a cook or a doctor must know of somebody, however it is said, and what only sounds like it."""

import pytest

from services.consolidator.domain.extraction import SaidTurn
from services.consolidator.domain.rules import facts
from shared.contracts.ids import MemoryId
from shared.contracts.parts import FactSlot, Role
from shared.language.statements.slots import ends
from tests.support.scopes import T0


def said(*texts: str) -> list[SaidTurn]:
    return [
        SaidTurn(memory_id=MemoryId(f"mem_{number}"), number=number, role=Role.USER, speaker=None, text=text, occurred_at=T0)
        for number, text in enumerate(texts, start=1)
    ]


def slots(*texts: str) -> list[FactSlot]:
    return [slot for fact in facts(said(*texts)) for slot in fact.slots]


def told(*texts: str) -> list[str]:
    return [f"{'not ' * slot.negated}{slot.subject}: {slot.attribute} = {slot.value}" for slot in slots(*texts)]


@pytest.mark.parametrize(
    ("sentence", "food"),
    [
        ("I can't eat lactose.", "lactose"),
        ("I don't eat meat.", "meat"),
        ("I can't have dairy", "dairy"),
        ("I can't have peanuts", "peanuts"),
        ("I'm not allowed to eat wheat.", "wheat"),
        ("I have to stay away from shellfish", "shellfish"),
        ("I stopped eating meat three years ago.", "meat"),
        ("I mustn't have grapefruit because of my tablets", "grapefruit"),
        ("Ich esse kein Fleisch.", "fleisch"),
        ("Ich darf keine Nüsse essen.", "nüsse"),
        ("No puedo comer gluten.", "gluten"),
        ("Je ne mange pas de viande.", "viande"),
        ("Non mangio carne.", "carne"),
        ("Não como carne.", "carne"),
    ],
)
def test_what_somebody_does_not_eat_has_a_slot(sentence: str, food: str) -> None:
    assert f"not user: intake = {food}" in told(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "no gluten for me, ever",
        "Milk upsets my stomach.",
        "Dairy doesn't agree with me.",
        "My body doesn't tolerate eggs",
        "I can't digest fructose",
        "I haven't eaten meat since 2015",
        "Pork is forbidden for me",
        "I react badly to latex",
        "I break out in hives when I eat strawberries.",
        "I keep kosher.",
        "All our food has to be halal.",
        "I was diagnosed with Parkinson's in March",
        "My blood pressure is too high.",
        "I follow a low-carb diet.",
        "I have a son with Down syndrome.",
        "We have an autistic son.",
        "My doctor switched me from lisinopril to losartan.",
        "My doctor put me on sertraline.",
    ],
)
def test_what_a_cook_or_a_doctor_must_know_is_quoted_however_it_is_said(sentence: str) -> None:
    [fact] = facts(said(sentence))
    assert f'"{sentence.rstrip(".")}"' in fact.text
    assert fact.slots == ()


@pytest.mark.parametrize(
    ("sentence", "quoted"),
    [
        ("Von Zwiebeln bekomme ich Bauchschmerzen.", "„Von Zwiebeln bekomme ich Bauchschmerzen“"),
        ("Milch bekommt mir nicht.", "„Milch bekommt mir nicht“"),
        ("Mein Arzt hat mir Metformin verschrieben.", "„Mein Arzt hat mir Metformin verschrieben“"),
        ("La leche me sienta mal.", "«La leche me sienta mal»"),
        ("Je ne supporte pas le lactose.", "« Je ne supporte pas le lactose »"),
    ],
)
def test_so_it_is_in_other_languages(sentence: str, quoted: str) -> None:
    [fact] = facts(said(sentence))
    assert quoted in fact.text


@pytest.mark.parametrize(
    "sentence",
    [
        "I can't eat another bite.",
        "I don't eat breakfast on Mondays.",
        "I can't have that job.",
        "I could eat a horse",
        "I don't eat out much.",
        "I can't eat right now, I'm in a meeting",
        "no gluten in this bread, is there?",
        "no milk for my coffee this time, thanks",
        "I don't have any milk.",
        "My boss makes me sick.",
        "I can't stomach his arrogance.",
        "If I couldn't eat gluten, what would I bake?",
        '"I can\'t eat lactose," said the man in the film.',
        "I'm allergic to Mondays.",
        "My dog can't eat chocolate.",
        "I haven't eaten fish this week.",
        "A car accident put me in hospital.",
        "My new shoes make my feet swell.",
        "Stress gives me hives.",
        "Running makes my chest tight.",
        "I react badly to being told off.",
        "I don't drink coffee in the evening.",
        "Ich kann nicht mehr essen, ich bin satt.",
        "Ich esse heute kein Brot.",
        "Hoy no como carne.",
        "Aujourd'hui je ne mange pas de pain.",
        "No puedo comer más, estoy lleno.",
        "Je ne peux plus rien manger.",
    ],
)
def test_what_only_sounds_like_it_says_nothing_of_them(sentence: str) -> None:
    assert not [each for each in told(sentence) if "user: intake" in each or "user: allergy" in each]


def test_the_wrong_food_is_quoted_with_what_puts_it_right() -> None:
    right = "No wait, it's gluten."
    [fact] = facts(said("I can't eat lactose.", right))
    assert [(slot.value, slot.negated) for slot in fact.slots] == [("gluten", True)]
    assert fact.text == f'The user said: "I can\'t eat lactose", and put it right: "{right.rstrip(".")}"'


def test_who_may_eat_it_again_avoids_it_no_more() -> None:
    before, after = slots("I can't eat shrimp."), slots("I can eat shrimp again.")
    assert all(any(ends(new, old) for new in after) for old in before)


def test_a_medicine_that_is_not_taken_any_more_has_ended() -> None:
    [old] = slots("I take lisinopril.")
    assert any(ends(new, old) for new in slots("I no longer take lisinopril."))
