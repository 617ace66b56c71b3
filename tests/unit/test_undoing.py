"""What a run learned is taken back by one command, and so is the recording of one fact; what others built on stays."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from services.ingest.domain.claims import unpacked
from services.ingest.domain.memories import Fact, KnownMemory, Status
from services.ingest.projection import IngestProjection
from services.ingest.store import Store
from services.retriever.store.memory_detail import detail
from services.retriever.store.memory_file import MemoryFile
from shared.contracts.commands import ExtractedFact, SaveFacts
from shared.contracts.conflicts import ConflictAnswered
from shared.contracts.errors import UnknownMemory, UnknownRun
from shared.contracts.events import FactRemembered, MemoryRestored, MemoryRetired, SessionConsolidated
from shared.contracts.ids import MemoryId, Slot
from shared.contracts.parts import Origin
from shared.contracts.privacy import Forget
from shared.contracts.subjects import SLOTS
from shared.contracts.undoing import RepeatUndone, RunUndone, Undo
from shared.runtime.projector import Recorded
from tests.support.commands import answer, cap, confirm, correct, extracted, page, pin, redo, remember, restore, undo, user_says
from tests.support.paper import PaperLog
from tests.support.scopes import KEYS, SEND_ID


def learned(*facts: ExtractedFact, run: str = "run-1", number: int = 0, is_last: bool = True) -> SaveFacts:
    """A page of a run."""
    origin = Origin(extractor="rules/1", run_id=run)
    return page(*facts, number=number, is_last=is_last).model_copy(update={"origin": origin, "message_id": f"{run}/{number}"})


def talked() -> PaperLog:
    log = PaperLog()
    log.tell(user_says("Ben rows boats.", "s1", message_id="m1"))
    return log


def made(log: PaperLog, command: SaveFacts) -> list[MemoryId]:
    return [event.data.memory_id for event in log.tell(command) if isinstance(event.data, FactRemembered)]


def status(log: PaperLog, memory_id: MemoryId) -> Status:
    return log.state.memories[memory_id].status


def remembered(log: PaperLog, text: str, *, tags: tuple[str, ...] = ()) -> MemoryId:
    [event] = log.tell(remember(text, tags=tags))
    assert isinstance(event.data, FactRemembered)
    return event.data.memory_id


def known(log: PaperLog, memory_id: MemoryId) -> tuple[Fact, KnownMemory]:
    return log.state.facts[memory_id], log.state.memories[memory_id]


def test_the_facts_of_a_run_are_retired_on_all_its_pages_and_those_of_others_stay() -> None:
    log = talked()
    first = made(log, learned(extracted("Ben rows boats"), is_last=False))
    second = made(log, learned(extracted("Cleo sings"), number=1))
    other = made(log, learned(extracted("Dora climbs"), run="run-2"))
    events = [event.data for event in log.tell(undo("run-1"))]
    assert [data.memory_id for data in events if isinstance(data, MemoryRetired)] == [*second, *first]
    assert {data.reason for data in events if isinstance(data, MemoryRetired)} == {"undone"}
    assert status(log, other[0]) is Status.LIVE


def test_what_is_undone_once_is_undone_and_can_be_restored() -> None:
    log = talked()
    [memory_id] = made(log, learned(extracted("Ben rows boats")))
    assert log.tell(undo("run-1"))
    assert log.tell(undo("run-1")) == []
    log.tell(restore(memory_id))
    assert log.tell(undo("run-1")) == []
    assert status(log, memory_id) is Status.LIVE


def test_a_session_stays_consolidated() -> None:
    log = talked()
    assert any(isinstance(event.data, SessionConsolidated) for event in log.tell(learned(extracted("Ben rows boats"))))
    assert [type(event.data) for event in log.tell(undo("run-1"))] == [MemoryRetired, RunUndone]


def test_a_repeat_leaves_a_fact_as_if_it_had_never_been() -> None:
    log = talked()
    memory_id = remembered(log, "Ben rows boats", tags=("sport",))
    before = known(log, memory_id)
    log.tell(learned(extracted("Ben rows boats", tags=("water",), importance=0.9)))
    repeated, _ = known(log, memory_id)
    assert (repeated.repeat_count, repeated.importance > before[0].importance) == (1, True)
    undone, _ = [event.data for event in log.tell(undo("run-1"))]
    assert isinstance(undone, RepeatUndone)
    assert undone.removed_tags == ("water",)
    after, memory = known(log, memory_id)
    assert (after.repeat_count, after.importance, after.parts) == (0, before[0].importance, before[0].parts)
    assert (after.sources, memory.tags) == (before[0].sources, before[1].tags)
    assert log.tell(undo("run-1")) == []


def test_only_the_repeats_of_that_run_are_taken_back() -> None:
    log = talked()
    memory_id = remembered(log, "Ben rows boats")
    for run in ("run-1", "run-2"):
        log.tell(learned(extracted("Ben rows boats"), run=run))
    log.tell(undo("run-1"))
    fact = log.state.facts[memory_id]
    assert fact.repeat_count == 1
    assert fact.parts["repeats"] == 0.035


def test_a_fact_that_was_forgotten_is_not_brought_up_again() -> None:
    log = talked()
    [memory_id] = made(log, learned(extracted("Ben rows boats")))
    log.tell(Forget(memory_ids=(memory_id,), only=True))
    assert [type(event.data) for event in log.tell(undo("run-1"))] == [RunUndone]
    log.erase()
    assert log.tell(undo("run-1")) == []


@pytest.mark.parametrize("command", [confirm, pin])
def test_a_fact_that_its_person_wants_stays(command: object) -> None:
    log = talked()
    wanted, other = made(log, learned(extracted("Ben rows boats"), extracted("Cleo sings")))
    log.tell(command(wanted))  # type: ignore[operator]
    log.tell(undo("run-1"))
    assert (status(log, wanted), status(log, other)) == (Status.LIVE, Status.RETIRED)


def test_a_fact_that_was_told_elsewhere_since_stays() -> None:
    log = talked()
    [memory_id] = made(log, learned(extracted("Ben rows boats")))
    log.tell(learned(extracted("Ben rows boats"), run="run-2"))
    log.tell(undo("run-1"))
    assert status(log, memory_id) is Status.LIVE
    log.tell(undo("run-2"))
    assert status(log, memory_id) is Status.RETIRED


def test_what_a_run_drove_out_by_the_cap_comes_back() -> None:
    log = talked()
    log.tell(cap(1))
    [weak] = made(log, learned(extracted("Ben rows boats", importance=0.1), run="run-0"))
    log.tell(learned(extracted("Cleo sings", importance=0.9)))
    assert status(log, weak) is Status.RETIRED
    events = [event.data for event in log.tell(undo("run-1"))]
    assert [data.was for data in events if isinstance(data, MemoryRestored)] == ["trimmed"]
    assert status(log, weak) is Status.LIVE


def test_undoing_a_correction_restores_what_was_corrected() -> None:
    log = PaperLog()
    old = remembered(log, "Anna likes green tea")
    new = log.tell(correct(old, "Anna likes black coffee"))[0].data.subject
    assert new is not None
    log.tell(undo(memory_id=new))
    assert (status(log, old), status(log, new)) == (Status.LIVE, Status.RETIRED)
    assert log.state.facts[old].confidence == 1.0
    assert log.tell(undo(memory_id=new)) == []


def test_what_was_corrected_again_stays_ended() -> None:
    log = PaperLog()
    first = remembered(log, "Anna likes green tea")
    second = log.tell(correct(first, "Anna likes black coffee"))[0].data.subject
    assert second is not None
    third = log.tell(correct(second, "Anna likes hot cocoa"))[0].data.subject
    assert third is not None
    assert log.tell(undo(memory_id=second)) == []
    assert [status(log, each) for each in (first, second, third)] == [Status.SUPERSEDED, Status.SUPERSEDED, Status.LIVE]


def test_what_nobody_knows_is_refused() -> None:
    log = talked()
    with pytest.raises(UnknownRun):
        log.tell(undo("run-9"))
    with pytest.raises(UnknownMemory):
        log.tell(undo(memory_id=MemoryId("fact_0")))


@pytest.mark.parametrize("fields", [{}, {"run_id": "r", "memory_id": "fact_0"}, {"run_id": ""}])
def test_an_undo_names_one_thing(fields: dict[str, str]) -> None:
    with pytest.raises(ValueError, match=r"either run_id|at least 1"):
        Undo.model_validate(fields)


def history() -> Sequence[Recorded]:
    log = talked()
    memory_id = remembered(log, "Ben rows boats", tags=("sport",))
    log.tell(learned(extracted("Ben rows boats", tags=("water",)), extracted("Cleo sings")))
    log.tell(undo("run-1"))
    log.tell(learned(extracted("Ben rows boats", tags=("water",)), run="run-2"))
    log.tell(undo(memory_id=memory_id))
    return log.records


def test_live_and_rebuilt_projections_are_equal(tmp_path: Path) -> None:
    events = history()
    live, at_once = Store(tmp_path / "live", KEYS.digester), Store(tmp_path / "at_once", KEYS.digester)
    for store, batches in ((live, [[event] for event in events]), (at_once, [events])):
        projection = IngestProjection(store, KEYS.digester, slots=[Slot(each) for each in range(SLOTS)], send_id=SEND_ID)
        for batch in batches:
            projection.apply(batch, batch[-1].position)
    assert live.digest() == at_once.digest()
    files = [MemoryFile(tmp_path / name) for name in ("live.db", "at_once.db")]
    for event in events:
        files[0].apply([event])
    files[1].apply(events)
    assert files[0].digest() == files[1].digest()
    for store in (live, at_once):
        store.close()
    for file in files:
        file.close()


def test_the_words_of_an_undone_repeat_are_not_shown(tmp_path: Path) -> None:
    file = MemoryFile(tmp_path / "anna.db")
    log = talked()
    memory_id = remembered(log, "Ben rows boats", tags=("sport",))
    log.tell(learned(extracted("Ben rows boats!", tags=("water",))))
    log.tell(undo("run-1"))
    file.apply(log.records)
    with file.connect() as db:
        shown = detail(db, memory_id)
    assert (shown.repeats, shown.repeat_count) == ((), 0)
    assert "water" not in shown.tags
    assert shown.source_ids == ()
    file.close()


def test_what_a_run_superseded_holds_again_and_what_it_outdated_too() -> None:
    log = talked()
    home = remembered(log, "I live in Leeds.")
    both = remembered(log, "I work at Siemens and my rent is 800 euros.")
    [moved, _] = made(log, learned(extracted("I live in York."), extracted("My rent is 900 euros.")))
    assert (log.state.facts[home].superseded_by, status(log, both)) == (moved, Status.LIVE)
    assert unpacked(log.state.facts[both].claims).ended
    log.tell(undo("run-1"))
    assert status(log, home) is Status.LIVE
    assert not unpacked(log.state.facts[both].claims).ended
    assert log.tell(undo("run-1")) == []
    assert log.rebuilt() == log.state


def test_a_question_that_a_run_raised_is_asked_no_more() -> None:
    log = talked()
    remembered(log, "I met Kelly in May.")
    made(log, learned(extracted("I have never met Kelly.")))
    assert [conflict.is_pending for conflict in log.state.conflicts.values()] == [True]
    events = [event.data for event in log.tell(undo("run-1"))]
    assert [(data.holds, data.how) for data in events if isinstance(data, ConflictAnswered)] == [(None, "undone")]
    assert [conflict.is_pending for conflict in log.state.conflicts.values()] == [False]


def test_a_question_that_a_run_answered_is_asked_again() -> None:
    log = talked()
    home = remembered(log, "I live in Leeds.")
    log.tell(remember("I live in York."))
    log.tell(restore(home))
    made(log, learned(extracted("I live in Bath.")))
    assert [conflict.is_pending for conflict in log.state.conflicts.values()] == [False]
    log.tell(undo("run-1"))
    assert [conflict.is_pending for conflict in log.state.conflicts.values()] == [True]
    assert log.tell(undo("run-1")) == []


def test_a_fact_stays_of_which_its_person_said_that_it_holds() -> None:
    log = talked()
    home = remembered(log, "I met Kelly in May.")
    [doubtful] = made(log, learned(extracted("I have never met Kelly.")))
    [conflict_id] = log.state.conflicts
    log.tell(answer(conflict_id))
    log.tell(undo("run-1"))
    assert (status(log, home), status(log, doubtful)) == (Status.SUPERSEDED, Status.LIVE)


def test_a_fact_that_was_taken_for_another_is_parted_from_it_and_put_to_it_again() -> None:
    log = PaperLog()
    log.tell(remember("Anna likes tea"))
    [repeated] = log.tell(remember("Anna likes tea!", message_id="again"))
    [fact] = log.state.facts
    assert [type(event.data) for event in log.tell(undo(memory_id=fact, number=repeated.number))] == [RepeatUndone]
    assert log.state.facts[fact].repeat_count == 0
    assert log.tell(undo(memory_id=fact, number=repeated.number)) == []
    [again] = log.tell(redo(memory_id=fact, number=repeated.number))
    assert again.data == repeated.data
    assert log.state.facts[fact].repeat_count == 1
    with pytest.raises(UnknownMemory):
        log.tell(undo(memory_id=fact, number=99))


def test_redoing_a_run_that_was_never_taken_back_changes_nothing_and_an_unknown_one_is_refused() -> None:
    log = talked()
    made(log, learned(extracted("Ben rows boats")))
    assert log.tell(redo("run-1")) == []
    with pytest.raises(UnknownRun):
        log.tell(redo("run-2"))
