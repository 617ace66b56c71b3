"""Questions of one person wait for each other, and for nobody else's; their time counts from when they came."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from shared.contracts.errors import NotCaughtUp, TooMany
from shared.runtime.places import Places, left_s, note_arrival
from tests.support.clocks import LoopTime
from tests.support.installations import PATIENCE_S

_ANNA, _BEN, _ELSEWHERE = ("home", "context", "anna"), ("home", "context", "ben"), ("work", "context", "anna")


@pytest.mark.parametrize("other", [_BEN, _ELSEWHERE, ("home", "search", "anna")])
async def test_a_person_who_waits_long_keeps_nobody_else_waiting(other: tuple[str, str, str]) -> None:
    places = Places(2)
    async with AsyncExitStack() as held:
        for _ in range(2):
            await held.enter_async_context(places.of(*_ANNA))
        third = asyncio.create_task(held.enter_async_context(places.of(*_ANNA)))
        async with asyncio.timeout(PATIENCE_S), places.of(*other):
            assert not third.done()
        third.cancel()


async def test_a_place_is_handed_on_in_the_order_of_asking() -> None:
    places, order = Places(1), []

    async def work(number: int) -> None:
        async with places.of(*_ANNA):
            order.append(number)
            await asyncio.sleep(0)

    await asyncio.gather(*(work(number) for number in range(5)))
    assert order == [0, 1, 2, 3, 4]


async def test_more_than_may_wait_of_a_person_are_refused_at_once_and_may_come_again() -> None:
    places = Places(1, most_of_person=2)
    async with places.of(*_ANNA):
        waiting = asyncio.create_task(places.of(*_ANNA).__aenter__())
        await asyncio.sleep(0)
        with pytest.raises(TooMany, match="ask again later"):
            await places.of(*_ANNA).__aenter__()
        async with places.of(*_BEN):
            pass
        waiting.cancel()
        await asyncio.wait([waiting])
    async with places.of(*_ANNA):
        pass


async def test_more_than_may_be_there_of_a_space_are_refused_and_those_of_other_spaces_are_not() -> None:
    places = Places(1, most_of_space=1)
    async with places.of(*_ANNA):
        with pytest.raises(TooMany):
            await places.of(*_BEN).__aenter__()
        async with places.of(*_ELSEWHERE):
            pass


async def test_a_person_of_whom_nothing_is_there_is_forgotten() -> None:
    places = Places(1)
    for user in ("anna", "ben"):
        async with places.of("home", "context", user):
            pass
    assert (places._places, places._there) == ({}, {})


async def test_the_time_of_a_question_counts_from_when_it_came(monkeypatch: pytest.MonkeyPatch) -> None:
    time = LoopTime(monkeypatch)
    note_arrival()
    await time.passes(3)
    assert left_s(10) == pytest.approx(7)
    with pytest.raises(NotCaughtUp, match="within 2 s"):
        left_s(2)


async def test_who_does_not_say_when_it_came_has_all_its_time() -> None:
    assert left_s(2) == 2
