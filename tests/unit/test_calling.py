"""Whom a question means by a name under which nobody speaks."""

from pathlib import Path

import pytest

from services.retriever.store.calling import as_called
from shared.language.questions.calling import AddressingTurn, addressed, misspelt, put_with, strange_names
from tests.support.files import Shelved, shelved

SPEAKERS = ("Runa Sato", "Marta")


@pytest.fixture
def chat(tmp_path: Path) -> Shelved:
    """Runa is called Polly."""
    file = shelved(tmp_path / "runa.db")
    turns = [
        ("Marta", "Hi Polly! How was curling?"),
        ("Runa Sato", "Lovely, I fell only twice."),
        ("Marta", "You are brave, Polly!"),
        ("Runa Sato", "We stayed in Salem, Oregon. Hi to Tom!"),
        ("Marta", "I was in Portland, Oregon!"),
        ("Runa Sato", "Eugene, Oregon. That is where I grew up."),
    ]
    for speaker, text in turns:
        file.say(text, speaker=speaker)
    return file


def called(file: Shelved, question: str) -> str:
    with file.connected() as db:
        return as_called(file.searched(db), question, SPEAKERS)


@pytest.mark.parametrize(
    ("question", "put"),
    [
        ("What are Polly's hobbies?", "What are Runa's hobbies?"),
        ("where does polly curl?", "where does Runa curl?"),
        ("Have Polly and Marta met?", "Have Runa and Marta met?"),
        ("When did Martha curl?", "When did Marta curl?"),
    ],
)
def test_a_question_is_put_with_the_name_of_who_speaks(chat: Shelved, question: str, put: str) -> None:
    assert called(chat, question) == put


@pytest.mark.parametrize(
    "question",
    [
        "Where in Oregon did Runa grow up?",  # a place behind a comma
        "What about Tom?",  # greeted once, and by whoever may be meant
        "What did Marta say?",
        "",
    ],
)
def test_other_names_stay(chat: Shelved, question: str) -> None:
    assert called(chat, question) == question


def test_a_name_that_the_memories_know_is_not_misspelt(chat: Shelved) -> None:
    assert called(chat, "Where does Martha live?") == "Where does Marta live?"
    chat.say("My sister Martha lives in Rome.", speaker="Runa Sato")
    assert called(chat, "Where does Martha live?") == "Where does Martha live?"


def test_of_two_who_may_be_meant_none_is() -> None:
    assert misspelt("mariam", ["Maria", "Marian"]) is None
    turns = [AddressingTurn("Hi Polly!", "Ann", ("Bea", "Cleo")), AddressingTurn("Thanks, Polly", "Ann", ("Cleo", "Bea"))]
    assert addressed("polly", turns) is None


@pytest.mark.parametrize(("name", "speaker"), [("mohammed", "Muhamed"), ("jhon", "John"), ("melany", "Melanie")])
def test_a_name_that_is_written_a_little_otherwise_is_known(name: str, speaker: str) -> None:
    assert misspelt(name, [speaker, "Zoe"]) == speaker


@pytest.mark.parametrize(("name", "speaker"), [("kevin", "Devin"), ("marathon", "Martha"), ("tom", "Tim"), ("jean", "Jon")])
def test_another_word_is_not(name: str, speaker: str) -> None:
    assert misspelt(name, [speaker]) is None


def test_words_without_a_capital_may_be_names_where_nothing_else_is() -> None:
    assert strange_names("what does polly like", SPEAKERS) == ["polly", "like"]
    assert strange_names("what does runa like", SPEAKERS) == []
    assert strange_names("What does Polly like?", SPEAKERS) == ["polly"]
    assert len(strange_names(" ".join(f"x Name{number}" for number in range(99)), SPEAKERS)) == 4


def test_only_whole_words_are_exchanged() -> None:
    assert put_with("Polly's skates, POLLY?", {"polly": "Runa Sato"}) == "Runa's skates, Runa?"
