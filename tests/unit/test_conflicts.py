"""Two facts of which at most one may hold: asked once, answered by a person, closed when either fact ends."""

from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from services.ingest.domain.conflicts import doubt
from services.ingest.domain.lacks import Needs
from services.ingest.domain.memories import Status
from services.ingest.projection import IngestProjection
from services.ingest.store import Store
from shared.contracts.command import Command
from shared.contracts.conflicts import ConflictAnswered, ConflictDetected, Holds
from shared.contracts.errors import IdReused, UnknownConflict
from shared.contracts.events import FactRemembered, FactSuperseded, MemoryRetired
from shared.contracts.ids import ConflictId, MemoryId, Slot
from shared.contracts.privacy import Forget, ForgetUser
from shared.contracts.subjects import SLOTS
from tests.support.commands import answer, cap, correct, pin, remember, restore
from tests.support.paper import PaperLog
from tests.support.scopes import ANNAS_SCOPE, KEYS, SEND_ID, T0


def remembered(log: PaperLog, text: str) -> MemoryId:
    event, *_ = log.tell(remember(text))
    assert isinstance(event.data, FactRemembered)
    return event.data.memory_id


class Doubted:
    """A log in which Anna told of a sailing lesson with Nora, and then that there never was one."""

    def __init__(self) -> None:
        self.log = PaperLog()
        self.older = remembered(self.log, "I took sailing lessons with Nora in May")
        self.newer = remembered(self.log, "I have never taken sailing lessons with Nora")
        self.conflict: ConflictId
        [self.conflict] = self.log.state.conflicts

    def ask(self) -> list[ConflictDetected]:
        raised = self.log.decide(partial(doubt, self.newer, self.older, "opposite"))
        return [event.data for event in raised if isinstance(event.data, ConflictDetected)]

    def status(self, memory_id: MemoryId) -> Status:
        return self.log.state.memories[memory_id].status

    @property
    def is_pending(self) -> bool:
        return self.log.state.conflicts[self.conflict].is_pending


def test_a_question_is_asked_once() -> None:
    doubted = Doubted()
    assert doubted.is_pending
    assert doubted.ask() == []


def test_whichever_fact_is_named_first_it_is_the_same_question() -> None:
    doubted = Doubted()
    assert doubted.log.decide(partial(doubt, doubted.older, doubted.newer, "opposite")) == []


@pytest.mark.parametrize(
    ("holds", "older", "newer"),
    [
        ("newer", Status.SUPERSEDED, Status.LIVE),
        ("older", Status.LIVE, Status.SUPERSEDED),
        ("both", Status.LIVE, Status.LIVE),
        ("neither", Status.RETIRED, Status.RETIRED),
    ],
)
def test_an_answer_ends_what_does_not_hold(holds: Holds, older: Status, newer: Status) -> None:
    doubted = Doubted()
    doubted.log.tell(answer(doubted.conflict, holds))
    assert (doubted.status(doubted.older), doubted.status(doubted.newer)) == (older, newer)
    assert not doubted.is_pending
    assert doubted.ask() == []


def test_what_does_not_hold_is_readable_from_what_does_at_confidence_three_tenths() -> None:
    doubted = Doubted()
    answered, ended = [event.data for event in doubted.log.tell(answer(doubted.conflict))]
    assert isinstance(answered, ConflictAnswered)
    assert (answered.memory_id, answered.newer, answered.holds, answered.how) == (
        *(doubted.older, doubted.newer),
        *("newer", "command"),
    )
    assert isinstance(ended, FactSuperseded)
    assert (ended.memory_id, ended.superseded_by, ended.reason) == (doubted.older, doubted.newer, "conflict")
    assert (ended.confidence, ended.confidence_before) == (0.3, 1.0)


def test_what_is_denied_can_be_restored() -> None:
    doubted = Doubted()
    retired = [event.data for event in doubted.log.tell(answer(doubted.conflict, "neither"))][1:]
    assert [data.reason for data in retired if isinstance(data, MemoryRetired)] == ["denied", "denied"]
    doubted.log.tell(restore(doubted.older))
    assert doubted.status(doubted.older) is Status.LIVE
    assert not doubted.is_pending


def test_a_closed_question_stays_as_it_is_and_an_unknown_one_is_refused() -> None:
    doubted = Doubted()
    doubted.log.tell(answer(doubted.conflict))
    assert doubted.log.tell(answer(doubted.conflict, "older")) == []
    with pytest.raises(UnknownConflict):
        doubted.log.tell(answer("conf_0"))


def test_an_answer_takes_effect_once_and_its_id_stands_for_what_was_answered() -> None:
    doubted = Doubted()
    assert doubted.log.tell(answer(doubted.conflict, message_id="a1"))
    assert doubted.log.tell(answer(doubted.conflict, message_id="a1")) == []
    with pytest.raises(IdReused):
        doubted.log.tell(answer(doubted.conflict, "older", message_id="a1"))


def corrected(doubted: Doubted) -> Command:
    return correct(doubted.newer, "I have never taken diving lessons with Nora")


def forgotten(doubted: Doubted) -> Command:
    return Forget(memory_ids=(doubted.older,), only=True)


