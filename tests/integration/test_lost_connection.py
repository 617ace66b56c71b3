"""A client whose server is away says so within a second, and goes on by itself when it is back."""

from __future__ import annotations

import asyncio
import time

import pytest

from memstream import MemoryClient, Unavailable
from tests.support.installations import Installation

WITHIN_S = 1.0


async def test_a_lost_connection_is_told_within_a_second_and_comes_back_by_itself(own_server: Installation) -> None:
    settings = own_server.settings
    async with MemoryClient(user="anna", url=settings.nats_url, data_dir=settings.data_dir) as memory:
        await memory.add("I like tea", session_id="s1")
        await own_server.server.stop()
        for ask in (memory.stats, lambda: memory.add("I like jazz", session_id="s1")):
            began = time.perf_counter()
            with pytest.raises(Unavailable, match=r"lost.*memstream up"):
                await ask()
            assert time.perf_counter() - began < WITHIN_S
        await own_server.server.start()
        async with asyncio.timeout(30):
            while True:
                try:
                    assert (await memory.add("I like jazz", session_id="s1", message_id="m1")).sequence
                except Unavailable:
                    await asyncio.sleep(0.1)
                else:
                    break


async def test_a_short_break_is_not_noticed(own_server: Installation) -> None:
    settings = own_server.settings
    async with MemoryClient(user="anna", url=settings.nats_url, data_dir=settings.data_dir, reconnect_timeout_s=30) as memory:
        await own_server.server.stop()
        adding = asyncio.create_task(memory.add("I like tea", session_id="s1"))
        await own_server.server.start()
        assert (await adding).sequence
