"""Which sessions maintenance finds idle. Source: issue "the write path in full", sessions."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from services.maintenance.store import IdleSession, MaintenanceStore
from services.maintenance.sweeping import Reason, sweep_of
from shared.contracts.commands import SweepSessions
from shared.contracts.event import EventData
from shared.contracts.ids import Position, SessionId
from shared.contracts.preferences import PersonSettings, SettingsChanged
from shared.domain.moments import microseconds
from shared.runtime.projector import Recorded
from tests.support.commands import agent_says, end, user_says
from tests.support.paper import PaperLog
from tests.support.scopes import ANNA, ANNAS_SCOPE, BEN, KEYS, T0, at


class Followed:
    """A log on paper, and maintenance.db that follows it."""

    def __init__(self, folder: Path) -> None:
        self.log = PaperLog()
        self.store = MaintenanceStore(folder, KEYS.digester)

    def idle(self, minutes: float, *, default: float | None = 30, settle: float = 1, limit: int = 100) -> list[str]:
        self.store.apply(self.log.records[self.store.checkpoint().position :], Position(len(self.log.records)))
        now = microseconds(at(minutes))
        found = self.store.idle_sessions(now=now, default_minutes=default, settle_minutes=settle, limit=limit)
        return [session_id for one in found for session_id in self.ids(one)]

    def ids(self, one: IdleSession) -> tuple[SessionId, ...]:
        return self.log.events[one.position - 1].data.sessions

    def sweep(self, one: IdleSession, reason: Reason) -> SweepSessions:
        return sweep_of(one, self.ids(one), reason)

    def happen(self, data: EventData) -> None:
        """An event that has no rule here."""
        like = self.log.events[-1]
        event = like.model_copy(update={"type": data.event_type, "number": like.number + 1, "data": data})
        self.log.records.append(Recorded(Position(len(self.log.records) + 1), ANNAS_SCOPE, event))


@pytest.fixture
def followed(tmp_path: Path) -> Iterator[Followed]:
    followed = Followed(tmp_path)
    yield followed
    followed.store.close()


def test_a_session_is_idle_after_its_time_and_not_before(followed: Followed) -> None:
    followed.log.tell(user_says("one"), now=at(0))
    followed.log.tell(agent_says("two"), now=at(10))
    assert followed.idle(39.99) == []
    assert followed.idle(40) == ["s1"]


def test_a_completed_session_is_never_idle_and_a_resumed_one_is_again(followed: Followed) -> None:
    followed.log.tell(user_says("one"))
    followed.log.tell(end(), now=at(1))
    assert followed.idle(99) == []
    followed.log.tell(user_says("two"), now=at(100))
    assert followed.idle(129) == []
    assert followed.idle(130) == ["s1"]


def test_a_session_of_the_past_is_idle_when_nothing_more_came_for_a_moment(followed: Followed) -> None:
    followed.log.tell(user_says("long ago", occurred_at=at(-9_000)), now=at(0))
    assert followed.idle(0.9) == []
    assert followed.idle(1) == ["s1"]


def test_a_moment_in_the_future_keeps_no_session_open(followed: Followed) -> None:
    followed.log.tell(user_says("tomorrow", occurred_at=at(9_000)), now=at(0))
    assert followed.idle(30) == ["s1"]


def test_a_late_message_in_a_session_that_goes_on_does_not_make_it_idle(followed: Followed) -> None:
    followed.log.tell(user_says("now"), now=at(100))
    followed.log.tell(user_says("late", occurred_at=at(1)), now=at(101))
    assert followed.idle(103) == []


def test_a_person_says_how_long_silence_may_last_and_takes_it_back(followed: Followed) -> None:
    followed.log.tell(user_says("one"))
    followed.happen(SettingsChanged(settings=PersonSettings(idle_minutes=5), before=PersonSettings()))
    assert followed.idle(5) == ["s1"]
    assert followed.idle(5, default=None) == ["s1"]
    followed.happen(SettingsChanged(settings=PersonSettings(idle_minutes=90), before=PersonSettings()))
    assert followed.idle(89) == []
    followed.happen(SettingsChanged(settings=PersonSettings(), before=PersonSettings()))
    assert followed.idle(30) == ["s1"]


def test_without_a_time_no_session_is_ever_idle(followed: Followed) -> None:
    followed.log.tell(user_says("one"))
    assert followed.idle(999_999, default=None) == []


def test_one_persons_time_is_nobody_elses(followed: Followed) -> None:
    followed.log.tell(user_says("one", "bens"), user=BEN)
    followed.log.tell(user_says("one", "annas"), user=ANNA)
    followed.happen(SettingsChanged(settings=PersonSettings(idle_minutes=5), before=PersonSettings()))
    assert followed.idle(5) == ["annas"]


def test_the_longest_silent_come_first(followed: Followed) -> None:
    followed.log.tell(user_says("one", "bens"), user=BEN)
    followed.log.tell(user_says("one", "annas"), user=ANNA, now=at(1))
    assert followed.idle(99, limit=1) == ["bens"]


def test_a_sweep_names_the_turn_that_was_seen_and_is_the_same_from_every_replica(followed: Followed) -> None:
    followed.log.tell(user_says("one"), now=T0)
    followed.idle(99)
    (one,) = followed.store.silent_sessions(before=microseconds(T0), after=0, limit=9)
    sweep = followed.sweep(one, "idle")
    assert sweep == followed.sweep(one, "idle")
    assert sweep.message_id == f"idle/{followed.log.events[-1].number}"
    assert sweep.session_ids == ("s1",)
    assert [event.type for event in followed.log.tell(sweep, now=at(99))] == ["session_completed"]
    assert followed.log.tell(sweep, now=at(99)) == []
    assert followed.log.tell(followed.sweep(one, "swept"), now=at(99)) == []


def test_a_word_said_right_after_the_turn_that_was_seen_stops_the_sweep(followed: Followed) -> None:
    followed.log.tell(user_says("one"), now=T0)
    followed.idle(99)
    (one,) = followed.store.silent_sessions(before=microseconds(T0), after=0, limit=9)
    followed.log.tell(agent_says("two"), now=T0 + timedelta(microseconds=1))
    assert followed.log.tell(followed.sweep(one, "idle"), now=at(99)) == []


def test_sessions_are_swept_by_hand_page_by_page(followed: Followed) -> None:
    for minutes, user in enumerate((ANNA, BEN)):
        followed.log.tell(agent_says("one", "a"), user=user, now=at(minutes))
        followed.log.tell(agent_says("one", "b"), user=user, now=at(minutes))
    followed.idle(0)
    before, found, after = microseconds(at(0)), [], 0
    while page := followed.store.silent_sessions(before=before, after=after, limit=1):
        found += page
        after = page[-1].position
    assert [(one.scope, *followed.ids(one)) for one in found] == [(ANNAS_SCOPE, "a"), (ANNAS_SCOPE, "b")]
