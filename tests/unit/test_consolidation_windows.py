"""Every turn is learned from in exactly one run, whatever is said, ended, swept and resumed while runs are on their way."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from services.consolidator.store import ConsolidatorStore, PendingCompletion
from services.maintenance.store import IdleSession, MaintenanceStore
from services.maintenance.sweeping import sweep_of
from shared.contracts.commands import FailConsolidation, SaveFacts, Turn
from shared.contracts.events import EpisodeRecorded, SessionConsolidated
from shared.contracts.ids import MessageId, Position, SessionId
from shared.contracts.learning import RetryConsolidation, TokensSpent
from shared.contracts.parts import Origin, Role
from shared.contracts.privacy import Forget
from shared.domain.moments import microseconds
from tests.support.commands import agent_says, end, import_of, sweep, turn, user_says
from tests.support.examples import examples
from tests.support.paper import PaperLog
from tests.support.scopes import ANNAS_SCOPE, KEYS, at

SESSIONS = ["s1", "s2", "s3"]
MINUTE = 60_000_000


@dataclass
class Followed:
    """A log on paper, and the two services that follow it as far as they have read it."""

    folder: Path
    log: PaperLog = field(default_factory=PaperLog)
    minutes: int = 0
    read: int = 0
    consolidated: Counter[int] = field(default_factory=Counter)  # numbers of turns, by recorded runs
    sent: dict[str, list[int]] = field(default_factory=dict)  # what each run read

    def __post_init__(self) -> None:
        self.consolidator = ConsolidatorStore(self.folder / "consolidator", KEYS.digester)
        self.maintenance = MaintenanceStore(self.folder / "maintenance", KEYS.digester)

    def close(self) -> None:
        self.consolidator.close()
        self.maintenance.close()

    def follow(self) -> None:
        """Read the log to its end."""
        fresh = self.log.records[self.read :]
        if fresh:
            for store in (self.consolidator, self.maintenance):
                store.apply(fresh, Position(len(self.log.records)))
        self.read = len(self.log.records)

    def sessions(self, one: PendingCompletion | IdleSession) -> tuple[SessionId, ...]:
        """The session of a row, which the log names."""
        return self.log.events[one.position - 1].data.sessions

    def learn(self, window: PendingCompletion) -> SaveFacts:
        """Read a completion's turns, as the job does, and say that they were learned from."""
        run_id = self.log.events[window.position - 1].event_id
        numbers = [number for number, _ in self.consolidator.turns(window)]
        assert self.sent.setdefault(run_id, numbers) == numbers, "a run that is sent again reads the same turns"
        return SaveFacts(
            message_id=MessageId(f"{run_id}/0"),
            session_id=self.sessions(window)[0],
            page=0,
            is_last=True,
            through_number=window.completed,
            origin=Origin(extractor="test", run_id=run_id),
        )

    def record(self, run: SaveFacts) -> None:
        if self.log.tell(run, now=at(self.minutes)):
            self.consolidated.update(self.sent[run.origin.run_id])

    def idle(self) -> list[IdleSession]:
        return self.maintenance.idle_sessions(now=microseconds(at(self.minutes)), default_minutes=3, settle_minutes=1, limit=10)

    def turns(self) -> list[int]:
        return [int(event.number) for event in self.log.events if isinstance(event.data, EpisodeRecorded)]


@pytest.fixture
def followed(tmp_path: Path) -> Iterator[Followed]:
    followed = Followed(tmp_path)
    yield followed
    followed.close()


def test_a_run_that_overlaps_a_resume_and_the_next_run_read_different_turns(followed: Followed) -> None:
    for said in (user_says("one"), agent_says("two"), end(), user_says("three")):
        followed.log.tell(said)
    followed.follow()
    (first,) = followed.consolidator.pending()
    run = followed.learn(first)
    followed.log.tell(user_says("four"))
    followed.log.tell(end())
    followed.follow()
    again, second = followed.consolidator.pending()
    assert again == first
    followed.record(followed.learn(second))
    followed.record(run)
    followed.follow()
    assert list(followed.sent.values()) == [[2, 3], [6, 7]]
    assert followed.consolidator.pending() == []


def test_a_session_that_goes_on_before_it_was_learned_from_is_learned_from_nevertheless(followed: Followed) -> None:
    for said in (user_says("one"), end(), user_says("two")):
        followed.log.tell(said)
    followed.follow()
    (window,) = followed.consolidator.pending()
    assert [number for number, _ in followed.consolidator.turns(window)] == [2]


