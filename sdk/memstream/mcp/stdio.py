"""The server over standard input and output: for clients that start it themselves."""

import asyncio
import os
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


async def serve_stdio(server: Server[Any], stop: asyncio.Event) -> None:
    """Serve until standard input ends. Whatever else is printed meanwhile goes to standard error.

    Where it is told to stop before, the process ends here: a thread reads standard input, and nothing but input wakes it.
    """
    serving, stopping = asyncio.create_task(_serve(server)), asyncio.create_task(stop.wait())
    await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
    if not serving.done():
        os._exit(0)
    stopping.cancel()
    serving.result()


async def _serve(server: Server[Any]) -> None:
    async with stdio_server() as (received, sent):
        await server.run(received, sent, server.create_initialization_options())
