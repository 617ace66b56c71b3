"""Where nothing that is remembered has to do with the question, nothing is returned."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever import assembly
from services.retriever.domain.evidence import Holding, beyond_chance, coverage, evidence
from services.retriever.domain.weights import Weights
from services.retriever.retrieval import SearchRequest
from shared.contracts.ids import RecallId
from shared.contracts.queries import ContextAnswer
from tests.support.files import Shelved, question, shelved


@pytest.fixture
def file(tmp_path: Path) -> Shelved:
    file = shelved(tmp_path / "anna.db")
    for text, vector in {"Anna is allergic to hazelnuts": (1, 0, 0), "Anna lives by the harbour": (0, 1, 0)}.items():
        file.embed(file.know(text), vector)
    return file


def context(file: Shelved, asked: SearchRequest) -> ContextAnswer:
    with file.connected() as db:
        return assembly.context(db, asked, recall_id=RecallId("rec_1"), position=1, budget_tokens=None)


def test_a_foreign_question_gets_an_empty_context_that_says_so(file: Shelved) -> None:
    answer = context(file, question("How high is the Matterhorn?", vector=(0.05, 0.05, 1)))
    assert answer.abstained
    assert answer.items == ()
    assert "harbour" not in answer.markdown


def test_a_question_in_other_words_is_answered(file: Shelved) -> None:
    answer = context(file, question("Which nuts must I avoid?", vector=(0.6, 0, 0.8)))
    assert not answer.abstained
    assert answer.items[0].text == "Anna is allergic to hazelnuts"


def test_one_rare_word_is_enough(file: Shelved) -> None:
    assert not context(file, question("hazelnuts?", vector=(0, 0, 1))).abstained
    assert not context(file, question("hazelnuts?")).abstained


def test_zero_always_answers(file: Shelved) -> None:
    asked = question("How high is the Matterhorn?", vector=(0.05, 0.05, 1), weights=Weights(abstain_below=0))
    assert len(context(file, asked).items) == 2
    assert not context(file, asked).abstained


def test_what_is_of_the_time_asked_for_is_evidence(file: Shelved) -> None:
    assert not context(file, question("How was it today?", vector=(0, 0, 1))).abstained


def test_a_search_returns_what_it_finds(file: Shelved) -> None:
    with file.connected() as db:
        assert assembly.search(db, question("the Matterhorn", vector=(0.05, 0.05, 1)), position=1).items


@given(
    st.dictionaries(st.text(max_size=3), st.tuples(st.integers(0, 90), st.frozensets(st.integers(0, 9)))), st.integers(1, 10**6)
)
def test_evidence_stays_between_0_and_1(found: dict[str, tuple[int, frozenset[int]]], memories: int) -> None:
    covered = coverage({term: Holding(*held) for term, held in found.items()}, memories=memories)
    assert 0 <= covered <= 1
    assert 0 <= evidence(beyond_chance(1.0, memories=memories), covered) <= 1


def test_the_best_of_many_says_less() -> None:
    assert beyond_chance(0.4, memories=10) > beyond_chance(0.4, memories=600) > beyond_chance(0.4, memories=100_000)