def test_what_was_said_live_is_learned_from_before_what_was_imported_earlier(followed: Followed) -> None:
    followed.log.tell(import_of([user_says("one", "old"), user_says("two", "older")]))
    for said in (end("old"), end("older"), user_says("three", "today"), end("today"), user_says("four", "old"), end("old")):
        followed.log.tell(said)
    followed.follow()
    pending = followed.consolidator.pending()
    assert [followed.sessions(each)[0] for each in pending] == ["today", "old", "old", "older"]
    assert [each.imported for each in pending] == [False, False, True, True]


def test_a_failure_concerns_its_own_completion(followed: Followed) -> None:
    for said in (user_says("one"), end(), user_says("two"), end()):
        followed.log.tell(said)
    followed.follow()
    first, second = followed.consolidator.pending()
    failed = FailConsolidation(session_id=SessionId(SESSIONS[0]), through_number=second.completed, attempt=2, code="x")
    followed.log.tell(failed)
    followed.follow()
    assert followed.consolidator.pending() == [first, second._replace(attempts=2, failures=1, strikes=1, code="x")]
    assert [number for number, _ in followed.consolidator.turns(second)] == [5]


def fail(window: PendingCompletion, attempt: int, code: str) -> FailConsolidation:
    return FailConsolidation(
        session_id=SessionId(SESSIONS[0]),
        through_number=window.completed,
        attempt=attempt,
        code=code,
        tokens=TokensSpent(prompt=90, completion=10),
    )


def test_only_failures_that_may_be_its_own_count_against_a_session_until_it_is_tried_again(followed: Followed) -> None:
    for said in (user_says("one"), end()):
        followed.log.tell(said)
    followed.follow()
    [window] = followed.consolidator.pending()
    for attempt, code in enumerate(("endpoint_unreachable", "answer_invalid", "endpoint_busy"), start=1):
        followed.log.tell(fail(window, attempt, code))
    followed.follow()
    [failed] = followed.consolidator.pending()
    assert (failed.attempts, failed.failures, failed.strikes, failed.code) == (3, 3, 1, "endpoint_busy")
    followed.log.tell(RetryConsolidation(session_id=SessionId(SESSIONS[0]), through_number=window.completed))
    followed.log.tell(fail(window, 4, "answer_invalid"))
    followed.follow()
    [again] = followed.consolidator.pending()
    assert (again.attempts, again.failures, again.strikes) == (4, 1, 1)


def test_failures_retries_and_tokens_that_come_twice_count_once(followed: Followed, tmp_path: Path) -> None:
    for said in (user_says("one"), end()):
        followed.log.tell(said)
    followed.follow()
    [window] = followed.consolidator.pending()
    followed.log.tell(fail(window, 1, "answer_invalid"))
    followed.log.tell(RetryConsolidation(session_id=SessionId(SESSIONS[0]), through_number=window.completed))
    followed.log.tell(fail(window, 2, "answer_invalid"))
    followed.follow()
    once = followed.consolidator.digest()
    followed.consolidator.apply(followed.log.records, Position(len(followed.log.records)))
    assert followed.consolidator.digest() == once
    [day] = followed.consolidator.usage(since="2000-01-01", until="2999-12-31", scope=ANNAS_SCOPE)
    assert (day.prompt, day.completion) == (180, 20)
    fresh = ConsolidatorStore(tmp_path / "fresh", KEYS.digester)
    fresh.apply(followed.log.records, Position(len(followed.log.records)))
    assert fresh.digest() == once
    fresh.close()


def test_turns_are_read_in_the_order_in_which_they_were_said(followed: Followed) -> None:
    for minutes in (5, 1, 9, 1):
        followed.log.tell(user_says("x", occurred_at=at(minutes)))
    followed.log.tell(end())
    followed.follow()
    (window,) = followed.consolidator.pending()
    assert [number for number, _ in followed.consolidator.turns(window)] == [3, 5, 2, 4]


def test_a_consolidation_names_no_turn_of_another_session(followed: Followed) -> None:
    for said in (user_says("one", "s1"), agent_says("two", "s2"), end("s1"), end("s2")):
        followed.log.tell(said)
    followed.follow()
    assert [followed.consolidator.turns(window) for window in followed.consolidator.pending()] == [[(2, 2)], [(4, 4)]]


def test_rows_are_made_anew_after_an_erasure_where_something_waits(followed: Followed, tmp_path: Path) -> None:
    for said in (user_says("one"), user_says("two"), end()):
        followed.log.tell(said)
    followed.follow()
    assert followed.consolidator.begin_scope_rebuild(ANNAS_SCOPE)
    followed.record(followed.learn(followed.consolidator.pending()[0]))
    followed.log.tell(Forget(session_id=SessionId(SESSIONS[0])))
    followed.follow()
    assert not followed.consolidator.begin_scope_rebuild(ANNAS_SCOPE)
    followed.log.erase()
    fresh = ConsolidatorStore(tmp_path / "fresh", KEYS.digester)
    fresh.apply(followed.log.records, followed.log.records[-1].position)
    assert fresh.digest() == followed.consolidator.digest()
    fresh.close()


