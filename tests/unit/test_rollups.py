"""One text stands for several old memories; it is undone as a whole, and forgotten with any of them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from services.ingest.domain.memories import Status
from shared.contracts.ageing import EraseRolledUp, MemoryRolledUp, SaveRollup
from shared.contracts.commands import ConfirmFact, Pin
from shared.contracts.errors import Forgotten, MemoryOff
from shared.contracts.events import MemoryRestored, MemoryRetired
from shared.contracts.ids import MemoryId, MessageId
from shared.contracts.parts import Kind, Origin
from shared.contracts.preferences import PersonSettings
from shared.contracts.privacy import Forget, MemoryForgotten, TakeBack
from shared.contracts.undoing import RunUndone
from tests.support.commands import about, change, extracted, page, redo, remember, restore, undo, user_says
from tests.support.paper import PaperLog
from tests.support.scopes import T0

TURNS = ("Good morning, it rains again", "The weather is cloudy today", "Thanks, what a sunny day", "It is windy tonight")
LATER = T0 + timedelta(days=181)


def roll_up(*memory_ids: MemoryId, text: str = "It rained, and was windy.", run: str = "run-1", again: str = "") -> SaveRollup:
    """The command that lets a text stand for memories."""
    return SaveRollup(
        message_id=MessageId(f"{run}/{memory_ids[0]}{again}"),
        text=text,
        source_ids=memory_ids,
        first_at=T0,
        last_at=T0,
        origin=Origin(extractor="extractive/1", run_id=run),
    )


def retention(*memory_ids: MemoryId, before_days: float = 180) -> EraseRolledUp:
    """The command that forgets what was rolled up so long before LATER."""
    return EraseRolledUp(memory_ids=memory_ids, before=LATER - timedelta(days=before_days))


class Told(PaperLog):
    """A log with turns and a fact, and what is known of them."""

    def __init__(self) -> None:
        super().__init__()
        for index, text in enumerate(TURNS):
            self.tell(user_says(text, "s1", message_id=f"m{index}"))
        self.turns = tuple(each for each, memory in self.state.memories.items() if memory.kind is Kind.EPISODE)

    def rolled_up(self, *memory_ids: MemoryId, run: str = "run-1", again: str = "") -> MemoryId:
        """Roll these up; the id of the roll-up."""
        events = self.tell(roll_up(*(memory_ids or self.turns), run=run, again=again))
        [made] = [event.data.memory_id for event in events if isinstance(event.data, MemoryRolledUp)]
        return made

    def ended(self, *memory_ids: MemoryId) -> set[str | None]:
        """How these ended."""
        return {self.state.memories[each].ended for each in memory_ids}


@pytest.fixture
def log() -> Told:
    return Told()


def test_what_is_rolled_up_is_retired_and_names_the_roll_up(log: Told) -> None:
    roll = log.rolled_up()
    assert roll.startswith("roll_")
    assert log.state.memories[roll].kind is Kind.ROLLUP
    assert log.ended(*log.turns) == {"rolled_up"}
    ends = [event.data for event in log.events if isinstance(event.data, MemoryRetired)]
    assert {end.rolled_up_into for end in ends} == {roll}
    assert log.rebuilt() == log.state


def test_the_same_roll_up_twice_is_one(log: Told) -> None:
    log.rolled_up()
    assert log.tell(roll_up(*log.turns)) == []
    assert log.tell(roll_up(*log.turns, again="by another run")) == []


@pytest.mark.parametrize("kept_by", [Pin, ConfirmFact], ids=["pinned", "confirmed"])
def test_nothing_is_rolled_up_of_which_a_part_is_to_be_kept(log: Told, kept_by: type[Pin | ConfirmFact]) -> None:
    log.tell(page(extracted("Ben rows boats", source=log.turns[0])))
    [fact] = log.state.facts
    log.tell(about(kept_by, fact))
    assert log.tell(roll_up(fact, *log.turns)) == []
    assert log.ended(fact, *log.turns) == {None}


def test_what_is_saved_by_hand_is_not_rolled_up(log: Told) -> None:
    log.tell(remember("Ben rows boats"))
    [fact] = log.state.facts
    assert log.tell(roll_up(fact, *log.turns)) == []


def test_a_text_about_what_was_forgotten_meanwhile_is_not_recorded(log: Told) -> None:
    command = roll_up(*log.turns)
    log.tell(Forget(memory_ids=log.turns[:1], only=True))
    with pytest.raises(Forgotten):
        log.tell(command)


def test_nothing_is_rolled_up_while_memory_is_off(log: Told) -> None:
    log.tell(change(PersonSettings(memory_enabled=False)))
    with pytest.raises(MemoryOff):
        log.tell(roll_up(*log.turns))


@pytest.mark.parametrize("by_run", [False, True], ids=["by its id", "by its run"])
def test_a_roll_up_is_undone_as_a_whole_and_can_be_made_anew(log: Told, *, by_run: bool) -> None:
    roll = log.rolled_up()
    log.tell(undo("run-1") if by_run else undo(memory_id=roll))
    assert log.ended(*log.turns) == {None}
    assert log.ended(roll) == {"undone"}
    assert all(event.data.lost_rollup for event in log.events if isinstance(event.data, MemoryRestored))
    assert any(isinstance(event.data, RunUndone) for event in log.events) is by_run
    assert log.tell(undo("run-1") if by_run else undo(memory_id=roll)) == []
    again = log.rolled_up(again="again")
    assert again != roll
    assert log.ended(*log.turns) == {"rolled_up"}
    assert log.rebuilt() == log.state


@pytest.mark.parametrize("by_run", [False, True], ids=["by its id", "by its run"])
def test_a_roll_up_that_was_undone_is_done_again_as_a_whole(log: Told, *, by_run: bool) -> None:
    roll = log.rolled_up()
    before = log.state.memories
    log.tell(undo("run-1") if by_run else undo(memory_id=roll))
    log.tell(redo("run-1") if by_run else redo(memory_id=roll))
    assert log.state.memories == before
    assert log.tell(redo("run-1") if by_run else redo(memory_id=roll)) == []
    log.tell(undo("run-1") if by_run else undo(memory_id=roll))
    assert log.ended(*log.turns) == {None}
    assert log.rebuilt() == log.state


def test_undoing_leaves_what_went_into_another_roll_up_since(log: Told) -> None:
    first = log.rolled_up()
    log.tell(restore(log.turns[0]))
    log.tell(restore(log.turns[1]))
    log.rolled_up(*log.turns[:2], run="run-2")
    log.tell(undo(memory_id=first))
    assert log.ended(*log.turns[:2]) == {"rolled_up"}
    assert log.ended(*log.turns[2:]) == {None}


@pytest.mark.parametrize("only", [False, True])
def test_a_roll_up_is_forgotten_with_any_source_and_the_others_are_live_again(log: Told, *, only: bool) -> None:
    roll = log.rolled_up()
    log.tell(Forget(memory_ids=log.turns[:1], only=only))
    assert roll not in log.state.memories
    assert log.ended(*log.turns[1:]) == {None}
    log.erase()
    assert log.ended(*log.turns[1:]) == {None}
    assert not any("It rained, and was windy." in event.encode().decode() for event in log.events)


def test_whoever_forgets_a_roll_up_forgets_what_it_stands_for(log: Told) -> None:
    roll = log.rolled_up()
    log.tell(Forget(memory_ids=(roll,)))
    assert not {roll, *log.turns} & log.state.memories.keys()


def test_words_of_one_source_forget_that_one_and_the_roll_up(log: Told) -> None:
    log.tell(user_says("The zorbifer sings", "s1", message_id="m9"))
    log.turns = tuple(each for each, memory in log.state.memories.items() if memory.kind is Kind.EPISODE)
    log.tell(roll_up(*log.turns, text="It rained. The zorbifer sings."))
    log.tell(Forget(query="zorbifer"))
    assert log.state.memories.keys() == set(log.turns[:-1])
    assert log.ended(*log.turns[:-1]) == {None}


def test_only_the_roll_up_is_forgotten_where_that_is_asked_for(log: Told) -> None:
    roll = log.rolled_up()
    log.tell(Forget(memory_ids=(roll,), only=True))
    assert log.state.memories.keys() == set(log.turns)
    assert log.ended(*log.turns) == {None}


def test_what_is_taken_back_stands_again_for_what_it_stood_for(log: Told) -> None:
    roll = log.rolled_up()
    log.tell(user_says("Forget what I said about the cloudy weather today.", "s2"))
    if roll in log.state.memories:
        log.tell(user_says("Yes", "s2"))
    assert roll not in log.state.memories
    log.tell(TakeBack())
    assert log.ended(*log.turns) == {"rolled_up"}
    assert log.state.memories[roll].status is Status.LIVE
    assert log.rebuilt() == log.state


def test_retention_forgets_what_a_roll_up_stands_for_and_leaves_the_roll_up(log: Told) -> None:
    roll = log.rolled_up()
    [event] = [event.data for event in log.tell(retention(*log.turns), now=LATER)]
    assert isinstance(event, MemoryForgotten)
    assert (event.by, set(event.memory_ids), event.tombstones) == ("retention", set(log.turns), ())
    assert log.state.memories.keys() == {roll}
    assert log.state.memories[roll].status is Status.LIVE
    log.erase()
    assert not any(text in event.encode().decode() for event in log.events for text in TURNS)
    assert log.rebuilt() == log.state


def test_retention_twice_is_one_and_what_is_younger_stays(log: Told) -> None:
    log.rolled_up()
    assert log.tell(retention(*log.turns, before_days=182), now=LATER) == []
    assert log.tell(retention(*log.turns), now=LATER)
    assert log.tell(retention(*log.turns), now=LATER) == []


def test_retention_leaves_what_was_restored_or_pinned_since(log: Told) -> None:
    log.rolled_up()
    log.tell(restore(log.turns[0]))
    log.tell(about(Pin, log.turns[1]))
    log.tell(retention(*log.turns), now=LATER)
    assert log.state.memories.keys() & set(log.turns) == set(log.turns[:2])


def test_retention_leaves_what_no_live_roll_up_stands_for(log: Told) -> None:
    roll = log.rolled_up()
    log.tell(undo(memory_id=roll))
    assert log.tell(retention(*log.turns), now=LATER) == []


def test_what_retention_took_may_be_said_again_but_does_not_come_back_by_the_same_message(log: Told) -> None:
    log.rolled_up()
    log.tell(retention(*log.turns), now=LATER)
    with pytest.raises(Forgotten):
        log.tell(user_says(TURNS[0], "s1", message_id="m0"))
    log.tell(user_says(TURNS[0], "s3", message_id="new"), now=LATER)
    [said] = [each for each, memory in log.state.memories.items() if memory.kind is Kind.EPISODE]
    assert not log.state.memories[said].held_back


def test_a_roll_up_that_alone_says_it_is_not_undone(log: Told) -> None:
    roll = log.rolled_up()
    log.tell(retention(*log.turns[:2]), now=LATER)
    log.tell(undo(memory_id=roll))
    assert log.state.memories[roll].status is Status.LIVE
    assert log.ended(*log.turns[2:]) == {None}