@pytest.mark.parametrize("ends", [corrected, forgotten])
def test_nobody_is_asked_about_a_fact_that_has_ended(ends: object) -> None:
    doubted = Doubted()
    doubted.log.tell(ends(doubted))  # type: ignore[operator]
    assert not any(conflict.is_pending for conflict in doubted.log.state.conflicts.values())
    assert doubted.ask() == []


def test_of_what_was_forgotten_no_question_is_left() -> None:
    doubted = Doubted()
    doubted.log.tell(forgotten(doubted))
    assert doubted.log.state.conflicts == {}
    doubted.log.erase()
    assert doubted.log.state.conflicts == {}
    doubted.log.tell(ForgetUser())
    assert doubted.log.state.conflicts == {}


def projection(store: Store) -> IngestProjection:
    return IngestProjection(store, KEYS.digester, slots=[Slot(each) for each in range(SLOTS)], send_id=SEND_ID)


def test_questions_are_kept_in_the_projection_and_the_same_after_a_rebuild(tmp_path: Path) -> None:
    doubted = Doubted()
    doubted.log.tell(pin(doubted.older))
    live, at_once = Store(tmp_path / "live", KEYS.digester), Store(tmp_path / "at_once", KEYS.digester)
    for record in doubted.log.records:
        projection(live).apply([record], record.position)
    assert live.load({ANNAS_SCOPE: Needs()})[ANNAS_SCOPE].conflicts == doubted.log.state.conflicts
    for command in (answer(doubted.conflict, "older"), cap(1), forgotten(doubted)):
        known = len(doubted.log.records)
        doubted.log.tell(command)
        projection(live).apply(doubted.log.records[known:], doubted.log.records[-1].position)
        assert live.load({ANNAS_SCOPE: Needs()})[ANNAS_SCOPE].conflicts == doubted.log.state.conflicts
    projection(at_once).apply(doubted.log.records, doubted.log.records[-1].position)
    assert live.digest() == at_once.digest()
    live.close()
    at_once.close()


def doubtful(log: PaperLog) -> ConflictId:
    """The question that a fact raises which is brought back beside the one that had ended it."""
    leeds = remembered(log, "I live in Leeds.")
    log.tell(remember("I live in York."))
    log.tell(restore(leeds))
    [conflict_id] = log.state.conflicts
    return conflict_id


def statuses(log: PaperLog) -> list[Status]:
    return [memory.status for memory in log.state.memories.values()]


@pytest.mark.parametrize(
    ("older", "newer", "reason"),
    [
        ("I met Kelly in May.", "I have never met Kelly.", "opposite"),
        ("I met Kelly in May.", "I have never met Kelly in Rome.", None),
        ("I have never met Kelly.", "I met Kelly in May.", None),
        ("I met Kelly's brother.", "I have never met Kelly.", None),
        ("I live in Leeds.", "I think I live in York now.", None),
        ("I live in Leeds.", "Maybe I live in York now.", None),
        ("Ich war in Japan.", "Ich war noch nie in Japan.", "opposite"),
        ("He estado en Japón.", "Nunca he estado en Japón.", "opposite"),
        ("J'ai voyagé.", "Je n'ai jamais voyagé.", "opposite"),
        ("My name is Anna.", "My name is Tom.", "two_values"),
        ("My birthday is 3 May.", "My birthday is 4 May.", "two_values"),
    ],
)
def test_who_denies_what_they_did_or_states_two_values_for_life_is_asked_and_nothing_ends(
    older: str, newer: str, reason: str | None
) -> None:
    log = PaperLog()
    log.tell(remember(older))
    log.tell(remember(newer))
    assert statuses(log) == [Status.LIVE, Status.LIVE]
    asked = [event.data.reason for event in log.events if isinstance(event.data, ConflictDetected)]
    assert asked == [each for each in (reason,) if each]


@pytest.mark.parametrize(
    ("newer", "after"),
    [
        ("Sorry, my birthday is 4 May, not 3 May.", timedelta()),
        ("I live in York.", timedelta()),
        ("My birthday is 4 May.", timedelta(days=2)),
    ],
)
def test_a_correction_or_a_change_or_a_later_day_ends_the_old_value_unasked(newer: str, after: timedelta) -> None:
    log = PaperLog()
    log.tell(remember("My birthday is 3 May."))
    log.tell(remember("I live in Leeds."))
    log.tell(remember(newer), now=T0 + after)
    assert log.state.conflicts == {}
    assert statuses(log).count(Status.SUPERSEDED) == 1


@pytest.mark.parametrize(
    ("text", "holds", "left"),
    [
        ("I live in York.", "newer", [Status.SUPERSEDED, Status.LIVE]),
        ("I live in Leeds!", "older", [Status.LIVE, Status.SUPERSEDED]),
        ("I live in Bath.", "neither", [Status.SUPERSEDED, Status.SUPERSEDED]),
    ],
)
def test_a_later_statement_that_is_sure_answers_the_question(text: str, holds: Holds, left: list[Status]) -> None:
    log = PaperLog()
    conflict = doubtful(log)
    events = [event.data for event in log.tell(remember(text))]
    [answered] = [data for data in events if isinstance(data, ConflictAnswered)]
    assert (answered.conflict_id, answered.holds, answered.how) == (conflict, holds, "later_statement")
    assert statuses(log)[:2] == left
    assert not log.state.conflicts[conflict].is_pending
