"""Decay is a function of time: the formula, its additivity, and when what falls below a threshold."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain.decay import DAY, SHIPPED, Fading, decayed, lasting, log_confidence

confidences = st.floats(0.001, 1)
rates = st.floats(0.001, 5)
days = st.floats(0, 1_000)


@given(confidences, rates, days, days)
def test_decay_of_some_days_and_then_others_is_that_of_all_of_them(confidence: float, rate: float, a: float, b: float) -> None:
    after_both = decayed(decayed(confidence, rate=rate, days=a), rate=rate, days=b)
    assert math.isclose(after_both, decayed(confidence, rate=rate, days=a + b), rel_tol=1e-9, abs_tol=1e-300)


@given(confidences, rates, days, days)
def test_confidence_never_rises_with_time_nor_above_what_it_was(confidence: float, rate: float, a: float, b: float) -> None:
    sooner, later = sorted((a, b))
    assert 0 <= decayed(confidence, rate=rate, days=later) <= decayed(confidence, rate=rate, days=sooner) <= confidence


@given(confidences, rates, st.integers(0, 2_000_000_000_000_000), st.floats(0.01, 0.9))
def test_a_fact_falls_below_a_threshold_at_one_moment_and_stays_there(
    confidence: float, rate: float, anchor: int, below: float
) -> None:
    fading = Fading(confidence, anchor, rate)
    falls_at = fading.falls_at(below)
    assert falls_at is not None
    if falls_at > anchor:
        assert fading.at(falls_at - DAY // 1_000) >= below or falls_at - DAY // 1_000 < anchor
    assert fading.at(falls_at + DAY // 1_000) < below


@pytest.mark.parametrize(("confidence", "days"), [(1.0, 30), (0.8, 28), (0.05, 1)])
def test_by_the_shipped_policy_a_certain_fact_goes_in_the_night_after_the_thirtieth_day(confidence: float, days: int) -> None:
    fading = Fading(confidence, 0, SHIPPED.rate)
    assert fading.at(days * DAY) < SHIPPED.retires_below <= fading.at((days - 1) * DAY)


def test_what_does_not_fade_never_falls() -> None:
    assert Fading(0.01, 0, 0.0).falls_at(0.05) is None
    assert Fading(0.01, 0, 0.1).falls_at(0.0) is None
    assert Fading(0.01, 0, 0.0).at(10**18) == 0.01


@pytest.mark.parametrize("rate", [5e-324, 1e-300, 1e-9, 100.0])
def test_every_time_fits_into_63_bits(rate: float) -> None:
    assert abs(lasting(-log_confidence(0.0), rate)) < 2**62
