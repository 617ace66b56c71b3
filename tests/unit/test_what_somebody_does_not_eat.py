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
        ("I can't have peanuts", "peanut"),
        ("no gluten for me, ever", "gluten"),
        ("I'm not allowed to eat wheat.", "wheat"),
        ("I have to stay away from shellfish", "shellfish"),
        ("Milk upsets my stomach.", "milk"),
        ("Dairy doesn't agree with me.", "dairy"),
        ("My body doesn't tolerate eggs", "eggs"),
        ("I can't digest fructose", "fructose"),
        ("I stopped eating meat three years ago.", "meat"),
        ("I mustn't have grapefruit because of my tablets", "grapefruit"),
        ("I haven't eaten meat since 2015", "meat"),
        ("Pork is forbidden for me", "pork"),
        ("No eggs in my diet, ever.", "eggs"),
        ("Ich esse kein Fleisch.", "meat"),
        ("Von Zwiebeln bekomme ich Bauchschmerzen.", "zwiebeln"),
        ("Milch bekommt mir nicht.", "milch"),
        ("Ich darf keine Nüsse essen.", "nüsse"),
        ("No puedo comer gluten.", "gluten"),
        ("La leche me sienta mal.", "leche"),
        ("Je ne mange pas de viande.", "meat"),
        ("Je ne supporte pas le lactose.", "lactose"),
    ],
)
def test_what_somebody_does_not_eat_has_a_slot(sentence: str, food: str) -> None:
    assert f"not user: intake = {food}" in told(sentence)


@pytest.mark.parametrize(
    ("sentence", "slot"),
    [
        ("peanuts make my throat swell up", "user: allergy = peanut"),
        ("I react badly to latex", "user: allergy = latex"),
        ("I break out in hives when I eat strawberries.", "user: allergy = strawberries"),
        ("Von Erdbeeren bekomme ich Ausschlag.", "user: allergy = erdbeeren"),
        ("I keep kosher.", "user: diet = kosher"),
        ("All our food has to be halal.", "user: diet = halal"),
        ("I was diagnosed with Parkinson's in March", "user: condition = parkinsons"),
        ("They switched me to apixaban last week.", "user: medication = apixaban"),
        ("My blood pressure is too high.", "user: condition = high blood pressure"),
        ("Mein Arzt hat mir Metformin verschrieben.", "user: medication = metformin"),
        ("I follow a low-carb diet.", "user: diet = low-carb"),
        ("I have a son with Down syndrome.", "user's son: condition = down-syndrome"),
        ("We have an autistic son.", "user's son: condition = autistic"),
        ("Ich habe einen Sohn mit Autismus.", "user's sohn: condition = autismus"),
        ("My doctor switched me from lisinopril to losartan.", "user: medication = losartan"),
        ("My doctor put me on sertraline.", "user: medication = sertraline"),
    ],
)
def test_reactions_diets_illness_in_the_family_and_what_a_doctor_changed(sentence: str, slot: str) -> None:
    assert slot in told(sentence)


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


@pytest.mark.parametrize(
    "right",
    ["Sorry, not lactose, it's gluten I can't have.", "Sorry, it's gluten I can't have, not lactose.", "No wait, it's gluten."],
)
def test_the_wrong_food_is_put_right(right: str) -> None:
    assert [fact.text for fact in facts(said("I can't eat lactose.", right))] == ["The user can't eat gluten."]


def test_the_wrong_food_ends_where_it_is_put_right_another_day() -> None:
    [wrong] = slots("I can't eat lactose.")
    right = slots("Sorry, not lactose, it's gluten I can't have.")
    assert [slot.value for slot in right if ends(slot, wrong)] == ["lactose"]
    assert "not user: intake = gluten" in told("Sorry, not lactose, it's gluten I can't have.")


def test_who_may_eat_it_again_avoids_it_no_more() -> None:
    before, after = slots("I can't eat shrimp."), slots("I can eat shrimp again.")
    assert all(any(ends(new, old) for new in after) for old in before)


def test_the_new_medicine_ends_the_old_one() -> None:
    [old] = slots("I take lisinopril.")
    assert any(ends(new, old) for new in slots("My doctor switched me from lisinopril to losartan."))
