"""Whatever reads a person's text takes steps in proportion to it: no message can keep a service busy."""

from __future__ import annotations

import functools
import gc
import statistics
import time
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.language.text.length import LONGEST_READ
from tests.support.steps import steps_of
from tests.support.text_readers import ENDS, READERS, UNITS, Reader, hostile

SHORT, LONG = 80, 800
"""Characters, for counted steps."""
MOST_TIMES = 14
"""Steps that ten times the text may take: ten times as many, and what is done once more often for a longer one."""
FIXED_STEPS = 1_500
"""What a reader does whatever the text, such as loading a table."""


@pytest.fixture(scope="module", params=READERS)
def reader(request: pytest.FixtureRequest) -> Reader:
    read = READERS[request.param]
    read("My sister Anna Lind has lived in York since 3 May 2021, I think.")  # loads what is loaded at first use
    return read


@pytest.mark.parametrize("units", [UNITS[::8], pytest.param(UNITS, marks=pytest.mark.nightly)], ids=["some", "all"])
def test_ten_times_the_text_takes_ten_times_the_steps(reader: Reader, units: Sequence[str]) -> None:
    for unit in units:
        few, many = (_steps(reader, f"so [{hostile(unit, characters)}x!") for characters in (SHORT, LONG))
        assert many <= MOST_TIMES * few + FIXED_STEPS, unit


@given(
    name=st.sampled_from(sorted(READERS)),
    text=st.lists(st.sampled_from(UNITS) | st.characters(codec="utf-8"), max_size=40).map("".join),
)
def test_any_text_is_read_without_an_error_in_steps_bounded_by_its_length(name: str, text: str) -> None:
    few, many = (_steps(READERS[name], text * times) for times in (1, 10))
    assert many <= MOST_TIMES * few + FIXED_STEPS


@pytest.mark.parametrize(
    "said", ["{}", "on May {}", "the {}th of May", "in {} days", "{} years", "at {}:30", "{}-12-12", "{},{}", "{}mg"]
)
def test_a_number_of_thousands_of_digits_is_read_without_an_error(reader: Reader, said: str) -> None:
    """Python makes no number of more than 4,300 digits."""
    reader(f"So, {said.replace('{}', '9' * 4_900)} you know")


@pytest.mark.nightly
@pytest.mark.timeout(3_600)
def test_ten_times_the_text_takes_ten_times_the_processor(reader: Reader) -> None:
    """Steps of expressions are not counted above; a quadratic one takes a hundred times as long."""
    for unit in UNITS:
        for end in ENDS:
            short, long = (f"so [{hostile(unit, size)}{end}" for size in (LONGEST_READ // 10, LONGEST_READ))
            if _seconds(reader, long) > 0.1:
                slow, fast = (statistics.median(_seconds(reader, text) for _ in range(5)) for text in (long, short))
                assert slow <= 40 * max(fast, 0.002), (unit, end)


def _steps(read: Reader, text: str) -> int:
    _forget_what_was_read()
    return steps_of(lambda: read(text))


def _seconds(read: Reader, text: str) -> float:
    _forget_what_was_read()
    began = time.process_time()
    read(text)
    return time.process_time() - began


def _forget_what_was_read() -> None:
    for cache in _caches():
        cache.cache_clear()


@functools.cache
def _caches() -> list[functools._lru_cache_wrapper[object]]:
    """The bounded caches, which hold texts; the unbounded ones hold tables."""
    every = (each for each in gc.get_objects() if isinstance(each, functools._lru_cache_wrapper))
    return [each for each in every if each.cache_parameters()["maxsize"] is not None and _is_ours(each)]


def _is_ours(cache: Callable[..., object]) -> bool:
    return cache.__module__.partition(".")[0] in {"shared", "services"}
