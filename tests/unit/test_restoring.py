"""What is brought back holds again, all of it; where something live contradicts it, the person is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from services.ingest.domain.claims import unpacked
from services.ingest.domain.memories import Status
from services.retriever.store.memory_detail import detail
from services.retriever.store.memory_file import MemoryFile
from shared.contracts.events import NewFact
from shared.contracts.ids import MemoryId
from shared.contracts.queries import MemoryDetail, Outdated
from tests.support.commands import answer, correct, pin, remember, restore, undo
from tests.support.paper import PaperLog

LEEDS, YORK, BOTH = "I live in Leeds", "I live in York", "I live in Leeds and I work at Bosch"


def told(*texts: str) -> tuple[PaperLog, list[MemoryId]]:
    log = PaperLog()
    made = [event.data for text in texts for event in log.tell(remember(text))]
    return log, [data.memory_id for data in made if isinstance(data, NewFact)]


def shown(log: PaperLog, memory_id: MemoryId, folder: Path) -> MemoryDetail:
    file = MemoryFile(folder / "anna.db")
    file.apply(log.records)
    with file.connect() as db:
        found = detail(db, memory_id)
    file.close()
    return found


def test_a_fact_that_is_outdated_in_part_holds_wholly_again_and_the_newer_one_is_in_question(tmp_path: Path) -> None:
    log, (both, york) = told(BOTH, YORK)
    assert shown(log, both, tmp_path).outdated is Outdated.PARTLY
    events = log.tell(restore(both))
    assert [event.type for event in events] == ["outdating_undone", "conflict_detected"]
    assert not unpacked(log.state.facts[both].claims).ended
    found = shown(log, both, tmp_path)
    assert (found.outdated, len(found.conflict_ids)) == (None, 1)
    assert log.tell(restore(both)) == []
    [asked] = log.state.conflicts.values()
    assert (asked.older, asked.newer, asked.reason) == (both, york, "restored")


def test_a_superseded_fact_that_is_brought_back_raises_the_question_which_holds() -> None:
    log, (leeds, york) = told(LEEDS, YORK)
    assert [event.type for event in log.tell(restore(leeds))] == ["memory_restored", "conflict_detected"]
    [asked] = log.state.conflicts
    log.tell(answer(asked, "older"))
    assert (log.state.memories[leeds].status, log.state.memories[york].status) == (Status.LIVE, Status.SUPERSEDED)


def test_the_question_is_about_what_stands_in_its_place_by_now() -> None:
    log, (leeds, _, hull) = told(LEEDS, YORK, "I live in Hull")
    log.tell(restore(leeds))
    [asked] = log.state.conflicts.values()
    assert asked.newer == hull


def test_what_an_answer_had_ended_is_asked_about_again_when_it_is_brought_back() -> None:
    log, (met, _) = told("I met Kelly in May", "I have never met Kelly")
    [asked] = log.state.conflicts
    log.tell(answer(asked, "newer"))
    log.tell(restore(met))
    assert log.state.conflicts[asked].is_pending


def test_a_fact_that_was_taken_back_and_is_restored_is_compared_with_what_was_told_since() -> None:
    log, (leeds,) = told(LEEDS)
    log.tell(undo(memory_id=leeds))
    log.tell(remember(YORK))
    assert [event.type for event in log.tell(restore(leeds))] == ["memory_restored", "conflict_detected"]


@pytest.mark.parametrize("between", ["corrected", "nothing"])
def test_what_nothing_contradicts_comes_back_without_a_question(between: str) -> None:
    log, (tea, _) = told("Anna likes tea", "My cat is called Miso")
    if between == "corrected":
        log.tell(correct(tea, "Anna likes coffee"))
    else:
        log.tell(undo(memory_id=tea))
    assert [event.type for event in log.tell(restore(tea))] == ["memory_restored"]
    assert log.tell(restore(tea)) == []
    assert log.tell(pin(tea)) != []


def test_a_fact_that_was_outdated_in_part_before_it_was_superseded_holds_wholly_once_it_is_restored(tmp_path: Path) -> None:
    log, (both, *_) = told(BOTH, YORK, "I work at Siemens")
    assert log.state.memories[both].status is Status.SUPERSEDED
    log.tell(restore(both))
    assert shown(log, both, tmp_path).outdated is None
