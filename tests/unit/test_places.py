"""Questions of one group wait for each other, and for nobody else's."""

import asyncio
from contextlib import AsyncExitStack

import pytest

from shared.contracts.errors import TooMany
from shared.runtime.places import Places


async def test_a_group_that_waits_long_keeps_no_other_waiting() -> None:
    places = Places(2)
    async with AsyncExitStack() as held:
        for _ in range(2):
            await held.enter_async_context(places.of("a"))
        third = asyncio.create_task(held.enter_async_context(places.of("a")))
        async with asyncio.timeout(5), places.of("b"):
            assert not third.done()
        third.cancel()


async def test_a_place_is_handed_on_in_the_order_of_asking() -> None:
    places, order = Places(1), []

    async def work(number: int) -> None:
        async with places.of("a"):
            order.append(number)
            await asyncio.sleep(0)

    await asyncio.gather(*(work(number) for number in range(5)))
    assert order == [0, 1, 2, 3, 4]


async def test_more_than_may_wait_are_refused_at_once_and_may_come_again() -> None:
    places = Places(1, most_waiting=1)
    async with places.of("a"):
        waiting = asyncio.create_task(places.of("a").__aenter__())
        await asyncio.sleep(0)
        with pytest.raises(TooMany, match="ask again later"):
            await places.of("a").__aenter__()
        waiting.cancel()
        await asyncio.wait([waiting])
    async with places.of("a"):
        pass


async def test_a_group_of_which_nobody_is_there_is_forgotten() -> None:
    places = Places(1)
    for number in range(3):
        async with places.of(number):
            pass
    assert (places._groups, places._there) == ({}, {})
