"""The soft cap: the weakest go, what a person keeps stays, and what cannot be helped is reported."""

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.ingest.domain.capacity import MOST_TRIMMED, standing_score
from services.ingest.domain.memories import Fact, Recalled, Status
from services.ingest.domain.policy import Policy
from shared.contracts.event import EventData
from shared.contracts.events import CapacityExceeded, FactRemembered, MemoryRetired
from shared.contracts.ids import MemoryId
from shared.contracts.preferences import PersonSettings
from tests.support.commands import cap, change, extracted, page, pin, recall_of, remember, user_says
from tests.support.paper import PaperLog
from tests.support.scopes import T0, at

DAY = 24 * 60
NAMES = ("Anna", "Ben", "Cleo", "Dora", "Eva", "Finn", "Gus", "Hana", "Ivo", "Jane")


def learn(log: PaperLog, text: str, *, importance: float = 0.5, minutes: float = 0, now: float = 0) -> list[EventData]:
    if not log.state.sessions:
        log.tell(user_says("hi", "s1"))
    command = page(extracted(text, importance=importance, occurred_at=at(minutes)), number=log.state.number)
    return [event.data for event in log.tell(command, now=at(now))]


def learned(log: PaperLog, text: str, *, importance: float = 0.5, minutes: float = 0) -> MemoryId:
    data, *_ = learn(log, text, importance=importance, minutes=minutes)
    assert isinstance(data, FactRemembered)
    return data.memory_id


def trimmed(events: list[EventData]) -> list[MemoryId]:
    return [data.memory_id for data in events if isinstance(data, MemoryRetired)]


def test_up_to_the_cap_nothing_is_trimmed() -> None:
    log = PaperLog(Policy(soft_cap=3))
    assert not any(trimmed(learn(log, f"{name} sings")) for name in NAMES[:3])


def test_beyond_the_cap_the_least_important_goes() -> None:
    log = PaperLog(Policy(soft_cap=2))
    weak = learned(log, "Anna sings", importance=0.1)
    learned(log, "Ben sings", importance=0.9)
    assert trimmed(learn(log, "Cleo sings", importance=0.5)) == [weak]
    assert log.state.live == 2


def test_the_event_says_what_it_weighed_when_and_against_which_cap() -> None:
    log = PaperLog(Policy(soft_cap=1))
    weak = learned(log, "Anna sings", importance=0.25, minutes=-7 * DAY)
    *_, retired = learn(log, "Ben sings")
    assert isinstance(retired, MemoryRetired)
    assert retired.score
    assert (retired.memory_id, retired.reason, retired.cap, retired.computed_at) == (weak, "trimmed", 1, T0)
    assert retired.score.relevance == 0
    assert retired.score.recency == pytest.approx(0.367879, abs=1e-6)
    assert retired.score.total == pytest.approx(0.617879, abs=1e-6)


def test_of_equally_important_ones_the_oldest_goes() -> None:
    log = PaperLog(Policy(soft_cap=2))
    learned(log, "Anna sings", minutes=-DAY)
    old = learned(log, "Ben sings", minutes=-2 * DAY)
    assert trimmed(learn(log, "Cleo sings")) == [old]


def test_of_equal_ones_the_first_that_was_told_goes() -> None:
    log = PaperLog(Policy(soft_cap=2))
    first = learned(log, "Anna sings", minutes=10)
    learned(log, "Ben sings", minutes=10)
    assert trimmed(learn(log, "Cleo sings", minutes=10)) == [first]


def test_what_was_just_learned_competes_like_the_others() -> None:
    log = PaperLog(Policy(soft_cap=1))
    learned(log, "Anna sings", importance=0.9)
    new, retired = learn(log, "Ben sings", importance=0.1, minutes=-90 * DAY)
    assert isinstance(new, FactRemembered)
    assert trimmed([retired]) == [new.memory_id]


def test_a_recall_of_today_counts_and_one_of_the_day_before_does_not() -> None:
    recalled = {"now": at(0), "later": at(24 * 60 + 1)}
    for when, moment in recalled.items():
        log = PaperLog(Policy(soft_cap=2))
        used, unused = learned(log, "Anna sings", importance=0.4), learned(log, "Ben sings", importance=0.6)
        log.tell(recall_of({used: 1.0, unused: 0.0}, computed_at=T0))
        command = page(extracted("Cleo sings", importance=1.0, occurred_at=moment), number=99)
        gone = trimmed([event.data for event in log.tell(command, now=moment)])
        assert gone == [unused if when == "now" else used]


