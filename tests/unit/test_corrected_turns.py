"""Inside one conversation what puts right stands before what it puts right, whether anything was learned from it or not."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.retriever.assembly import context, search
from services.retriever.search_request import SearchRequest
from services.retriever.store.corrected_turns import corrected
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.search.put_right import _may_be_put_right
from shared.contracts.event import EventData
from shared.contracts.ids import MemoryId, RecallId, SessionId
from shared.contracts.parts import FactSlot, Role
from shared.contracts.queries import Outdated, ScoredMemory
from shared.language.statements.righting import Righting, may_put_right, righting
from shared.runtime.sqlite import rows
from tests.support.files import question
from tests.support.history import fact, forgotten, history, said

CORRECTED = [
    ("I'm allergic to cashews.", "Not cashews, walnuts.", "What am I allergic to?"),
    ("My sister's wedding is on the 4th of May.", "scratch that, it's the 14th of May", "When is my sister's wedding?"),
    ("Our meeting with Priya is at 3.", "sorry, I meant 4", "When is the meeting with Priya?"),
    ("I work at Philips.", "wait no, I work at Siemens since January", "Where do I work?"),
    ("My son is called Jonas.", "oops typo, his name is Jonah", "What is my son called?"),
    ("My dentist is Dr Moll.", "not Moll, Mohl, with an h", "Who is my dentist?"),
    ("We have two kids.", "I mean three, with the baby", "How many kids do we have?"),
    ("I live in a castle.", "just kidding lol", "Do I live in a castle?"),
    ("Mein Termin ist am Dienstag.", "Quatsch, ich meinte Mittwoch.", "Wann ist mein Termin?"),
    ("J'habite à Lyon.", "Non, pardon, à Grenoble.", "Où est-ce que j'habite à Lyon ?"),
    ("Tengo dos perros.", "Perdón, quise decir tres.", "¿Cuántos perros tengo?"),
]
NOT_CORRECTED = [
    ("I live in Leeds.", "No worries, thanks!"),
    ("I live in Leeds.", "Sorry, I was away for a moment."),
    ("I live in Leeds.", "Actually, what is the capital of Peru?"),
    ("Do I live in Leeds?", "no wait, York"),
    ("My cat is called Miso.", "Not today, I'm tired."),
    ("I have a dog.", "no cats though"),
    ("about 2100 after tax. im a bus driver", "No bus, so I was late."),
    ("im a bus driver", "not bus, train it was today"),
    ("My mother is a night nurse.", "No night, but day shifts are on the board."),
]


def talk(*turns: str, before: tuple[EventData, ...] = ()) -> list[EventData]:
    """One session of the user and a bot that says little."""
    told: list[EventData] = [*before]
    for number, text in enumerate(turns, start=1):
        told += [
            said(f"ep_{number}", text, session_id=SessionId("s1")),
            said(f"ep_bot{number}", "Noted.", session_id=SessionId("s1"), role=Role.ASSISTANT),
        ]
    return told


def asked(folder: Path, events: list[EventData], request: SearchRequest) -> list[ScoredMemory]:
    file = MemoryFile(folder / "anna.db")
    file.apply(history(events))
    with file.connect() as db:
        found = context(file.searched(db), request, recall_id=RecallId("rec_1"), position=1, budget_tokens=None).items
        assert search(file.searched(db), request, position=1).items[0].memory_id == found[0].memory_id
    file.close()
    return list(found)


@pytest.mark.parametrize(("wrong", "right", "query"), CORRECTED, ids=[right for _, right, _ in CORRECTED])
def test_before_anything_is_learned_the_turn_that_corrects_stands_first(
    tmp_path: Path, wrong: str, right: str, query: str
) -> None:
    found = asked(tmp_path, talk("Hello there", wrong, right, "What a day."), question(query))
    assert found[0].text == right
    old = next(item for item in found if item.text == wrong)
    assert old.outdated
    assert old.outdated_by == (found[0].memory_id,)


def test_the_arrays_tell_the_same_as_the_words_of_all_turns(tmp_path: Path) -> None:
    turns = [text for wrong, right, _ in CORRECTED for text in ("What a day.", wrong, right)]
    turns += [text for each in NOT_CORRECTED for text in each]
    turns += ["I live at the gym now lol, just kidding", "no wait, York", "no wait, Leeds"]
    others = [said("ep_x", "no wait, York", session_id=SessionId("s2")), said("ep_y", "no wait, York", speaker="Ben")]
    file = MemoryFile(tmp_path / "anna.db")
    file.apply(history(talk(*turns, before=tuple(others))))
    with file.connect() as db:
        every = [number for (number,) in rows(db, "SELECT number FROM memories")]
        searched = file.searched(db)
        may_be = {turn for turn, *_ in _may_be_put_right(searched.columns, searched.columns.rows_of(every))}
        found = corrected(db, every)
        assert searched.rightings.corrected(every[::2]) == {turn: found[turn] for turn in every[::2] if turn in found}
        assert searched.rightings.corrected(every) == found
    assert may_be < set(every)
    assert sum(ending.is_whole for ending in found.values()) >= 1
    assert len(found) >= len(CORRECTED)
    file.close()


def marked(file: MemoryFile) -> list[int]:
    """Return the turns that another turn puts right, as a search finds them and as their words tell."""
    with file.connect() as db:
        every = [number for (number,) in rows(db, "SELECT number FROM memories")]
        found = file.searched(db).rightings.corrected(every)
        assert found == corrected(db, every)
    return sorted(found)


def test_what_is_forgotten_puts_nothing_right_and_is_between_nothing(tmp_path: Path) -> None:
    file = MemoryFile(tmp_path / "anna.db")
    turns = ("I live in Leeds.", "What a day.", "Nice.", "no wait, York")
    events = history([said(f"ep_{place}", text, session_id=SessionId("s1")) for place, text in enumerate(turns)])
    file.apply(events[:3])
    assert marked(file) == []
    file.apply(events[3:])  # the third turn after it
    assert marked(file) == []
    file.apply(history([forgotten("ep_1")], first=file.number + 1))
    assert marked(file) == [events[0].event.number]
    file.apply(history([forgotten("ep_3")], first=file.number + 1))
    assert marked(file) == []
    file.close()


@pytest.mark.parametrize(("earlier", "later"), NOT_CORRECTED, ids=[later for _, later in NOT_CORRECTED])
def test_what_corrects_nothing_marks_nothing(earlier: str, later: str) -> None:
    assert not (may_put_right(later) and righting(earlier, later))


def test_a_turn_of_another_session_corrects_nothing(tmp_path: Path) -> None:
    other = said("ep_9", "Not cashews, walnuts.", session_id=SessionId("s2"))
    found = asked(tmp_path, [*talk("I'm allergic to cashews."), other], question("What am I allergic to?"))
    assert (found[0].memory_id, found[0].outdated) == ("ep_1", None)


def test_once_it_is_learned_the_fact_of_both_turns_stands_first(tmp_path: Path) -> None:
    slot = FactSlot(subject="user", attribute="employer", value="siemens")
    learned = fact("fact_1", "The user works at Siemens.", source_ids=("ep_1", "ep_2"), slots=(slot,))
    events = [*talk("I work at Philips.", "wait no, I work at Siemens since January"), learned]
    found = asked(tmp_path, events, question("Do I work at Philips?"))
    assert found[0].memory_id == "fact_1"
    old = next(item for item in found if item.memory_id == "ep_1")
    assert (old.outdated, old.outdated_by) == (Outdated.WHOLLY, ("fact_1",))


def test_turns_alone_can_be_asked_for_all_the_same(tmp_path: Path) -> None:
    learned = fact("fact_1", "The user works at Siemens.", source_ids=("ep_1", "ep_2"))
    events = [*talk("I work at Philips.", "wait no, I work at Siemens since January"), learned]
    found = asked(tmp_path, events, question("Do I work at Philips?", kinds=("episode",)))
    assert found[0].memory_id == "ep_2"


def test_of_a_turn_that_says_more_only_a_part_is_put_right(tmp_path: Path) -> None:
    assert righting("My dentist is Dr Meyer and I live in Leeds.", "no wait, York") is Righting.PARTLY
    found = asked(
        tmp_path, talk("My dentist is Dr Meyer and I live in Leeds.", "no wait, York"), question("Who is my dentist?")
    )
    assert next(item for item in found if item.memory_id == MemoryId("ep_1")).outdated is Outdated.PARTLY
