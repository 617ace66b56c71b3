"""A connection that is made when it is first needed, and again after it was lost."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from memstream._contracts import NotCaughtUp, Unavailable
from memstream.client import MemoryClient
from memstream.client.memories import Memories

_AnsweredOnce = TypeVar("_AnsweredOnce")


class LastingClient:
    """Gives the memories of one person to whoever asks, though memstream may start later than we, or again elsewhere."""

    def __init__(self, make: Callable[[], MemoryClient]) -> None:
        self._make = make
        self._client: MemoryClient | None = None
        self._connecting = asyncio.Lock()

    async def ask(self, question: Callable[[Memories], Awaitable[_AnsweredOnce]]) -> _AnsweredOnce:
        """The answer to a question. Raises the MemstreamError that says why there is none; the next may find one."""
        client = await self._connected()
        try:
            return await question(client)
        except Unavailable as error:
            if not isinstance(error, NotCaughtUp):
                await self._drop(client)
            raise

    async def aclose(self) -> None:
        """Close the connection, if there is one."""
        if self._client:
            await self._drop(self._client)

    async def _connected(self) -> MemoryClient:
        async with self._connecting:
            if self._client is None:
                self._client = await self._make().__aenter__()
            return self._client

    async def _drop(self, client: MemoryClient) -> None:
        """Close a connection over which nothing came: memstream may have started again, at another address."""
        if self._client is client:
            self._client = None
        await client.close()
