"""`init`, `up` and `run`: making an installation, and running it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from memstream.cli.hints import command
from memstream.cli.installation import is_empty, make_streams, prepare
from memstream.cli.locks import SERVER, hold
from memstream.cli.root import run
from memstream.cli.server import any_server, http_port, require_free, supervised, until_stopped
from memstream.cli.services import SERVICES, build
from memstream.cli.session import Session, session_of, version
from shared.contracts.errors import NotInitialised
from shared.runtime.connection import server_url
from shared.runtime.embedded.server import DEFAULT_PORT
from shared.runtime.logs import configure_logs
from shared.runtime.service import Service, run_alone, run_services

_HTTP_PORT = 8642
_POLL_S = 0.02

Port = Annotated[int | None, typer.Option("--port", help="The server's port; 0: a free one. (default: 4222)")]
HttpPort = Annotated[
    int | None, typer.Option("--http-port", help="Port of health, metrics and AsyncAPI; 0: none. (default: 8642)")
]


def init(ctx: typer.Context) -> None:
    """Make the data folder, its keys and passwords, and the streams. Replaces nothing."""
    session = session_of(ctx)
    made = run(_init(session))
    root = session.files.root
    words = f"{'Ready' if made else 'Already set up'}: {root}\nStart it with `{command('up', root)}`."
    session.show({"data_dir": str(root), "made": made}, lambda console: console.print(words, markup=False, soft_wrap=True))


def up(ctx: typer.Context, port: Port = None, http: HttpPort = None) -> None:
    """Run the server and all services in this process; on an empty data folder, make the installation first."""
    session = session_of(ctx)
    _log(session)
    run(_up(session, port, http_port(http, usual=_HTTP_PORT)))


def run_one(
    ctx: typer.Context,
    *,
    what: Annotated[str, typer.Argument(help=f"One of: {', '.join((SERVER, *SERVICES))}.")],
    port: Port = None,
    http: Annotated[int, typer.Option("--http-port", help="Port of health and metrics; 0: none.")] = 0,
) -> None:
    """Run the server, or one service, as this process."""
    session = session_of(ctx)
    if what not in {SERVER, *SERVICES}:
        raise typer.BadParameter(f"there is no {what}; choose one of {', '.join((SERVER, *SERVICES))}")
    _log(session)
    if what == SERVER:
        run(_run_server(session, port))
    else:
        run(_run_service(session, what, http_port(http, usual=_HTTP_PORT)))


async def _init(session: Session) -> list[str]:
    made = prepare(session.files)
    async with any_server(session.settings):
        await make_streams(session.settings)
    return made


async def _up(session: Session, port: int | None, http: int | None) -> None:
    files = session.files
    files.create()
    with hold(files, [SERVER, *SERVICES]):
        is_new = is_empty(files)
        if is_new:
            require_free(port)  # before anything is made: what is half made is no empty folder any more
            prepare(files)
        async with _server(session, port):
            if is_new:
                await make_streams(session.settings)
            services = [build(name, session.settings) for name in SERVICES]
            announcing = asyncio.create_task(_announce(session, services, http=http, wanted_port=port))
            try:
                await run_services(services, version=version(), http_port=http)
            finally:
                announcing.cancel()


async def _run_server(session: Session, port: int | None) -> None:
    if is_empty(session.files):
        raise NotInitialised
    with hold(session.files, [SERVER]):
        async with supervised(session.files, port=port) as server:
            session.show({"url": server.url}, lambda console: console.print(f"server {server.url}"))
            await until_stopped()


async def _run_service(session: Session, name: str, http: int | None) -> None:
    with hold(session.files, [name]):
        await run_alone(partial(build, name), session.settings, version=version(), http_port=http)


@asynccontextmanager
async def _server(session: Session, port: int | None) -> AsyncIterator[None]:
    """The embedded server, unless the settings name another."""
    if session.settings.nats_url:
        yield
    else:
        async with supervised(session.files, port=port):
            yield


async def _announce(session: Session, services: Sequence[Service], *, http: int | None, wanted_port: int | None) -> None:
    while not all(service.is_ready for service in services):  # noqa: ASYNC110 - a Service offers no event for it
        await asyncio.sleep(_POLL_S)
    url = server_url(session.settings)
    root = session.files.root
    document = {"url": url, "data_dir": str(root), "http": f"http://127.0.0.1:{http}" if http else None}

    def banner(console: Console) -> None:
        if wanted_port is None and not session.settings.nats_url and not url.endswith(f":{DEFAULT_PORT}"):
            console.print(f"[yellow]port {DEFAULT_PORT} is taken, so this server listens on another[/]")
        console.print("[bold]memstream runs.[/] Ctrl-C stops it.", end="\n\n")
        rows = {"server": url, "data": document["data_dir"], "health": document["http"] and f"{document['http']}/ready"}
        for name, value in {**rows, "a bot": command("bot show", root), "try": command('remember "I like tea"', root)}.items():
            if value:
                console.print(f"  [dim]{name:8}[/]{escape(value)}", soft_wrap=True)

    session.show(document, banner)


def _log(session: Session) -> None:
    settings = session.settings
    configure_logs(level="debug" if session.is_verbose else settings.log_level, as_json=settings.log_json)
