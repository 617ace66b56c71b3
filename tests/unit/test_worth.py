"""A context ends where relevance ends; the first few lines are given in any case."""

from pathlib import Path

import pytest

from services.retriever.assembly import context, distinct
from services.retriever.domain.candidate import Candidate, Parts, Placed
from services.retriever.domain.ranking import place
from services.retriever.domain.weights import Weights
from services.retriever.domain.worth import FEW, worth_showing
from services.retriever.explanation import Explained, explain
from services.retriever.retrieval import match
from shared.contracts.ids import RecallId
from shared.contracts.parts import Kind
from shared.contracts.preferences import RankingOptions
from shared.contracts.queries import ContextQuery, Fate, Preset
from tests.support.files import Shelved, question, shelved
from tests.support.scopes import at

HALF = Weights(cut_below=0.5)


def placed(number: int, parts: Parts) -> Placed:
    return place(Candidate(number, "episode", 0.0, 0.5), parts, HALF)


def test_what_has_less_than_the_share_of_the_best_relevance_is_cut() -> None:
    places = [placed(1, Parts(0.8)), placed(2, Parts(0.4)), placed(3, Parts(0.39))]
    assert worth_showing(places, HALF) == {1, 2}
    assert worth_showing(places, Weights(cut_below=0.0)) == {1, 2, 3}
    assert worth_showing([], HALF) == set()


def test_what_a_memory_gains_by_stating_what_is_asked_does_not_cut_others() -> None:
    assert worth_showing([placed(1, Parts(0.2, states=0.8)), placed(2, Parts(0.3))], HALF) == {1, 2}


@pytest.fixture
def file(tmp_path: Path) -> Shelved:
    """One turn about the key, in a talk of its own, and twenty that share a word with the question."""
    file = shelved(tmp_path / "anna.db")
    file.say("The spare key of the cabin hangs behind the green rain barrel.", session="key")
    for number in range(20):
        file.say(f"On day {number} we walked around the cabin.", session=f"s{number}", now=at(number + 1))
    return file


ASKED = "Where does the spare key of the cabin hang, behind the rain barrel?"


def test_the_few_best_are_given_and_the_rest_is_cut_and_said_to_be(file: Shelved) -> None:
    asked = question(ASKED, most=100)._replace(weights=Weights(cut_below=0.7))
    with file.connected() as db:
        answer = context(file.searched(db), asked, recall_id=RecallId("rec_1"), position=1, budget_tokens=None)
        told = explain(file.searched(db), Explained(asked, None, most_candidates=99), position=1, at_number=file.file.number)
    assert "rain barrel" in answer.items[0].text
    assert [item.line for item in answer.items] == list(range(1, FEW + 1))
    fates = [each.fate for each in told.candidates]
    assert (fates.count(Fate.GIVEN), fates.count(Fate.LESS_RELEVANT)) == (FEW, 21 - FEW)
    assert [each.line for each in told.candidates if each.line] == list(range(1, FEW + 1))
    assert told.options.cut_below == 0.7


def test_where_all_is_relevant_nothing_is_cut(file: Shelved) -> None:
    asked = question("Where did we walk around the cabin?", most=100)
    with file.connected() as db:
        searched = file.searched(db)
        assert len(distinct(searched, match(searched, asked), asked).kept) > FEW


def test_a_duplicate_names_what_says_it(file: Shelved) -> None:
    first = file.say("Anna is allergic to hazelnuts.", session="a", now=at(50))
    again = file.say("Anna is allergic to hazelnuts!", session="b", now=at(60))
    asked = question("What is Anna allergic to?", most=100)
    with file.connected() as db:
        told = explain(file.searched(db), Explained(asked, None, most_candidates=99), position=1, at_number=file.file.number)
    said_by = {each.memory.memory_id: each.said_by for each in told.candidates if each.said_by}
    assert said_by in ({first: again}, {again: first})


def test_the_specification_gives_five_facts_where_nothing_else_is_asked_for() -> None:
    specified = ContextQuery(query="x", preset=Preset.SPECIFICATION).in_full
    assert (specified.kinds, specified.limit) == ((Kind.FACT,), 5)
    turns = ContextQuery(query="x", preset=Preset.SPECIFICATION, kinds=(Kind.EPISODE,), limit=20)
    assert turns.in_full == turns
    fewer = ContextQuery(query="x", preset=Preset.SPECIFICATION, limit=3).in_full
    assert (fewer.kinds, fewer.limit) == ((Kind.FACT,), 3)
    assert ContextQuery(query="x").in_full == ContextQuery(query="x")


def test_a_person_may_set_the_cut() -> None:
    assert Weights().under(RankingOptions(cut_below=0.9)).cut_below == 0.9
