"""Connections on which no request comes to its end are closed, and nobody can have so many that others find none."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from shared.runtime import quiet_server
from shared.runtime.listening import listening
from shared.runtime.quiet_server import QuietServer

_WHOLE = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


async def _app(_: Scope, receive: Receive, send: Send) -> None:
    while (await receive()).get("more_body"):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@asynccontextmanager
async def _serving() -> AsyncIterator[int]:
    with listening("127.0.0.1", 0) as listener:
        server = QuietServer(uvicorn.Config(_app, log_level="error", lifespan="off"))
        task = asyncio.create_task(server.serve(sockets=[listener]))
        yield listener.getsockname()[1]
        server.stop()
        await task


async def _answer(port: int) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(_WHOLE)
        return await reader.readuntil(b"ok")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""
    finally:
        writer.close()


@pytest.mark.parametrize(
    "begun",
    [
        b"",
        b"GET / HTTP/1.1\r\nX-Slow: ",
        _WHOLE + b"GET /again HTT",
        b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\nabc",
    ],
)
async def test_a_request_that_never_ends_ends_its_connection(begun: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_HEADERS_S", "_SILENT_S", "_LOOKS_S"):
        monkeypatch.setattr(quiet_server, name, 0.05)
    async with _serving() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(begun)
        async with asyncio.timeout(20):
            with suppress(ConnectionError):
                await reader.read()
        writer.close()
        assert (await _answer(port)).startswith(b"HTTP/1.1 200")


async def test_of_one_address_so_many_connections_are_kept_and_when_they_go_others_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(quiet_server, "_MOST", 20)
    async with _serving() as port:
        async with AsyncExitStack() as stack:
            for _ in range(10):
                reader, writer = await asyncio.open_connection("127.0.0.1", port)
                stack.callback(writer.close)
                writer.write(_WHOLE)
                await reader.readuntil(b"ok")
            assert await _answer(port) == b""
        answers = [await _answer(port) for _ in range(50)]  # the server hears that the ten are closed
        assert answers[-1]
