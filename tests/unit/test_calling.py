"""Whom a question means by a name under which nobody speaks."""

from pathlib import Path

import pytest

from services.retriever.domain.calling import AddressingTurn, addressed, misspelt, put_with, strange_names
from services.retriever.store.calling import as_called
from tests.support.files import Shelved, shelved

SPEAKERS = ("Emi Sato", "Elise")


@pytest.fixture
def chat(tmp_path: Path) -> Shelved:
    """Emi is called Kate."""
    file = shelved(tmp_path / "emi.db")
    turns = [
        ("Elise", "Hi Kate! How was skiing?"),
        ("Emi Sato", "Lovely, I fell only twice."),
        ("Elise", "You are brave, Kate!"),
        ("Emi Sato", "We stayed in Galveston, Texas. Hi to Tom!"),
        ("Elise", "I was in Houston, Texas!"),
        ("Emi Sato", "Austin, Texas. That is where I grew up."),
    ]
    for speaker, text in turns:
        file.say(text, speaker=speaker)
    return file


def called(file: Shelved, question: str) -> str:
    with file.connected() as db:
        return as_called(db, question, SPEAKERS)


@pytest.mark.parametrize(
    ("question", "put"),
    [
        ("What are Kate's hobbies?", "What are Emi's hobbies?"),
        ("where does kate ski?", "where does Emi ski?"),
        ("Have Kate and Elise met?", "Have Emi and Elise met?"),
        ("When did Elisa ski?", "When did Elise ski?"),
    ],
)
def test_a_question_is_put_with_the_name_of_who_speaks(chat: Shelved, question: str, put: str) -> None:
    assert called(chat, question) == put


@pytest.mark.parametrize(
    "question",
    [
        "Where in Texas did Emi grow up?",  # a place behind a comma
        "What about Tom?",  # greeted once, and by whoever may be meant
        "What did Elise say?",
        "",
    ],
)
def test_other_names_stay(chat: Shelved, question: str) -> None:
    assert called(chat, question) == question


def test_a_name_that_the_memories_know_is_not_misspelt(chat: Shelved) -> None:
    assert called(chat, "Where does Elisa live?") == "Where does Elise live?"
    chat.say("My sister Elisa lives in Rome.", speaker="Emi Sato")
    assert called(chat, "Where does Elisa live?") == "Where does Elisa live?"


def test_of_two_who_may_be_meant_none_is() -> None:
    assert misspelt("mariam", ["Maria", "Marian"]) is None
    turns = [AddressingTurn("Hi Kate!", "Ann", ("Bea", "Cleo")), AddressingTurn("Thanks, Kate", "Ann", ("Cleo", "Bea"))]
    assert addressed("kate", turns) is None


@pytest.mark.parametrize(("name", "speaker"), [("muhammad", "Muhhamed"), ("jhon", "John"), ("melany", "Melanie")])
def test_a_name_that_is_written_a_little_otherwise_is_known(name: str, speaker: str) -> None:
    assert misspelt(name, [speaker, "Zoe"]) == speaker


@pytest.mark.parametrize(("name", "speaker"), [("kevin", "Devin"), ("marathon", "Martha"), ("tom", "Tim"), ("jean", "Jon")])
def test_another_word_is_not(name: str, speaker: str) -> None:
    assert misspelt(name, [speaker]) is None


def test_words_without_a_capital_may_be_names_where_nothing_else_is() -> None:
    assert strange_names("what does kate like", SPEAKERS) == ["kate", "like"]
    assert strange_names("what does emi like", SPEAKERS) == []
    assert strange_names("What does Kate like?", SPEAKERS) == ["kate"]
    assert len(strange_names(" ".join(f"x Name{number}" for number in range(99)), SPEAKERS)) == 4


def test_only_whole_words_are_exchanged() -> None:
    assert put_with("Kate's skates, KATE?", {"kate": "Emi Sato"}) == "Emi's skates, Emi?"
