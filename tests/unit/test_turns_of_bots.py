"""What a bot says of its person is no evidence where the question asks the person's own: it guesses and suggests."""

from pathlib import Path

import pytest

from shared.contracts.commands import AgentResponse
from shared.contracts.ids import MessageId, SessionId
from shared.language.questions.asking_the_bot import asks_the_bot
from tests.support.files import Shelved, shelved

GUESS, TOLD = "The boiler: could be the pump.", "The boiler man came, he put a new fan in"
SUGGESTED = "For the boiler I recommend Ann Holt."


def _replied(file: Shelved, text: str, *, speaker: str | None = None) -> None:
    said = AgentResponse(session_id=SessionId("s1"), text=text, speaker=speaker, message_id=MessageId(f"a{text}"))
    file.tell(said)


@pytest.fixture
def file(tmp_path: Path) -> Shelved:
    return shelved(tmp_path / "anna.db")


def test_a_guess_of_a_bot_stands_below_what_the_person_said(file: Shelved) -> None:
    _replied(file, GUESS)
    file.say(TOLD)
    assert file.texts("what was wrong with the boiler") == [TOLD, GUESS]


def test_what_it_loses_is_told_by_its_parts(file: Shelved) -> None:
    _replied(file, GUESS)
    [found] = file.match("what was wrong with the boiler").places
    [asked] = file.match("what did you say was wrong with the boiler").places
    assert found.parts.another < 0 == asked.parts.another


def test_where_the_question_asks_what_the_bot_said_it_is_first(file: Shelved) -> None:
    file.say("The boiler is old, who can I ask about the boiler?")
    _replied(file, SUGGESTED)
    assert file.texts("Who did you recommend for the boiler?")[0] == SUGGESTED


def test_who_has_a_name_is_no_bot(file: Shelved) -> None:
    _replied(file, GUESS, speaker="Petter")
    [found] = file.match("what was wrong with the boiler").places
    assert found.parts.another == 0


@pytest.mark.parametrize(
    "question",
    [
        "what did you suggest for the 60th?",
        "which of your ideas did I like",
        "what was that book recommendation again",
        "Was hast du mir für den Garten empfohlen?",
        "Welche Tipps waren das?",
        "Qu'est-ce que tu m'as conseillé ?",
        "¿Qué me recomendaste?",
        "你上次推荐了什么？",
    ],
)
def test_questions_about_what_the_bot_said(question: str) -> None:
    assert asks_the_bot(question)


@pytest.mark.parametrize(
    "question",
    [
        "what happened to my wrist?",
        "can you tell me when I can ride again",
        "do you remember who my landlord is?",
        "do u know what rent we pay",
        "Weißt du noch, wo ich arbeite?",
        "Wann fliegen wir nach Danzig?",
        "Tu te souviens où j'habite ?",
        "¿Recuerdas dónde vivo?",
        "你还记得我住在哪里吗？",
    ],
)
def test_questions_that_only_the_person_answers(question: str) -> None:
    assert not asks_the_bot(question)
