"""What the embedded rules keep of what is put right in the same conversation: what is right, and nothing that is wrong."""

from __future__ import annotations

import pytest

from services.consolidator.domain.kinds import FactTag
from services.consolidator.domain.rules import facts
from shared.contracts.commands import ExtractedFact
from tests.support.annotated_talks import said_turns, what_holds

CORRECTED = [  # said, said then, what what it puts right has, what that has not
    ("My meeting with Sandra is on Tuesday.", "sorry, I mean Thursday", "Thursday", "tuesday"),
    ("I live in Leeds.", "no wait, York. We moved last week", "York", "leeds"),
    ("standup is at 8:15", "mixed that up: it's 9:30", "", "8:15"),
    ("My sister's name is Carla and she is a lawyer", "scratch that, she is a judge now", "she is a judge", "lawyer"),
    ("im allergic to almonds", "actually its hazelnuts not almonds", "hazelnuts", ""),
    ("Our new puppy is called Rufus", "oops, Rusty. my phone autocorrected", "Rusty", "rufus"),
    ("I'm 34", "ignore that, I'm 35, had my birthday on monday lol", "I'm 35", "34"),
    ("My flight leaves at 6:40 from gate 12.", "Correction: it leaves at 7:40.", "7:40", "6:40"),
    ("priya starts monday the 12th", "actually no sorry, priya starts on the 19th", "", "12th"),
    ("my wifes birthday is 3 may", "wait no, 5 may. dont tell her", "5 may", "3 may"),
    (
        "I work at Siemens as a controller.",
        "That was wrong, I work at Bosch. Siemens was before",
        "i work at bosch",
        "siemens",
    ),
    ("my dentist is dr. meyer on friday at 3", "actually the dentist is on thursday", "thursday", "friday"),
    ("we have two kids", "three i mean, forgot about the baby lol", "three", "two"),
    ("I'm vegetarian", "wait no I'm vegan", "is vegan", "vegetarian"),
    ("My name is Jon.", "sorry typo, John", "John", "jon."),
    (
        "my brother lives in Turin and my sister in Milan",
        "no, my brother lives in Milan and my sister in Turin",
        "Milan",
        "in turin and",
    ),
    ("I take 20mg of citalopram every day", "40mg, sorry", "40mg", "20mg"),
    ("my rent is £900", "£950 actually", "£950", "£900"),
    ("I start at Google on the 3rd of May", "oh no wait it's Amazon, not Google", "Amazon", "3rd"),
    ("On Tuesdays I play bridge with Audrey.", "Oh, I mean Wednesdays. They changed it.", "Wednesdays", "tuesdays"),
    ("meine tochter heißt lena", "quatsch, lina", "lina", "lena"),
    ("ich arbeite bei Siemens", "Moment, das stimmt nicht, ich arbeite jetzt bei Bosch", "Bosch", "siemens"),
    ("am dienstag hab ich einen termin beim zahnarzt um 9", "ach nee, am mittwoch", "mittwoch", "dienstag"),
    ("vivo en Málaga", "perdón, quiero decir Marbella", "Marbella", "málaga"),
    ("Mi número de teléfono es el 600 123 456.", "Uy, me equivoqué: es el 600 123 465.", "600 123 465", "456"),
    ("I do my weekly shop at Tesco.", "edit: Asda, not Tesco", "Asda", ""),
    ("mon anniversaire est le 3 mai", "non, le 5 mai, je me suis trompé", "5 mai", "3 mai"),
]

TAKEN_BACK = [
    ("I live in a castle.", "just kidding lol"),
    ("I have a dog called Rex.", "jk"),
    ("I'm moving to Spain in May.", "scratch that"),
    ("Ich wohne auf einem Hausboot.", "nur spaß"),
    ("Vivo en un castillo.", "es broma"),
    ("J'habite dans un château.", "non je rigole"),
]

NOT_CORRECTED = [
    ("I live in Leeds.", "No hazelnuts please, I hate them", "lives in Leeds"),
    ("My boss is Karen.", "oh nice", "boss is Karen"),
    ("My cat is called Miso.", "no worries", "called Miso"),
    ("Dentist on tuesday at 2.", "actually, what is the capital of Peru?", "tuesday"),
    ("My girlfriend is Anna.", "no idea", "Anna"),
]


DENIED = [  # of one, and then the contrary of another: no half of one comes into the other
    ("Greta does not eat meat.", "Anna does not eat meat."),
    ("Greta was at the party on Tuesday.", "Anna was not at the party on Tuesday."),
    ("Greta has been to Rome.", "Anna has not been to Rome."),
    ("Greta can swim well.", "Anna can not swim well."),
    ("Greta isst Fleisch.", "Anna isst nicht Fleisch."),
    ("Greta come carne.", "Anna no come carne."),
    ("Greta no come carne.", "Anna no come carne."),
    ("Greta mange de la viande.", "Anna mange pas de viande."),
    ("Greta ne mange pas de viande.", "Anna ne mange pas de viande."),
]

