"""A client whose server is away says so within a second, and goes on by itself when it is back."""

from __future__ import annotations

import asyncio

import pytest

from memstream import MemoryClient, Unavailable
from tests.support.clocks import LoopTime
from tests.support.installations import PATIENCE_S, Installation


async def test_a_lost_connection_is_told_within_a_second_and_comes_back_by_itself(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = own_server.settings
    async with MemoryClient(user="anna", url=settings.nats_url, data_dir=settings.data_dir) as memory:
        await memory.add("I like tea", session_id="s1")
        await own_server.server.stop()
        for ask in (memory.stats, lambda: memory.add("I like jazz", session_id="s1")):
            with monkeypatch.context() as patched:
                time = LoopTime(patched)
                asking = asyncio.ensure_future(ask())
                for _ in range(9):
                    await time.passes(0.1)
                assert asking.done(), "it is told"
            with pytest.raises(Unavailable, match=r"lost.*memstream up"):
                await asking
        await own_server.server.start()
        async with asyncio.timeout(PATIENCE_S):
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
