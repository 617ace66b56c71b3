"""The retriever's questions which of two facts holds: made of the facts when they are asked for, gone with either of them."""

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import sentinel

import pytest

from services.retriever.store.conflicts import conflicts, pending_about
from services.retriever.store.memory_file import MemoryFile
from services.retriever.store.unchanged import Unchanged
from shared.contracts.event import EventData
from shared.contracts.ids import MemoryId
from shared.contracts.privacy import MemoryForgotten
from shared.contracts.queries import ConflictsQuery, PendingConflict
from tests.support.history import corrected, doubted, fact, history, restored, retired, said, settled, superseded

LEEDS, YORK, TEA = "fact_leeds", "fact_york", "fact_tea"
TOLD = [fact(LEEDS, "The user lives in Leeds."), fact(YORK, "I think I live in York."), fact(TEA), doubted(LEEDS, YORK)]


@pytest.fixture
def file(tmp_path: Path) -> Iterator[MemoryFile]:
    file = MemoryFile(tmp_path / "anna.db")
    yield file
    file.close()


def asked(file: MemoryFile, *told: EventData) -> tuple[PendingConflict, ...]:
    file.apply(history([*TOLD, *told]))
    with file.connect() as db:
        return conflicts(db, ConflictsQuery(), 1).conflicts


def test_a_question_names_both_facts_and_is_made_of_their_words(file: MemoryFile) -> None:
    [found] = asked(file)
    assert (found.older, found.newer, found.reason) == (LEEDS, YORK, "hedged")
    assert (found.older_text, found.newer_text) == ("The user lives in Leeds.", "I think I live in York.")
    assert "York" in found.question


def test_a_context_asks_only_about_what_it_holds(file: MemoryFile) -> None:
    asked(file)
    with file.connect() as db:
        assert [each.newer for each in pending_about(db, {LEEDS}, Unchanged())] == [YORK]
        assert [each.newer for each in pending_about(db, {YORK, TEA}, Unchanged())] == [YORK]
        assert pending_about(db, {TEA}, Unchanged()) == ()
        assert pending_about(db, set(), Unchanged()) == ()


def test_what_is_asked_is_read_once_until_something_is_said_of_a_fact(file: MemoryFile) -> None:
    asked(file)
    with file.connect() as db:
        found = pending_about(db, {LEEDS}, file.unchanged)
    assert len(found) == 1
    assert pending_about(sentinel.nothing_to_read, {YORK}, file.unchanged) == found
    file.apply(history([*TOLD, said("ep_1", "Hello")]))
    assert pending_about(sentinel.nothing_to_read, {YORK}, file.unchanged) == found, "a turn changes no fact"
    file.apply(history([*TOLD, said("ep_1", "Hello"), settled(LEEDS, YORK)]))
    with file.connect() as db:
        assert pending_about(db, {YORK}, file.unchanged) == ()


def test_a_context_reads_its_questions_without_a_transaction(file: MemoryFile) -> None:
    asked(file)
    with file.connect() as db:
        assert pending_about(db, {LEEDS}, Unchanged())
        assert not db.in_transaction()


ENDINGS: dict[str, list[EventData]] = {
    "answered": [settled(LEEDS, YORK)],
    "superseded": [superseded(LEEDS, TEA)],
    "corrected": list(corrected("fact_bath", YORK)),
    "retired": [retired(YORK)],
    "retired and restored": [retired(YORK), restored(YORK)],
    "forgotten": [
        MemoryForgotten(forget_id="f", by="memory", memory_ids=(MemoryId(LEEDS),), asked=1, numbers=(1,)),
    ],
}


@pytest.mark.parametrize("ending", ENDINGS.values(), ids=ENDINGS)
def test_nothing_is_asked_after_an_answer_or_an_ending(file: MemoryFile, ending: list[EventData]) -> None:
    assert asked(file, *ending) == ()


def test_the_latest_question_comes_first(file: MemoryFile) -> None:
    found = asked(file, doubted(TEA, YORK))
    assert [each.older for each in found] == [TEA, LEEDS]