IN_ONE_BREATH = [  # said, what the fact has or that there is none, what no fact has
    ("I shop at Tesco edit: Asda, not Tesco", "Asda", ""),
    ("I do my weekly shop at Tesco. edit: Asda, not Tesco", "Asda", ""),
    ("My rent is £900 EDIT: £950", "£950", "£900"),
    ("im 43... 44", "44", "43"),
    ("we have two kids... three", "three", "two"),
    ("my flight is at 6… 7", "7", "6"),
    ("I shop at Tesco. edit: Asda", "Asda", ""),
    ("I have a dog. correction: a cat", "a cat", "dog"),
]

ASIDES = [
    "I live in Leeds... anyway",
    "I live in Leeds. PS: I like tea",
    "I live in Leeds... 44 is my number",
    "I live in Leeds...",
]


def found_in(*texts: str) -> list[ExtractedFact]:
    return facts(said_turns("\nbot: Noted.\n".join(f"user: {text}" for text in texts)))


def learned(*texts: str) -> list[str]:
    return [fact.text for fact in found_in(*texts)]


@pytest.mark.parametrize(("said", "then", "right", "wrong"), CORRECTED, ids=lambda words: words[:30])
def test_after_a_correction_only_what_is_right_is_a_fact(said: str, then: str, right: str, wrong: str) -> None:
    found = [what_holds(fact).lower() for fact in found_in(said, then)]
    assert any(right.lower() in text for text in found) or not right, found
    assert not (wrong and any(wrong in text for text in found)), found


def test_a_corrected_fact_cites_what_was_said_and_what_put_it_right() -> None:
    [fact] = facts(said_turns("user: I live in Leeds.\nbot: Noted.\nuser: no wait, York"))
    assert (fact.text, fact.source_ids) == (
        'The user said: "I live in Leeds", and put it right: "no wait, York"',
        ("ep_1", "ep_3"),
    )
    assert FactTag.CORRECTION in fact.tags
    assert [(slot.attribute, slot.value) for slot in fact.slots] == [("home", "york")]


def test_what_takes_the_place_of_a_fact_cites_its_turn_too() -> None:
    [fact] = facts(said_turns("user: I'm vegetarian\nbot: Noted.\nuser: ignore that, I'm vegan"))
    assert (fact.text, fact.source_ids) == ("The user is vegan.", ("ep_1", "ep_3"))


@pytest.mark.parametrize(("said", "right", "wrong"), IN_ONE_BREATH)
def test_what_is_put_right_in_one_breath_is_right_or_no_fact(said: str, right: str, wrong: str) -> None:
    found = [what_holds(fact) for fact in found_in(said)]
    assert not (wrong and any(wrong in text.lower() for text in found)), found
    assert any(right in text for text in found)


@pytest.mark.parametrize("said", ASIDES)
def test_what_only_follows_dots_or_a_label_puts_nothing_right(said: str) -> None:
    assert "The user lives in Leeds." in learned(said)


@pytest.mark.parametrize(("said", "then"), TAKEN_BACK)
def test_what_is_taken_back_is_no_fact(said: str, then: str) -> None:
    assert learned(said)
    assert learned(said, then) == []


@pytest.mark.parametrize(("said", "then", "kept"), NOT_CORRECTED)
def test_what_puts_nothing_right_changes_nothing(said: str, then: str, kept: str) -> None:
    found = learned(said, then)
    assert kept in found[0]
    assert found[0] == learned(said)[0]


@pytest.mark.parametrize(("said", "then"), DENIED)
def test_what_is_denied_of_somebody_else_puts_nothing_right(said: str, then: str) -> None:
    assert set(learned(said, then)) <= {*learned(said), *learned(then)}


@pytest.mark.parametrize(
    ("said", "then", "right", "wrong"),
    [
        ("El dentista es el martes.", "es jueves no martes", "jueves", ""),
        ("El dentista es el martes.", "el jueves, no el martes", "jueves", ""),
        ("Le dentiste est mardi.", "c'est jeudi pas mardi", "jeudi", ""),
        ("Mein Zahnarzttermin ist am Dienstag.", "es ist Donnerstag nicht Dienstag", "Donnerstag", ""),
        ("Mein Zahnarzttermin ist am Dienstag.", "Donnerstag, nicht Dienstag", "Donnerstag", ""),
    ],
)
def test_what_is_put_right_in_other_languages_is_right(said: str, then: str, right: str, wrong: str) -> None:
    test_after_a_correction_only_what_is_right_is_a_fact(said, then, right, wrong)
