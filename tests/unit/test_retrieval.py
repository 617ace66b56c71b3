"""Which memories are candidates: by their words beside the embedding, and in a file in which everything holds a word."""

from pathlib import Path

import numpy as np
import pytest

from services.retriever.store.search import word_search
from services.retriever.store.search.wanted_rows import best_rows
from services.retriever.store.search.word_search import WordSearch
from tests.support.commands import extracted, page
from tests.support.files import Shelved, question, shelved

TOLD = {
    "I practise the cello": (1, 0, 0),
    "I practise in the room of the cello": (0.8, 0.6, 0),
    "I practise by the harbour": (0, 1, 0),
    "I practise after tea": (0, 0.6, 0.8),
    "I practise before work": (0, 0, 1),
}


@pytest.fixture
def file(tmp_path: Path) -> Shelved:
    file = shelved(tmp_path / "anna.db")
    for text, vector in TOLD.items():
        file.embed(file.know(text), vector)
    return file


def test_a_leg_that_fails_is_named_and_the_others_answer(file: Shelved, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(WordSearch, "scores", None)
    found = file.match(question("Where do you practise the cello?", vector=(1, 0, 0)))
    assert set(found.failed) == {"lexical"}
    assert len(found.places) == len(TOLD)


def test_what_everything_holds_does_not_select_where_there_is_much(file: Shelved, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = question("practise the cello")
    assert len(file.texts(asked)) == len(TOLD)
    monkeypatch.setattr(word_search, "_MOST_MATCHES", 3)
    assert sorted(file.texts(asked)) == ["I practise in the room of the cello", "I practise the cello"]
    assert len(file.texts(question("practise"))) == len(TOLD)  # there is no rarer word


def test_each_kind_has_its_best(file: Shelved) -> None:
    for text in ("the cello, again", "the cello, the cello, the cello"):
        file.say(text)
    with file.connected() as db:
        columns = file.searched(db).columns
    rows = np.arange(len(columns))
    assert best_rows(columns, rows, rows.astype(float), 1).tolist() == [len(TOLD) + 1, len(TOLD) - 1]


def test_what_the_extractor_calls_its_person_is_not_searched(tmp_path: Path) -> None:
    """Else a question about the users of an app finds every fact; and about what somebody asked, every wish."""
    file = shelved(tmp_path / "anna.db")
    texts = "The user is 82 kg.", "Anna's app has 900 users.", 'The user asks: "No lists, please"', "The user's boat leaks."
    file.say("hello there")
    file.tell(page(*(extracted(text) for text in texts), is_last=True))
    assert file.texts("how many users") == ["Anna's app has 900 users."]
    assert file.texts("who asks") == []
    assert file.texts("the boat") == ["The user's boat leaks."]
