"""What an answer states: it is quoted with the question, and asserts nothing by itself."""

from __future__ import annotations

import pytest

from services.consolidator.domain.rules import facts
from tests.support.annotated_talks import said_turns

ANSWERS = [
    ("Where do you live?", "York"),
    ("Lovely! Where do you live?", "in York, since May"),
    ("Do you have any allergies?", "yes, peanuts"),
    ("Any food allergies?", "kiwi and nuts"),
    ("Do you have any allergies?", "nope"),
    ("What's your cat's name?", "Pudding"),
    ("What is your dog called?", "rex"),
    ("How old are you?", "34"),
    ("Are you married?", "yes"),
    ("Are you vegetarian?", "no"),
    ("Do you smoke?", "nah not anymore"),
    ("Do you live alone?", "nope with my sister"),
    ("What is your name?", "Leo"),
    ("When is your birthday?", "the third of May"),
    ("Who is your dentist?", "Dr. Ono"),
    ("Do you take any medication?", "just ibuprofen"),
]

ABROAD = [
    ("Wo wohnst du?", "in Kiel", "Auf die Frage „Wo wohnst du?“ sagte Der Nutzer: „in Kiel“"),
    ("Hast du Allergien?", "ja, gegen Nüsse", "Auf die Frage „Hast du Allergien?“ sagte Der Nutzer: „ja, gegen Nüsse“"),
    ("¿Dónde vives?", "en Sevilla", "A la pregunta «¿Dónde vives?», El usuario dijo: «en Sevilla»"),
    ("Tu habites où ?", "à Lille", "À la question « Tu habites où ? », L'utilisateur a répondu : « à Lille »"),
]

NO_ANSWERS = [
    ("Where do you live?", "none of your business"),
    ("Where do you live?", "why?"),
    ("Where do you live?", "not sure yet"),
    ("Are you sure?", "yes"),
    ("Do you like it?", "yes!"),
    ("Shall I book it?", "yes please"),
    ("How are you?", "great"),
    ("What's your question?", "never mind"),
    ("Wo wohnst du?", "sag ich nicht"),
]


def learned(question: str, answer: str) -> list[str]:
    return [fact.text for fact in facts(said_turns(f"user: hi\nbot: {question}\nuser: {answer}"))]


@pytest.mark.parametrize(("question", "answer"), ANSWERS)
def test_a_short_answer_is_quoted_with_its_question(question: str, answer: str) -> None:
    asked = question.removeprefix("Lovely! ")
    assert learned(question, answer) == [f'Asked "{asked}", The user said: "{answer}"']


@pytest.mark.parametrize(("question", "answer", "fact"), ABROAD)
def test_an_answer_is_quoted_in_its_language(question: str, answer: str, fact: str) -> None:
    assert learned(question, answer) == [fact]


def test_an_answer_in_a_whole_sentence_needs_no_question() -> None:
    assert learned("What do you do for a living?", "im a nurse") == ["The user is a nurse."]


@pytest.mark.parametrize(("question", "answer"), NO_ANSWERS)
def test_an_answer_that_tells_nothing_is_no_fact(question: str, answer: str) -> None:
    assert learned(question, answer) == []


def test_an_answer_cites_its_question() -> None:
    [fact] = facts(said_turns("user: hi\nbot: Where do you live?\nuser: York."))
    assert fact.source_ids == ("ep_2", "ep_3")
    assert fact.slots == ()


def test_a_question_is_answered_by_the_next_turn_only() -> None:
    said = "user: hi\nbot: Where do you live?\nuser: what a question\nbot: Sorry.\nuser: York."
    assert facts(said_turns(said)) == []
