"""What an answer states: the assistant's question gives the slot, the user's words the value."""

from __future__ import annotations

import pytest

from services.consolidator.domain.rules import facts
from tests.support.annotated_talks import said_turns

ANSWERS = [
    ("Where do you live?", "York.", "The user lives in York."),
    ("Lovely! Where do you live?", "in York, since May", "The user lives in York, since May."),
    ("Do you have any allergies?", "yes, peanuts", "The user is allergic to peanuts."),
    ("Any food allergies?", "kiwi and nuts 🙄", "The user is allergic to kiwi and nuts."),
    ("Do you have any allergies?", "nope", "The user has no allergies."),
    ("What's your cat's name?", "Pudding 😻", "The user's cat is called Pudding."),
    ("What is your dog called?", "rex", "The user's dog is called rex."),
    ("What do you do for a living?", "im a nurse", "The user is a nurse."),
    ("How old are you?", "34", "The user is 34 years old."),
    ("Are you married?", "yes", "The user is married."),
    ("Are you vegetarian?", "no", "The user is not vegetarian."),
    ("Do you smoke?", "nah not anymore", "The user does not smoke, not anymore."),
    ("Do you live alone?", "nope with my sister", "The user lives with the user's sister."),
    ("What should I call you?", "Leo", "The user's name is Leo."),
    ("When is your birthday?", "3 May", "The user's birthday is 3 May."),
    ("Who is your dentist?", "Dr. Ono", "The user's dentist is Dr. Ono."),
    ("Do you take any medication?", "just ibuprofen", "The user takes ibuprofen."),
    ("Wo wohnst du?", "in Kiel", "Der Nutzer sagte: „Ich wohne in Kiel“."),
    ("Hast du Allergien?", "ja, gegen Nüsse", "Der Nutzer sagte: „Ich bin allergisch gegen Nüsse“."),
    ("¿Dónde vives?", "en Sevilla", "El usuario dijo: «Vivo en Sevilla»."),
    ("Tu habites où ?", "à Lille", "L'utilisateur a dit : « J'habite à Lille »."),
]

NO_ANSWERS = [
    ("Where do you live?", "none of your business"),
    ("Where do you live?", "why?"),
    ("Where do you live?", "not sure yet"),
    ("Do you have any allergies?", "yes"),
    ("Are you sure?", "yes"),
    ("Do you like it?", "yes!"),
    ("Shall I book it?", "yes please"),
    ("What would you like to eat?", "pizza"),
    ("How are you?", "great"),
    ("What's your question?", "never mind"),
    ("Wo wohnst du?", "sag ich nicht"),
]


def learned(question: str, answer: str) -> list[str]:
    return [fact.text for fact in facts(said_turns(f"user: hi\nbot: {question}\nuser: {answer}"))]


@pytest.mark.parametrize(("question", "answer", "fact"), ANSWERS)
def test_an_answer_states_what_was_asked(question: str, answer: str, fact: str) -> None:
    assert learned(question, answer) == [fact]


@pytest.mark.parametrize(("question", "answer"), NO_ANSWERS)
def test_an_answer_that_tells_nothing_is_no_fact(question: str, answer: str) -> None:
    assert learned(question, answer) == []


def test_an_answer_cites_its_question() -> None:
    [fact] = facts(said_turns("user: hi\nbot: Where do you live?\nuser: York."))
    assert fact.source_ids == ("ep_2", "ep_3")
    assert [(slot.attribute, slot.value) for slot in fact.slots] == [("home", "york")]


def test_a_question_is_answered_by_the_next_turn_only() -> None:
    said = "user: hi\nbot: Where do you live?\nuser: what a question\nbot: Sorry.\nuser: York."
    assert facts(said_turns(said)) == []