def test_pinned_and_saved_by_hand_are_never_trimmed() -> None:
    log = PaperLog(Policy(soft_cap=2))
    pinned = learned(log, "Anna sings", importance=0.0)
    log.tell(pin(pinned))
    (by_hand,) = log.tell(remember("Ben sings"))
    assert isinstance(by_hand.data, FactRemembered)
    gone = trimmed(learn(log, "Cleo sings", importance=1.0))
    assert gone
    assert not {pinned, by_hand.data.memory_id} & set(gone)


def test_where_only_kept_facts_are_left_it_is_reported_and_then_each_time_the_excess_has_doubled() -> None:
    log = PaperLog(Policy(soft_cap=1))
    reported = []
    for name in NAMES:
        reported += [event.data for event in log.tell(remember(f"{name} sings")) if isinstance(event.data, CapacityExceeded)]
    assert [(data.live, data.cap) for data in reported] == [(2, 1), (3, 1), (5, 1), (9, 1)]


def test_it_is_reported_again_after_it_was_over() -> None:
    log = PaperLog(Policy(soft_cap=2))
    log.tell(remember("Anna sings"))
    log.tell(remember("Ben sings"))
    (first, exceeded) = log.tell(remember("Cleo sings"))
    assert isinstance(first.data, FactRemembered)
    assert exceeded.type == "capacity_exceeded"
    log.tell(cap(5))
    assert [event.type for event in log.tell(cap(2))] == ["settings_changed", "capacity_exceeded"]


def test_a_persons_own_cap_counts_before_the_operators() -> None:
    log = PaperLog(Policy(soft_cap=1))
    log.tell(change(PersonSettings(soft_cap=3)))
    assert not any(trimmed(learn(log, f"{name} sings")) for name in NAMES[:3])
    assert len(trimmed(learn(log, "Dora sings"))) == 1


def test_a_lower_cap_takes_effect_at_once_as_far_as_one_command_can() -> None:
    log = PaperLog(Policy(soft_cap=10_000))
    log.tell(user_says("hi", "s1"))
    facts = [extracted(f"Person {n} sings") for n in range(MOST_TRIMMED + 60)]
    for number, start in enumerate(range(0, len(facts), 250)):
        log.tell(page(*facts[start : start + 250], number=number))
    assert log.state.live == MOST_TRIMMED + 60
    assert len(log.tell(cap(10))) == 1 + MOST_TRIMMED
    learn(log, "Zoe sings")
    assert log.state.live == 10


def test_a_page_that_exceeds_the_cap_keeps_its_strongest() -> None:
    log = PaperLog(Policy(soft_cap=3))
    log.tell(user_says("hi", "s1"))
    facts = [extracted(f"{name} sings", importance=index / 10) for index, name in enumerate(NAMES)]
    *_, last = log.tell(page(*facts, is_last=True))
    assert last.type == "session_consolidated"
    live = [f.importance for m, f in log.state.facts.items() if log.state.memories[m].status is Status.LIVE]
    assert sorted(live) == [0.7, 0.8, 0.9]


def test_the_largest_page_at_the_cap_fits_into_one_append() -> None:
    restored_and_repeated, consolidated, exceeded = 2 * 256, 1, 1
    assert restored_and_repeated + MOST_TRIMMED + consolidated + exceeded <= 1000


moments = st.integers(-10_000, 10_000).map(at)
recalls = st.none() | st.builds(Recalled, st.floats(0, 1), st.floats(0, 1), moments)


@given(st.floats(0, 1), moments, recalls, moments)
def test_a_standing_is_the_sum_of_its_parts_and_each_lies_between_0_and_1(
    importance: float, told_at: datetime, recalled: Recalled | None, now: datetime
) -> None:
    fact = Fact(
        content=b"",
        told_at=told_at,
        manually_saved=False,
        confidence=1,
        fades_from=T0,
        decay_rate=0.1,
        importance=importance,
        parts={},
        recalled=recalled,
    )
    score, computed_at = standing_score(fact, now)
    assert score.total == score.relevance + score.recency + score.importance
    assert 0 <= score.recency <= 1
    assert computed_at in {now, recalled.computed_at if recalled else now}
