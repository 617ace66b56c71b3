"""What is imported is compared with what is known here: of facts that contradict each other, or say the same, one holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from services.ingest.domain.memories import Status
from services.ingest.domain.state import ScopeState
from shared.contracts.command import Command
from shared.contracts.commands import Pin, RememberFact, Restore
from shared.contracts.conflicts import AnswerConflict
from shared.contracts.events import NewFact
from shared.contracts.ids import MemoryId, User
from tests.support.commands import correct, remember, undo
from tests.support.paper import PaperLog
from tests.support.scopes import ANNA, BEN, at, scope_of
from tests.unit.test_moving import content, exported, importing


class Life:
    """The facts of one person, told by the minute."""

    def __init__(self, user: User, facts: Sequence[tuple[str, int]], *, sent: int = 0) -> None:
        self.user, self.log = user, PaperLog()
        self.log.sent = sent
        for text, minute in facts:
            self.tell(RememberFact(text=text, occurred_at=at(minute)), minute)

    def tell(self, command: Command, minute: int) -> None:
        """Decide and record."""
        self.log.tell(command, user=self.user, now=at(minute))

    @property
    def state(self) -> ScopeState:
        """What ingest knows."""
        return self.log.states[scope_of(self.user)]

    def fact(self, text: str) -> MemoryId:
        """The fact with these words."""
        made = (event.data for event in self.log.events)
        return next(data.memory_id for data in made if isinstance(data, NewFact) and data.text == text)

    @property
    def live(self) -> list[str]:
        """The texts of the facts that hold."""
        made = (event.data for event in self.log.events)
        texts = {data.memory_id: data.text for data in made if isinstance(data, NewFact)}
        return sorted(texts[each] for each in self.state.facts if self.state.memories[each].status is Status.LIVE)

    def take_over(self, source: Life, *, a_time: int = 200) -> None:
        """Import all of the source, so many records in each command."""
        records = exported(source.log)
        for start in range(0, len(records), a_time):
            self.tell(importing(records[start : start + a_time]), 90_000)


def here(*facts: tuple[str, int]) -> Life:
    """The person who imports."""
    return Life(ANNA, facts)


def there(*facts: tuple[str, int]) -> Life:
    """The person elsewhere."""
    return Life(BEN, facts, sent=1_000)


IN_PORTIONS = pytest.mark.parametrize("a_time", [1, 200])


@IN_PORTIONS
@pytest.mark.parametrize(("mine", "theirs"), [(100, 5), (5, 100)])
def test_of_an_imported_fact_and_one_that_is_known_the_newer_holds(mine: int, theirs: int, a_time: int) -> None:
    target = here(("I live in York", mine))
    target.take_over(there(("I live in Leeds", theirs)), a_time=a_time)
    assert target.live == ["I live in York" if mine > theirs else "I live in Leeds"]


@IN_PORTIONS
def test_what_was_decided_where_it_comes_from_is_weighed_with_what_is_newer_here(a_time: int) -> None:
    target = here(("I live in Bath", 200))
    target.take_over(there(("I live in Leeds", 5), ("I live in York", 100)), a_time=a_time)
    assert target.live == ["I live in Bath"]


@IN_PORTIONS
def test_what_was_restored_elsewhere_stays_ended_by_what_is_newer_here(a_time: int) -> None:
    source = there(("I live in Leeds", 5), ("I live in York", 100))
    source.tell(Restore(memory_id=source.fact("I live in Leeds")), 101)
    target = here(("I live in Bath", 200))
    target.take_over(source, a_time=a_time)
    assert target.live == ["I live in Bath"]


@IN_PORTIONS
@pytest.mark.parametrize(("mine", "theirs"), [(100, 5), (5, 100)])
def test_the_same_fact_is_live_once(mine: int, theirs: int, a_time: int) -> None:
    target = here(("I live in York", mine))
    target.take_over(there(("The user lives in York", theirs)), a_time=a_time)
    assert len(target.live) == 1


def test_what_stands_for_a_pinned_fact_is_pinned() -> None:
    target = here(("I live in York", 5))
    source = there(("The user lives in York", 100))
    target.tell(Pin(memory_id=target.fact("I live in York")), 6)
    target.take_over(source)
    assert target.live == ["The user lives in York"]
    assert target.state.memories[target.fact("The user lives in York")].pinned


@IN_PORTIONS
def test_what_was_told_again_elsewhere_after_it_had_ended_here_holds_again(a_time: int) -> None:
    source = there(("I live in Leeds", 5), ("I live in Leeds", 300))
    target = here(("I live in York", 100))
    target.take_over(source, a_time=a_time)
    assert target.live == ["I live in Leeds"]


def test_two_exports_are_compared_with_each_other() -> None:
    target = here()
    target.take_over(Life(BEN, [("I live in York", 100)], sent=1_000))
    target.take_over(Life(User("cleo"), [("I live in Leeds", 5)], sent=2_000))
    assert target.live == ["I live in York"]


def test_a_doubtful_fact_that_is_imported_raises_the_question() -> None:
    target = here(("I met Kelly in May", 5))
    target.take_over(there(("I have never met Kelly", 100)))
    assert len(target.live) == 2
    [conflict] = target.state.conflicts.values()
    assert conflict.is_pending


def test_an_import_of_more_than_an_append_holds_ends_what_does_not_hold_in_the_last_record_too() -> None:
    source = there(*((f"My locker {number} is on floor {number}", number) for number in range(180)), ("I live in York", 1_000))
    target = here(("I live in Leeds", 5))
    target.take_over(source)
    assert "I live in Leeds" not in target.live


def a_life_of_changes() -> Life:
    """Superseded, restored, corrected, undone, in doubt and answered, all before an export."""
    life = there(("I live in Leeds", 1), ("I live in York", 5), ("I am vegan", 6), ("My rent is 900 euros", 7))
    life.tell(Restore(memory_id=life.fact("I live in Leeds")), 8)
    life.tell(correct(life.fact("I am vegan"), "I am vegetarian"), 9)
    life.tell(remember("My rent is 950 euros"), 10)
    life.tell(undo(memory_id=life.fact("My rent is 950 euros")), 11)
    life.tell(remember("I work at Bosch"), 12)
    life.tell(remember("I work at Siemens"), 13)
    life.tell(remember("I met Kelly in May"), 14)
    life.tell(remember("I have never met Kelly"), 14)
    for asked in [each for each, conflict in life.state.conflicts.items() if conflict.is_pending]:
        life.tell(AnswerConflict(conflict_id=asked, holds="both"), 15)
    assert len(life.state.conflicts) == 2
    return life


@IN_PORTIONS
def test_nothing_is_decided_anew_where_nothing_else_is_known(a_time: int, tmp_path: Path) -> None:
    source, target = a_life_of_changes(), here()
    target.take_over(source, a_time=a_time)
    assert target.live == source.live
    if a_time > 1:
        assert content(source.log, tmp_path, "source.db") == content(target.log, tmp_path, "target.db")
    target.take_over(source, a_time=a_time)
    assert target.live == source.live
