"""While a backup is made, ingest decides what comes and keeps it in SEND; a restart of ingest in between is noticed."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest

from shared.contracts.errors import Unavailable
from shared.contracts.ids import Space
from shared.runtime.snapshots import nothing_purged
from shared.runtime.topology import SEND
from tests.support.installations import Bot, Installation, running, until


async def test_what_is_decided_while_a_backup_is_made_stays_in_send_until_it_is_made(own_server: Installation) -> None:
    async with running(own_server.settings), own_server.connected("bot") as bot, own_server.connected("operator") as client:

        async def in_transit() -> int:
            return int((await client.jetstream().stream_info(SEND)).state.messages)

        async def is_drained() -> bool:
            return not await in_transit()

        async with nothing_purged(client):
            for number in range(5):
                assert (await Bot(bot, Space("home")).said("anna", f"Remark {number}.")).verdict == "recorded"
            await asyncio.sleep(2.5)  # ingest looks every two seconds
            assert await in_transit() == 5
        await until(is_drained, what="SEND is purged")


async def test_a_backup_fails_if_ingest_is_another_at_its_end(own_server: Installation) -> None:
    async with own_server.connected("operator") as client, AsyncExitStack() as ingest:
        await ingest.enter_async_context(running(own_server.settings))
        backup = nothing_purged(client)
        await backup.__aenter__()
        await ingest.aclose()
        await ingest.enter_async_context(running(own_server.settings))
        with pytest.raises(Unavailable, match="ingest started or ended while SEND was copied"):
            await backup.__aexit__(None, None, None)


async def test_without_ingest_nothing_is_purged(own_server: Installation) -> None:
    async with own_server.connected("operator") as client, nothing_purged(client):
        pass
