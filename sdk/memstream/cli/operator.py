"""The command line's own connection to the server, for administration."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from shared.contracts.errors import Unavailable
from shared.runtime.connection import Client, operator_connection
from shared.runtime.settings import RuntimeSettings

_CONNECT_TIMEOUT_S = 5.0


@asynccontextmanager
async def operator(settings: RuntimeSettings) -> AsyncIterator[Client]:
    """A connection. Raises Unavailable within 5 s: nats-py itself would try a dead address for ever."""
    async with AsyncExitStack() as stack:
        try:
            async with asyncio.timeout(_CONNECT_TIMEOUT_S):
                client = await stack.enter_async_context(operator_connection(settings))
        except TimeoutError as error:
            raise Unavailable("the NATS server does not answer; start it with `memstream up`") from error
        yield client
