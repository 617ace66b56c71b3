from __future__ import annotations

import pytest

from shared.contracts.errors import Misconfigured, Unavailable
from shared.runtime.retries import Backoff, retry_while_unavailable


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
