"""What is decided about a person takes steps in proportion to what is known: nobody's memory keeps a service busy."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise

import pytest

from services.ingest.domain.cascade import going
from services.ingest.domain.recollection import Recollection, ToldMemory
from services.ingest.domain.telling import Alone, Passages, said_in, telling, tells
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Kind
from tests.support.scopes import KEYS
from tests.support.steps import steps_of

DIGESTER = KEYS.digester
MOST_TIMES = 12
"""Steps that ten times the memory may take."""


def _id(prefix: str, number: int) -> MemoryId:
    return MemoryId(f"{prefix}_{number:024x}")


def _forget_everything(memories: int) -> Callable[[], object]:
    """Forget every fact of somebody who told each of them in a turn as well."""
    told: dict[MemoryId, ToldMemory] = {}
    for n in range(memories):
        fact, turn = _id("fa", n), _id("ep", n)
        told[fact] = ToldMemory(fact, Kind.FACT, n, (f"My friend Ann{n}a likes tea number {n}.",))
        told[turn] = ToldMemory(turn, Kind.EPISODE, n, (f"Ann{n}a likes tea, number {n}!",))
    facts = [each.memory_id for each in told.values() if each.kind is Kind.FACT]
    return lambda: going(facts, Recollection(told), DIGESTER, only=False)


def _forget_what_was_corrected(memories: int) -> Callable[[], object]:
    """Forget the newest version of a fact that was corrected again and again."""
    ids = [_id("fa", n) for n in range(memories)]
    told = {each: ToldMemory(each, Kind.FACT, n, (f"I weigh {n} kg",)) for n, each in enumerate(ids)}
    recollection = Recollection(told, replaced=dict(pairwise(ids)))
    return lambda: recollection.earlier(ids[-1])


def _compare_with_what_was_forgotten(memories: int) -> Callable[[], object]:
    """Compare a long text with many tombstones."""
    stones = [found for n in range(memories) if (found := telling(f"Ann{n}a likes tea number {n}.", Alone(), DIGESTER))]
    said = said_in(" ".join(f"I met Bob{n}b in York." for n in range(200)), DIGESTER)

    def compare() -> object:
        near = Passages(said)
        return [any(tells(stone, each, by_others=True) for each in near.sharing_a_word(stone)) for stone in stones]

    return compare


@pytest.mark.parametrize("made", [_forget_everything, _compare_with_what_was_forgotten])
def test_ten_times_the_memories_take_ten_times_the_steps(made: Callable[[int], Callable[[], object]]) -> None:
    few, many = (_steps(made(memories)) for memories in (30, 300))
    assert many <= MOST_TIMES * few


def test_the_earlier_versions_of_a_fact_are_found_in_time_proportional_to_them() -> None:
    few, many = (min(_seconds(_forget_what_was_corrected(memories)) for _ in range(3)) for memories in (300, 3_000))
    assert many <= 40 * few, "looking through all for each takes a hundred times as long"


def test_a_long_text_is_not_compared_as_a_whole_with_each_tombstone() -> None:
    assert _steps(_compare_with_what_was_forgotten(100)) < 100 * 200


def _seconds(decide: Callable[[], object]) -> float:
    began = time.thread_time()
    decide()
    return time.thread_time() - began


def _steps(decide: Callable[[], object]) -> int:
    decide()  # loads what is loaded at first use
    return steps_of(decide)
