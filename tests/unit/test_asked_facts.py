"""What states just what is asked stands first; a joke stands below facts."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.retriever.assembly import context
from services.retriever.domain.asked_attributes import asked_only
from services.retriever.search_request import SearchRequest
from services.retriever.store.memory_file import MemoryFile
from shared.contracts.event import EventData
from shared.contracts.ids import RecallId, SessionId
from shared.contracts.parts import FactSlot
from shared.contracts.queries import Outdated, ScoredMemory
from shared.language.statements.righting import is_joke
from tests.support.files import question
from tests.support.history import doubted, fact, history, said

KNOWN = {"home", "employer", "job", "partner", "boss", "rent", "dog"}


@pytest.mark.parametrize(
    ("asked", "about"),
    [
        ("Where do I live?", {"home"}),
        ("where do we work now", {"employer"}),
        ("What do I do for a living?", {"job"}),
        ("How much is my rent?", {"rent"}),
        ("Who is my wife?", {"partner"}),
        ("What is my boss called?", {"boss"}),
        ("Wo wohne ich?", {"home"}),
        ("Was bin ich von Beruf?", {"job"}),
        ("¿Dónde está mi trabajo?", {"employer", "job"}),
        ("Où est-ce que j'habite ?", {"home"}),
        ("Where does Anna live?", set()),
        ("Where does she live?", set()),
        ("Where does my sister live?", set()),
        ("Where did I live?", set()),
        ("Do I live near the station?", set()),
        ("Can you proofread my dog story?", set()),
    ],
)
def test_a_question_asks_about_an_attribute_of_ones_own_and_nothing_else(asked: str, about: set[str]) -> None:
    assert asked_only(asked, KNOWN) == about


def _slot(attribute: str, value: str, *, is_doubtful: bool = False, negated: bool = False) -> FactSlot:
    return FactSlot(subject="user", attribute=attribute, value=value, is_doubtful=is_doubtful, negated=negated)


def _known(memory_id: str, text: str, slot: FactSlot) -> EventData:
    return fact(memory_id, text, slots=(slot,), session_id=SessionId("s9"))


LIBRARIAN = _known("fact_1", "The user is a librarian at Clifton Library, a job for a patient man.", _slot("job", "librarian"))
TALK = (
    "A job is a job, and my job is my job.",
    "What a job, and what a living room!",
)


def _answer(folder: Path, request: SearchRequest, *events: EventData) -> list[ScoredMemory]:
    file = MemoryFile(folder / "anna.db")
    talk = [said(f"ep_{number}", text, session_id=SessionId("s1")) for number, text in enumerate(TALK, start=1)]
    file.apply(history([*talk, *events]))
    with file.connect() as db:
        found = context(file.searched(db), request, recall_id=RecallId("rec_1"), position=1, budget_tokens=None).items
    file.close()
    return list(found)


def test_what_states_just_what_is_asked_stands_first_whatever_its_words(tmp_path: Path) -> None:
    assert _answer(tmp_path, question("What is my job?"), LIBRARIAN)[0].memory_id == "fact_1"


def test_where_more_is_asked_the_words_count(tmp_path: Path) -> None:
    assert _answer(tmp_path, question("What did I say of my living room and a job?"), LIBRARIAN)[0].memory_id == "ep_2"


def test_what_is_not_so_or_in_doubt_is_not_raised(tmp_path: Path) -> None:
    no_cook = _known("fact_2", "The user has no job as a cook any more.", _slot("job", "cook", negated=True))
    maybe = _known("fact_3", "The user might have a job as an archivist.", _slot("job", "archivist", is_doubtful=True))
    found = _answer(tmp_path, question("What is my job?"), LIBRARIAN, no_cook, maybe)
    assert found[0].memory_id == "fact_1"
    assert found[1].memory_id not in {"fact_2", "fact_3"}


def test_of_two_in_doubt_the_newer_still_stands_first(tmp_path: Path) -> None:
    archivist = _known("fact_2", "The user's job is archivist, they think.", _slot("job", "archivist", is_doubtful=True))
    found = _answer(tmp_path, question("What is my job?"), LIBRARIAN, archivist, doubted("fact_1", "fact_2"))
    facts = [each.memory_id for each in found if each.kind == "fact"]
    assert facts == ["fact_2", "fact_1"]


@pytest.mark.parametrize(("ending", "is_below"), [("so happy", False), ("just kidding", True)])
def test_a_joke_stands_below_and_is_marked(tmp_path: Path, ending: str, *, is_below: bool) -> None:
    yacht = said("ep_9", f"We live on a yacht now, we live on it, {ending}", session_id=SessionId("s2"))
    flat = said("ep_8", "We live in a flat now, on the third floor, above a baker", session_id=SessionId("s3"))
    found = _answer(tmp_path, question("Where do we live now?"), yacht, flat)
    by_id = {each.memory_id: place for place, each in enumerate(found)}
    assert (by_id["ep_8"] < by_id["ep_9"]) is is_below
    assert (found[by_id["ep_9"]].outdated is Outdated.WHOLLY) is is_below


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i basically live at the gym jk", True),
        ("ich wohne jetzt im Büro, nur Spaß", True),
        ("vivo en la oficina, es broma", True),
        ("je vis au bureau maintenant, je rigole", True),
        ("I moved to York. I live at the gym, just kidding", False),
        ("I moved to York, not kidding", False),
        ("just kidding lol", False),
        ("I work with kids and love joking", False),
    ],
)
def test_a_joke_is_a_statement_that_ends_by_saying_so(text: str, *, expected: bool) -> None:
    assert is_joke(text) is expected
