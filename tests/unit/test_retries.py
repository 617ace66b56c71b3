from __future__ import annotations

import pytest

from shared.contracts.errors import Misconfigured, Unavailable
from shared.runtime.retries import Backoff, Breaker, retry_while_unavailable, spread
from tests.support.scopes import FixedClock


def test_pauses_double_up_to_the_longest() -> None:
    backoff = Backoff(first_s=5, longest_s=300)
    assert [backoff.failed(Unavailable()) for _ in range(8)] == [5, 10, 20, 40, 80, 160, 300, 300]


def test_thousands_of_failures_pause_no_longer() -> None:
    backoff = Backoff(first_s=5, longest_s=300)
    assert {backoff.failed(Unavailable()) for _ in range(3_000)} >= {300}
    assert backoff.failures == 3_000


def test_a_success_begins_anew_and_no_words_are_kept() -> None:
    backoff = Backoff(first_s=5, longest_s=300)
    backoff.failed(Misconfigured("the text was: my secret"))
    assert (backoff.failures, backoff.last_error) == (1, "misconfigured")
    backoff.succeeded()
    assert (backoff.failures, backoff.last_error) == (0, None)
    assert backoff.failed(Unavailable()) == 5


async def test_an_attempt_is_repeated_while_the_server_is_unavailable_and_no_longer() -> None:
    outcomes: list[Exception | str] = [Unavailable(), Unavailable(), "there"]

    async def attempt() -> str:
        outcome = outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    assert await retry_while_unavailable(attempt) == "there"
    outcomes.append(Misconfigured("the key is refused"))
    with pytest.raises(Misconfigured):
        await retry_while_unavailable(attempt)


def test_a_breaker_lets_nothing_through_until_the_pause_is_over() -> None:
    clock = FixedClock()
    breaker = Breaker(clock, first_s=60, longest_s=600, jitter=lambda pause_s: pause_s)
    assert (breaker.wait_s, breaker.is_open) == (0, False)
    breaker.failed(Unavailable())
    assert breaker.wait_s == 60
    clock.advance(0.5)
    assert breaker.wait_s == 30
    clock.advance(1)
    assert breaker.wait_s == 0
    clock.advance(-60)  # set back: nobody waits for the clock to come to that moment once more
    assert breaker.wait_s == 0


def test_after_three_failures_in_a_row_a_small_try_comes_first() -> None:
    breaker = Breaker(FixedClock(), first_s=1, longest_s=1)
    opened = []
    for _ in range(4):
        breaker.failed(Unavailable())
        opened.append(breaker.is_open)
    assert opened == [False, False, True, True]
    breaker.succeeded()
    assert (breaker.is_open, breaker.wait_s) == (False, 0)


def test_pauses_are_spread_over_their_second_half() -> None:
    pauses = [spread(10) for _ in range(200)]
    assert all(5 <= pause_s <= 10 for pause_s in pauses)
    assert max(pauses) - min(pauses) > 2