TURNS = st.builds(
    turn,
    st.sampled_from(["yes", "no"]),
    st.sampled_from(SESSIONS),
    role=st.sampled_from(list(Role)),
    message_id=st.none() | st.sampled_from(["1", "2"]),
    occurred_at=st.none() | st.integers(-5, 60).map(at),
)


class Windows(RuleBasedStateMachine):
    """Commands come in any order; the services read the log now and then, and what they send may come late, and twice."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.it = Followed(Path(self.folder.name))
        self.runs: list[SaveFacts] = []
        self.sweeps: list[IdleSession] = []
        self.ids: dict[object, str] = {}

    def teardown(self) -> None:
        self.drain()
        self.it.close()
        self.folder.cleanup()

    @rule(live=TURNS)
    def say(self, live: Turn) -> None:
        if live.message_id and self.ids.setdefault((live.what, live.message_id), live.text) != live.text:
            return
        self.it.log.tell(live, now=at(self.it.minutes))

    @rule(session=st.sampled_from(SESSIONS))
    def finish(self, session: str) -> None:
        state = self.it.log.states.get(ANNAS_SCOPE)
        if state and session in state.sessions:
            self.it.log.tell(end(session), now=at(self.it.minutes))

    @rule(minutes=st.integers(1, 9))
    def wait(self, minutes: int) -> None:
        self.it.minutes += minutes

    @rule()
    def follow(self) -> None:
        self.it.follow()

    @rule()
    def look_for_idle_sessions(self) -> None:
        self.sweeps += self.it.idle()

    @precondition(lambda self: self.sweeps)
    @rule(data=st.data(), is_kept=st.booleans())
    def sweep_one(self, data: st.DataObject, *, is_kept: bool) -> None:
        """`is_kept`: it comes again later."""
        one = data.draw(st.sampled_from(self.sweeps))
        if not is_kept:
            self.sweeps.remove(one)
        state = self.it.log.states[ANNAS_SCOPE]
        [session_id] = self.it.sessions(one)
        last = state.sessions[session_id].last_recorded_at
        for event in self.it.log.tell(sweep_of(one, (session_id,), "idle"), now=at(self.it.minutes)):
            assert microseconds(last) == one.recorded_at, f"{event.type}: somebody spoke meanwhile"

    @rule()
    def sweep_all(self) -> None:
        self.it.log.tell(sweep(at(self.it.minutes), reason="swept"), now=at(self.it.minutes))

    @rule(data=st.data())
    def learn_from_one(self, data: st.DataObject) -> None:
        if pending := self.it.consolidator.pending():
            self.runs.append(self.it.learn(data.draw(st.sampled_from(pending))))

    @precondition(lambda self: self.runs)
    @rule(data=st.data(), is_kept=st.booleans())
    def record_one(self, data: st.DataObject, *, is_kept: bool) -> None:
        run = data.draw(st.sampled_from(self.runs))
        if not is_kept:
            self.runs.remove(run)
        self.it.record(run)

    @invariant()
    def no_turn_is_learned_from_twice(self) -> None:
        assert set(self.it.consolidated.values()) <= {1}

    @invariant()
    def sessions_that_maintenance_knows_are_those_that_are_open(self) -> None:
        if self.it.read == len(self.it.log.records):
            state = self.it.log.states.get(ANNAS_SCOPE)
            known = self.it.maintenance.silent_sessions(before=2**62, after=0, limit=10)
            assert {session_id for one in known for session_id in self.it.sessions(one)} == set(
                state.open_sessions if state else ()
            )

    def drain(self) -> None:
        """In the end every session is completed, every run is recorded: then every turn was learned from, once."""
        self.it.minutes += 100
        self.sweep_all()
        self.it.follow()
        for window in self.it.consolidator.pending():
            self.it.record(self.it.learn(window))
        self.it.follow()
        assert self.it.consolidator.pending() == []
        assert self.it.consolidated == Counter(self.it.turns())
        runs = [event.data.origin.run_id for event in self.it.log.events if isinstance(event.data, SessionConsolidated)]
        assert len(runs) == len(set(runs))


TestWindows = Windows.TestCase
TestWindows.settings = settings(max_examples=examples(40), stateful_step_count=30)
