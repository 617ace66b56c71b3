"""Where nothing that is remembered has to do with the question, nothing is returned."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever import assembly
from services.retriever.domain.evidence import (
    FoundBeside,
    Holding,
    beyond_chance,
    evidence,
    least_evidence,
    rarity,
    signs,
    strangers,
)
from services.retriever.domain.weights import Weights
from services.retriever.search_request import SearchRequest
from services.retriever.store.legs import QueryVector
from shared.contracts.ids import RecallId
from shared.contracts.queries import ContextAnswer
from shared.language.questions.aims import AskingAim
from tests.support.files import MODEL, Shelved, question, shelved, unit

SHIPPED = Weights().abstain_below


@pytest.fixture
def file(tmp_path: Path) -> Shelved:
    file = shelved(tmp_path / "anna.db")
    for text, vector in {"Anna is allergic to hazelnuts": (1, 0, 0), "Anna lives by the harbour": (0, 1, 0)}.items():
        file.embed(file.know(text), vector)
    return file


def context(file: Shelved, asked: SearchRequest) -> ContextAnswer:
    with file.connected() as db:
        return assembly.context(file.searched(db), asked, recall_id=RecallId("rec_1"), position=1, budget_tokens=None)


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


def test_a_time_is_no_evidence_for_what_happened_then(file: Shelved) -> None:
    asked = "Which orchestra plays the symphony by Mahler at the philharmonic today?"
    assert context(file, question(asked, vector=(0, 0, 1))).abstained


def test_a_search_returns_what_it_finds(file: Shelved) -> None:
    with file.connected() as db:
        assert assembly.search(file.searched(db), question("the Matterhorn", vector=(0.05, 0.05, 1)), position=1).items


@given(
    st.dictionaries(st.text(max_size=3), st.tuples(st.integers(0, 90), st.frozensets(st.integers(0, 9)))),
    st.integers(1, 10**6),
    st.none() | st.floats(-1, 1),
)
def test_evidence_stays_between_0_and_1(
    found: dict[str, tuple[int, frozenset[int]]], memories: int, cosine: float | None
) -> None:
    held = {term: Holding(*of) for term, of in found.items()}
    assert 0 <= evidence(signs("?", held, names=(), found=FoundBeside(memories, cosine))) <= 1


HELD, UNHELD = Holding(2, frozenset({7})), Holding(0, frozenset())
ASKED = {'"nate"': UNHELD, '"paint"': HELD, '"harbour"': HELD}


def test_a_name_that_nobody_knows_speaks_against_an_answer() -> None:
    unknown = signs("What did Nate paint in the harbour?", ASKED, names=(), found=FoundBeside(100, 0.4))
    known = signs("What did Nate paint in the harbour?", ASKED | {'"nate"': HELD}, names=(), found=FoundBeside(100, 0.4))
    assert (unknown.strangers, known.strangers) == (1, 0)
    assert evidence(unknown) < evidence(known)


def test_a_speaker_is_no_stranger_whoever_else_mentions_them() -> None:
    assert signs("What did Nate paint?", ASKED, names=("Nate",), found=FoundBeside(100, 0.4)).strangers == 0


@pytest.mark.parametrize(
    "question",
    [
        "What did nate paint?",
        "Nate painted what?",
        "Was hat Nate im Hafen gemalt?",
        "What did I paint on Monday?",
        "What did I paint on 7 Jan 2024?",
        "Which European harbour did I paint?",
        'Who painted "Nate in the Harbour"?',
    ],
)
def test_only_what_is_surely_a_name_is_a_stranger(question: str) -> None:
    assert strangers(question, ASKED | dict.fromkeys(('"monday"', '"jan"', '"european"'), UNHELD)) == 0


@pytest.mark.parametrize("has_vectors", [True, False])
def test_what_anybody_could_ask_or_order_wants_more(*, has_vectors: bool) -> None:
    person, world, task = (
        least_evidence(aim, SHIPPED, is_of_speaker=False, has_vectors=has_vectors)
        for aim in (AskingAim.PERSON, AskingAim.WORLD, AskingAim.TASK)
    )
    assert person < world < task < 1
    assert least_evidence(AskingAim.WORLD, SHIPPED, is_of_speaker=True, has_vectors=has_vectors) < world


def test_a_question_that_only_sounds_like_the_worlds_is_answered_by_what_was_told() -> None:
    held = {'"time"': UNHELD, '"party"': UNHELD, '"aquarium"': HELD}
    told = signs("what time is the party at the aquarium", held, names=(), found=FoundBeside(130, 0.35))
    assert evidence(told) > least_evidence(AskingAim.WORLD, SHIPPED, is_of_speaker=False, has_vectors=True)


def test_words_that_are_rare_at_large_weigh_more() -> None:
    """Of a few memories each word is rare: what tells is whether it is rare elsewhere."""
    apprentice = signs("?", {'"apprentice"': HELD, '"new"': UNHELD}, names=(), found=FoundBeside(20, None))
    new = signs("?", {'"apprentice"': UNHELD, '"new"': HELD}, names=(), found=FoundBeside(20, None))
    assert apprentice.held > new.held
    assert apprentice.missing < new.missing


def test_the_best_of_many_says_less() -> None:
    assert beyond_chance(0.4, memories=10) > beyond_chance(0.4, memories=600) > beyond_chance(0.4, memories=100_000)


STRANGE = QueryVector(MODEL, unit((1, 0, 0)).tobytes(), trust=0.5, is_understood=False)


@pytest.mark.parametrize("aim", [AskingAim.REMARK, AskingAim.WORLD])
def test_a_model_that_does_not_know_the_language_is_no_evidence_for_what_concerns_nobody(file: Shelved, aim: AskingAim) -> None:
    asked = question("呀，下雪了")._replace(vector=STRANGE)
    assert context(file, asked._replace(aim=aim)).abstained
    assert not context(file, asked._replace(aim=AskingAim.PERSON)).abstained


def test_rarity_is_known_of_english_only() -> None:
    assert rarity('"的"') == rarity('"5"') < rarity('"喜 欢"') < rarity('"heiß"*') < rarity('"zumba"')
