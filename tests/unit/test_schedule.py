"""Which sessions are learned from at once, and which wait."""

from services.consolidator.schedule import Schedule
from services.consolidator.store import PendingCompletion
from shared.contracts.ids import Position, Scope


def ended(person: str, number: int, *, retried: int = 0) -> PendingCompletion:
    return PendingCompletion(Scope(person), f"s{number}".encode(), number, Position(number), 0, retried=retried)


def schedule(*pending: PendingCompletion, parallel: int = 4, in_order: bool = True) -> Schedule:
    made = Schedule(parallel=parallel, in_order=in_order)
    made.update(pending)
    return made


ANNA1, ANNA2, BEN1, CLEO1 = ended("anna", 1), ended("anna", 2), ended("ben", 3), ended("cleo", 4)


def test_different_people_at_once_and_of_each_the_oldest_session() -> None:
    assert schedule(ANNA1, ANNA2, BEN1, CLEO1).start(0) == [ANNA1, BEN1, CLEO1]


def test_no_more_than_the_setting_says() -> None:
    two = schedule(ANNA1, BEN1, CLEO1, parallel=2)
    assert two.start(0) == [ANNA1, BEN1]
    assert two.start(0) == []
    two.ended(BEN1)
    two.postpone(BEN1, 10)
    assert two.start(0) == [CLEO1]


def test_a_session_that_hangs_holds_up_its_own_person_only() -> None:
    hanging = schedule(ANNA1, ANNA2, BEN1)
    assert hanging.start(0) == [ANNA1, BEN1]
    hanging.ended(BEN1)
    hanging.update([ANNA1, ANNA2, CLEO1])
    assert hanging.start(0) == [CLEO1]


def test_a_persons_next_session_waits_until_the_one_before_is_recorded() -> None:
    anna = schedule(ANNA1, ANNA2)
    assert anna.start(0) == [ANNA1]
    anna.sent(ANNA1, 30)
    anna.ended(ANNA1)
    assert anna.start(1) == []
    anna.update([ANNA2])
    assert anna.start(2) == [ANNA2]


def test_rules_which_read_nothing_that_is_known_need_not_wait_for_it() -> None:
    anna = schedule(ANNA1, ANNA2, in_order=False)
    anna.start(0)
    anna.sent(ANNA1, 30)
    anna.ended(ANNA1)
    assert anna.start(1) == [ANNA2]


def test_what_was_sent_and_not_recorded_comes_again_and_is_told_once() -> None:
    anna = schedule(ANNA1)
    anna.start(0)
    anna.sent(ANNA1, 30)
    anna.ended(ANNA1)
    assert anna.start(30) == [ANNA1]
    assert [anna.was_sent(ANNA1), anna.was_sent(ANNA1)] == [True, False]


def test_a_session_that_failed_holds_up_no_other_one_of_its_person() -> None:
    anna = schedule(ANNA1, ANNA2)
    anna.start(0)
    anna.postpone(ANNA1, 60)
    anna.ended(ANNA1)
    assert anna.start(1) == [ANNA2]


def test_a_session_to_which_nobody_answered_keeps_its_place_in_the_persons_order() -> None:
    anna = schedule(ANNA1, ANNA2, BEN1)
    anna.start(0)
    anna.postpone(ANNA1, 60, in_order=True)
    anna.ended(ANNA1)
    anna.update([ANNA1._replace(attempts=1), ANNA2, CLEO1])
    assert anna.start(1) == [CLEO1]
    assert anna.start(60) == [ANNA1._replace(attempts=1)]


def test_a_session_that_fails_by_its_own_fault_after_nobody_answered_holds_up_nobody() -> None:
    anna = schedule(ANNA1, ANNA2)
    anna.postpone(ANNA1, 60, in_order=True)
    anna.postpone(ANNA1, 60)
    assert anna.start(1) == [ANNA2]


def test_a_session_that_failed_waits_until_its_failure_is_recorded() -> None:
    anna = schedule(ANNA1)
    anna.failed(ANNA1, 1, until=30)
    assert anna.start(1) == []
    failed = ANNA1._replace(attempts=1)
    anna.update([failed])
    assert anna.start(1) == [failed]


def test_a_failure_that_is_never_recorded_is_not_waited_for_for_ever() -> None:
    anna = schedule(ANNA1)
    anna.failed(ANNA1, 1, until=30)
    assert anna.start(30) == [ANNA1]


def test_nothing_is_begun_while_it_rests() -> None:
    resting = schedule(ANNA1)
    resting.rest(10, "budget_spent")
    assert (resting.start(9), resting.rests(9)) == ([], "budget_spent")
    assert (resting.rests(10), resting.start(10)) == (None, [ANNA1])


def test_a_session_that_is_tried_again_by_hand_does_not_wait() -> None:
    anna = schedule(ANNA1)
    anna.postpone(ANNA1, 3_600)
    assert anna.start(0) == []
    again = ended("anna", 1, retried=9)
    anna.update([again])
    assert anna.start(0) == [again]


def test_the_pauses_of_sessions_that_wait_no_more_are_forgotten() -> None:
    anna = schedule(ANNA1, BEN1)
    anna.postpone(ANNA1, 60)
    anna.sent(BEN1, 60)
    anna.update([])
    anna.update([ANNA1, BEN1])
    assert anna.start(0) == [ANNA1, BEN1]


def test_when_somebody_answers_again_whoever_waited_for_that_is_due_at_once() -> None:
    both = schedule(ANNA1, BEN1)
    both.start(0)
    both.postpone(ANNA1, 3_600, in_order=True)  # nobody answered
    both.postpone(BEN1, 3_600)  # its own fault
    both.ended(ANNA1)
    both.ended(BEN1)
    assert both.start(60) == []
    both.answered()
    assert both.start(61) == [ANNA1]


def test_while_an_import_is_under_way_one_imported_session_is_learned_from_at_a_time() -> None:
    past = [session._replace(imported=True) for session in (BEN1, CLEO1)]
    importing = schedule(ANNA1, *past)
    assert importing.start(0, imports_in_turn=True) == [ANNA1, past[0]]
    assert importing.start(1, imports_in_turn=True) == []
    assert importing.start(1) == [past[1]], "the import is over"
