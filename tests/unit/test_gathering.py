"""What many facts state in the respect that is asked about is one line, with the sources of all."""

from pathlib import Path

import pytest

from services.retriever.assembly import context
from services.retriever.explanation import Explained, explain
from services.retriever.store.memory_file import MemoryFile
from shared.contracts.event import EventData
from shared.contracts.ids import RecallId, SessionId
from shared.contracts.parts import FactSlot
from shared.contracts.queries import ContextAnswer, Fate
from tests.support.files import question
from tests.support.history import fact, history, said

FOODS = ("sushi", "ramen", "kimchi", "pizza", "mango sorbet", "chocolate")


def liked(number: int, food: str, *, subject: str = "user", text: str = "", slot: FactSlot | None = None) -> list[EventData]:
    """A turn that says what somebody likes, and the fact that was learned from it."""
    slot = slot or FactSlot(subject=subject, attribute="likes", value=food)
    session = SessionId(f"s{number}")
    words = text or f"The user likes {food}."
    return [
        said(f"ep_{number}", f"i love {food}", session_id=session),
        fact(f"fact_{number}", words, source_ids=(f"ep_{number}",), slots=(slot,), session_id=session),
    ]


def asked(folder: Path, events: list[EventData], text: str, *speakers: str) -> ContextAnswer:
    file = MemoryFile(folder / "anna.db")
    file.apply(history(events))
    request = question(text, most=100)._replace(speakers=frozenset(speakers))
    with file.connect() as db:
        return context(file.searched(db), request, recall_id=RecallId("rec_1"), position=1, budget_tokens=2_000)


ALL = [event for number, food in enumerate(FOODS) for event in liked(number, food)]


@pytest.mark.parametrize("text", ["What do I like?", "What foods do I love?"])
def test_the_values_of_all_facts_are_one_line_with_the_sources_of_all(tmp_path: Path, text: str) -> None:
    answer = asked(tmp_path, ALL, text)
    first = answer.items[0]
    assert set(first.source_ids) == {f"ep_{number}" for number in range(len(FOODS))}
    assert {first.memory_id, *first.gathers} == {f"fact_{number}" for number in range(len(FOODS))}
    [line] = [line for line in answer.markdown.splitlines() if "The user likes: " in line]
    assert all(food in line for food in FOODS)
    assert sum("sushi" in line for line in answer.markdown.splitlines()) == 1, "a turn and its fact are not said beside it"


def test_what_a_fact_says_beyond_its_value_keeps_a_line_of_its_own(tmp_path: Path) -> None:
    more = liked(9, "dumplings", text="The user likes dumplings, which grandmother Zofia folds every Christmas.")
    answer = asked(tmp_path, [*ALL, *more], "What do I like?")
    assert "dumplings" in (answer.items[0].excerpt or "")
    assert any("Zofia" in item.text and not item.gathers for item in answer.items[1:])


@pytest.mark.parametrize("text", ["What would my sister like?", "Where do I live?", "Does the cat like sushi?", "sushi"])
def test_who_asks_something_else_gets_the_facts_as_they_are(tmp_path: Path, text: str) -> None:
    assert not [item for item in asked(tmp_path, ALL, text).items if item.gathers]


def test_two_facts_are_two_lines(tmp_path: Path) -> None:
    assert not [item for item in asked(tmp_path, ALL[:4], "What do I like?").items if item.gathers]


def test_what_is_not_liked_or_not_certain_is_not_in_the_line(tmp_path: Path) -> None:
    not_liked = FactSlot(subject="user", attribute="likes", value="mushrooms", negated=True)
    perhaps = FactSlot(subject="user", attribute="likes", value="okra", is_doubtful=True)
    others = [*liked(7, "mushrooms", slot=not_liked), *liked(8, "okra", slot=perhaps)]
    line = asked(tmp_path, [*ALL, *others], "What do I like?").items[0].excerpt or ""
    assert "sushi" in line
    assert "mushrooms" not in line
    assert "okra" not in line


def test_of_somebody_else_only_what_is_theirs(tmp_path: Path) -> None:
    foods = enumerate(("figs", "plums", "dates"), 20)
    theirs = [event for n, food in foods for event in liked(n, food, subject="nora", text=f"Nora likes {food}.")]
    line = asked(tmp_path, [*ALL, *theirs], "What does Nora like?").items[0]
    assert line.excerpt is not None
    assert line.excerpt.startswith("Nora likes: ")
    assert "sushi" not in line.excerpt


def test_a_named_person_is_asked_about_by_their_name(tmp_path: Path) -> None:
    named = [event for n, food in enumerate(FOODS) for event in liked(n, food, text=f"Nebraas likes {food}.")]
    assert (asked(tmp_path, named, "Which foods does Nebraas like?", "Nebraas").items[0].excerpt or "").startswith(
        "Nebraas likes: "
    )
    (tmp_path / "2").mkdir()
    assert not [item for item in asked(tmp_path / "2", named, "Which foods does Kate like?", "Kate").items if item.gathers]


def test_an_explanation_says_on_which_line_a_gathered_fact_stands(tmp_path: Path) -> None:
    file = MemoryFile(tmp_path / "anna.db")
    file.apply(history(ALL))
    request = question("What do I like?", most=100)
    with file.connect() as db:
        told = explain(file.searched(db), Explained(request, None, most_candidates=99), position=1, at_number=file.number)
    facts = {each.memory.memory_id: each for each in told.candidates if each.memory.kind == "fact"}
    [best] = [each for each in facts.values() if each.fate is Fate.GIVEN]
    assert best.line == 1
    assert {each.said_by for each in facts.values() if each is not best} == {best.memory.memory_id}
