"""Who sends more than is allowed is told so; who pauses may send again; nobody else pays for it."""

from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from services.ingest.domain.allowance import Allowance, Amount, Meter
from tests.support.scopes import T0, at

TWO_A_SECOND = Allowance(Amount(messages=2, bytes=100), burst_s=5)


def refused(meter: Meter, sender: str, *, size: int = 1, seconds: float = 0) -> str | None:
    spent = meter.after(sender, size, T0 + timedelta(seconds=seconds))
    kind = spent.exceeds(meter.allowance)
    if kind is None:
        meter.note(sender, spent)
    return kind


def test_a_burst_may_come_at_once_and_then_as_much_as_is_given_back() -> None:
    meter = Meter(TWO_A_SECOND)
    assert [refused(meter, "anna") for _ in range(11)] == [None] * 10 + ["messages"]
    assert [refused(meter, "anna", seconds=1) for _ in range(3)] == [None, None, "messages"]


def test_bytes_count_too() -> None:
    meter = Meter(TWO_A_SECOND)
    assert [refused(meter, "anna", size=499), refused(meter, "anna", size=2)] == [None, "bytes"]


def test_nobody_pays_for_another() -> None:
    meter = Meter(TWO_A_SECOND)
    assert [refused(meter, "anna") for _ in range(11)][-1] == "messages"
    assert refused(meter, "ben") is None


def test_without_a_limit_anything_may_come() -> None:
    meter = Meter(Allowance(Amount(0, 0), burst_s=5))
    assert {refused(meter, "anna", size=10**9) for _ in range(100)} == {None}


def test_what_is_given_back_is_forgotten() -> None:
    meter = Meter(TWO_A_SECOND)
    for number in range(100):
        refused(meter, f"user {number}", seconds=number * 60)
    assert len(meter._spent) <= 2


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 200)), max_size=60))
def test_in_no_time_more_passes_than_a_burst_and_what_is_given_back(sent: list[tuple[int, int]]) -> None:
    meter = Meter(TWO_A_SECOND)
    passed = [(second, size) for second, size in sorted(sent) if refused(meter, "anna", size=size, seconds=second) is None]
    for place, (begin, _) in enumerate(passed):
        for end in {second for second, _ in passed[place:]}:
            within = [size for second, size in passed[place:] if second <= end]
            assert len(within) <= 2 * (end - begin + 5)
            assert sum(within) <= 100 * (end - begin + 5)


@given(st.lists(st.integers(-30, 30), min_size=1, max_size=30))
def test_messages_of_other_lanes_may_be_older(seconds: list[int]) -> None:
    meter = Meter(TWO_A_SECOND)
    for second in seconds:
        meter.note("anna", meter.after("anna", 1, at(1) + timedelta(seconds=second)))
    assert 0 < meter.after("anna", 1, at(1)).amount.messages <= len(seconds) + 1
