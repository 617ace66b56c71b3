"""What is asked where two facts contradict each other: of the person's own words, in their language."""

import pytest

from services.retriever.domain.questions import FactInDoubt, all_sayings, question
from shared.contracts.parts import FactSlot
from shared.language.statements.attributes import attribute, find_attribute
from shared.language.statements.reading import read_slots
from shared.language.tables import CODES


def stated(text: str) -> FactInDoubt:
    return FactInDoubt(text, tuple(read.slot for read in read_slots(text)))


ASKED = [
    (
        "The user's dentist appointment is on Tuesday.",
        "My dentist appointment is on Thursday now",
        "Is your dentist appointment now on Thursday?",
    ),
    ("The user lives in Leeds.", "I live in York", "Do you live in York now?"),
    ("Nadia lives in Bergen", "Nadia lives in Oslo now", "Is Nadia's home now Oslo?"),
    ("My sister lives in Rome", "My sister lives in Oslo", "Is your sister's home now Oslo?"),
    ("My sailing lesson is at 3 pm", "my sailing lesson is at 5 pm", "Is your sailing lesson now at 17:00?"),
    ("My interview is on 3 May", "my interview is on 4 May at 10:30", "Is your interview now on 4 May at 10:30?"),
    ("My rent is 800 euros", "my rent is 900 euros", "Is your rent now 900 eur?"),
    ("My favourite colour is red", "My favourite colour is green", "Is your favourite colour now green?"),
    ("Ich wohne in Bonn", "Ich wohne in Köln", "Wohnst du jetzt in Köln?"),
    ("Vivo en Madrid", "Vivo en Sevilla", "¿Vives ahora en Sevilla?"),
    ("J'habite à Lyon", "J'habite à Paris", "Tu habites maintenant à Paris ?"),
]


@pytest.mark.parametrize(("older", "newer", "asked"), ASKED, ids=[each[2] for each in ASKED])
def test_the_question_is_about_what_the_newer_fact_says(older: str, newer: str, asked: str) -> None:
    assert question(stated(older), stated(newer)) == asked


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I eat fish", "I no longer eat fish"),
        ("The user likes {tea}", "The user hates {tea}"),
        ("Ich wohne in Bonn", "Nadia wohnt in Köln"),
    ],
)
def test_where_nothing_can_be_asked_with_yes_or_no_both_facts_are_named(older: str, newer: str) -> None:
    asked = question(stated(older), stated(newer))
    assert older in asked
    assert newer in asked


def test_a_value_with_braces_is_no_placeholder() -> None:
    older, newer = (FactSlot(subject="user", attribute="home", value=value) for value in ("leeds", "{newer}"))
    assert question(FactInDoubt("a", (older,)), FactInDoubt("b", (newer,))) == "Do you live in {newer} now?"


@pytest.mark.parametrize("language", CODES)
def test_every_language_has_questions_about_attributes_that_facts_have(language: str) -> None:
    say = all_sayings()[language]
    assert "{older}" in say.either
    assert "{newer}" in say.either
    assert all(attribute(name).one for name in say.yours if find_attribute(name))
    assert all(("{value}" in asked) != ("{when}" in asked) for asked in say.yours.values())
