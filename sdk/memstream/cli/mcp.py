"""`mcp`: the memory of one person as tools, resources and a prompt for clients of the Model Context Protocol."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from memstream.cli.options import about_person
from memstream.cli.root import version
from memstream.cli.session import CliSession, progress_console, run
from memstream.client import MemoryClient
from shared.runtime.credentials import DEFAULT_BOT

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

    from memstream.mcp.lasting import LastingClient

Transport: TypeAlias = "Callable[[Server[Any], asyncio.Event], Awaitable[None]]"

_PORT = 8644
_TRANSPORTS = ("stdio", "http")
_HTTP = {"http", "streamable-http"}

TransportOption = Annotated[
    str, typer.Option("--transport", help="stdio, or http: streamable HTTP.", autocompletion=lambda: list(_TRANSPORTS))
]
HostOption = Annotated[str, typer.Option("--host", help="Of http: the address to listen at.")]
McpPortOption = Annotated[int, typer.Option("--port", min=0, max=65535, help="Of http: the port; 0: a free one.")]
HostsOption = Annotated[
    list[str] | None,
    typer.Option("--allow-host", help="Of http: another name that it may be called by, as memory.lan:8644; may be repeated."),
]
OriginsOption = Annotated[
    list[str] | None,
    typer.Option("--allow-origin", help="Of http: a web page that may ask, as http://localhost:3000; may be repeated."),
]
ServedSessionOption = Annotated[
    str | None, typer.Option("--session", help="The conversation that it serves: its facts name it, its contexts leave it out.")
]
ReadOnlyOption = Annotated[bool, typer.Option("--read-only", help="Offer only the tools that change nothing.")]


@about_person
def mcp(
    session: CliSession,
    *,
    transport: TransportOption = "stdio",
    host: HostOption = "127.0.0.1",
    port: McpPortOption = _PORT,
    hosts: HostsOption = None,
    origins: OriginsOption = None,
    session_id: ServedSessionOption = None,
    read_only: ReadOnlyOption = False,
) -> None:
    """Serve one person's memory to a desktop or coding client, over the Model Context Protocol."""
    from memstream.mcp.lasting import LastingClient  # noqa: PLC0415 - here and below: an extra, and --help does without
    from memstream.mcp.server import memory_server  # noqa: PLC0415

    if transport not in {"stdio", *_HTTP}:
        raise typer.BadParameter(f"there is no transport {transport}; choose one of {', '.join(_TRANSPORTS)}")
    serve = _stdio if transport == "stdio" else _http(host, port, hosts=hosts or (), origins=origins or ())
    client = LastingClient(partial(_client, session))
    server = memory_server(client, version=version(), session_id=session_id, is_read_only=read_only)
    run(_served(server, client, serve))


def _client(session: CliSession) -> MemoryClient:
    """A bot's client: of the data folder, or as MEMSTREAM_URL, MEMSTREAM_BOT and MEMSTREAM_PASSWORD say."""
    settings = session.settings
    bot = None if session.bot == DEFAULT_BOT else session.bot
    return MemoryClient(space=session.space, user=session.user, url=settings.nats_url, name=bot, data_dir=settings.files.root)


async def _served(server: Server[Any], client: LastingClient, serve: Transport) -> None:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with aclosing(client):
        await serve(server, stop)


async def _stdio(server: Server[Any], stop: asyncio.Event) -> None:
    from memstream.mcp.stdio import serve_stdio  # noqa: PLC0415

    if sys.stdin.isatty():
        progress_console().print("a client starts this and speaks with it here; Ctrl-C stops it", style="dim")
    await serve_stdio(server, stop)


def _http(host: str, port: int, **allowed: list[str] | tuple[()]) -> Transport:
    from memstream.mcp.http import HttpAccess, serve_http  # noqa: PLC0415
    from memstream.mcp.settings import McpSettings  # noqa: PLC0415

    access = HttpAccess(host, port, McpSettings().token, **allowed)
    access.require_safe()
    return partial(serve_http, access=access, announce=partial(_announce, has_token=access.token is not None))


def _announce(url: str, *, has_token: bool) -> None:
    """Tell where it listens, on standard error as with stdio."""
    console = progress_console()
    console.print(f"[bold]memstream speaks MCP at {url}[/] Ctrl-C stops it.", soft_wrap=True)
    if not has_token:
        words = "Every program on this machine may ask it; MEMSTREAM_MCP_TOKEN sets a token that they must know."
        console.print(words, style="dim", soft_wrap=True)
