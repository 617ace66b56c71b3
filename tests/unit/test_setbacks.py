from __future__ import annotations

from shared.contracts.errors import Misconfigured, Unavailable
from shared.runtime.setbacks import Setbacks


def test_pauses_double_up_to_the_longest() -> None:
    setbacks = Setbacks(first_s=5, longest_s=300)
    assert [setbacks.failed(Unavailable()) for _ in range(8)] == [5, 10, 20, 40, 80, 160, 300, 300]


def test_thousands_of_failures_pause_no_longer() -> None:
    setbacks = Setbacks(first_s=5, longest_s=300)
    assert {setbacks.failed(Unavailable()) for _ in range(3_000)} >= {300}
    assert setbacks.failures == 3_000


def test_a_success_begins_anew_and_no_words_are_kept() -> None:
    setbacks = Setbacks(first_s=5, longest_s=300)
    setbacks.failed(Misconfigured("the text was: my secret"))
    assert (setbacks.failures, setbacks.last_error) == (1, "misconfigured")
    setbacks.succeeded()
    assert (setbacks.failures, setbacks.last_error) == (0, None)
    assert setbacks.failed(Unavailable()) == 5
