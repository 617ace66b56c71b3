"""Whoever dials a server that takes the connection and says nothing gives up, and leaves no socket open."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from memstream.client import MemoryClient
from shared.contracts.errors import Unavailable
from shared.contracts.ids import Space, User
from shared.runtime.connection import Client, dial

_PATIENCE_S = 30.0


class SilentServer:
    """Takes connections and says nothing."""

    def __init__(self) -> None:
        self.url = ""
        self.left = asyncio.Event()
        """Set when whoever dialled has closed the socket."""

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()
        self.left.set()


@pytest.fixture
async def silent() -> AsyncIterator[SilentServer]:
    silent = SilentServer()
    async with await asyncio.start_server(silent.take, "127.0.0.1", 0) as server:
        silent.url = f"nats://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        yield silent


async def test_a_service_closes_what_it_dialled(silent: SilentServer) -> None:
    client = Client()  # held, so that no garbage collector closes it
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await dial(client, silent.url, allow_reconnect=False)
    await asyncio.wait_for(silent.left.wait(), _PATIENCE_S)
    assert not client.is_connected


async def test_a_bot_closes_what_it_dialled(silent: SilentServer) -> None:
    client = MemoryClient(space=Space("bot"), user=User("anna"), url=silent.url, connect_timeout_s=0.2)
    with pytest.raises(Unavailable):
        await client.__aenter__()
    await asyncio.wait_for(silent.left.wait(), _PATIENCE_S)
