"""Makes an installation, and runs its server and services: what `init`, `up` and `run` do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, cast

from rich.console import Console

from memstream.cli.copyable import command
from memstream.cli.installation import make_streams, prepare, renew_streams
from memstream.cli.locks import SERVER, hold
from memstream.cli.root import version
from memstream.cli.server import any_server, http_port, log_to_stderr, require_free, supervised, until_stopped
from memstream.cli.services import GATEWAY, OF_SEVERAL_PROCESSES, PROJECTIONS, SERVICES
from memstream.cli.session import CliSession
from services.gateway.settings import GatewaySettings
from shared.contracts.addresses import addresses
from shared.contracts.errors import NotInitialised
from shared.runtime.connection import server_url
from shared.runtime.embedded.server import DEFAULT_PORT
from shared.runtime.embedded.settings import ServerSettings
from shared.runtime.extensions import import_extensions
from shared.runtime.heap import fill_heap
from shared.runtime.links import running_gateway
from shared.runtime.ports import LOOPBACK
from shared.runtime.retries import retry_while_unavailable, within
from shared.runtime.settings import RuntimeSettings

if TYPE_CHECKING:
    from shared.runtime.service import Service

_HTTP_PORT = 8642
_ELECTION_S = 20.0
"""A cluster that has just been started takes so long until it has elected who makes streams."""


async def init(session: CliSession) -> list[str]:
    """Make what is missing of the folder, keys, passwords and streams; return the names of the files made."""
    log_to_stderr(session)
    made = prepare(session.files)
    async with any_server(session.settings):
        seconds = _ELECTION_S if len(addresses(session.settings.nats_url or "")) > 1 else 0.0
        await within(seconds, partial(make_streams, session.settings))
    return made


async def up(session: CliSession, port: int | None, http: int | None, gateway: int | None) -> None:
    """Run the server and all services until a signal comes; on an empty folder, make the installation first."""
    log_to_stderr(session, is_running=True)
    chosen = port, http, gateway
    http = http_port(http, usual=_HTTP_PORT)
    wanted = SERVICES if gateway != 0 else PROJECTIONS
    files = session.files
    files.create()
    with hold(files, [SERVER, *wanted]):
        is_new = not files.held
        if is_new:
            require_free(port)  # before anything is made: what is half made is no empty folder any more
            prepare(files)
        fill_heap()
        import_extensions()
        import_all(wanted)
        async with _server(session, port):
            if is_new:
                await make_streams(session.settings)
            else:
                await retry_while_unavailable(partial(renew_streams, session.settings))
            from shared.runtime.service import run_services  # noqa: PLC0415 - above its import would have been waited for

            services = [build(name, session.settings, in_up=True, gateway_port=gateway) for name in wanted]
            announce = partial(_announce, session, http=http, chosen=chosen)
            await run_services(
                services, version=version(), http_port=http, http_host=session.settings.http_host, announce=announce
            )


async def run_server(session: CliSession, port: int | None) -> None:
    """Run the server alone until a signal comes. Raises NotInitialised where there is no installation."""
    log_to_stderr(session, is_running=True)
    if not session.files.held:
        raise NotInitialised
    settings = ServerSettings()
    with hold(session.files, [f"{SERVER}-{settings.name}" if settings.name else SERVER]):
        async with supervised(session.files, port=port, host=session.settings.host, server=settings) as server:
            session.show({"url": server.url}, lambda console: console.print(f"server {server.url}"))
            await until_stopped()


async def run_service(session: CliSession, name: str, http: int | None) -> None:
    """Run one service until a signal comes."""
    fill_heap()
    from shared.runtime.service import run_alone  # noqa: PLC0415 - only what runs a service needs it

    log_to_stderr(session, is_running=True)
    http = http_port(http, usual=_HTTP_PORT)
    with hold(session.files, [name], together=name in OF_SEVERAL_PROCESSES):
        await run_alone(partial(build, name), session.settings, version=version(), http_port=http)


@asynccontextmanager
async def _server(session: CliSession, port: int | None) -> AsyncIterator[None]:
    """The embedded server, unless the settings name another."""
    if session.settings.nats_url:
        yield
    else:
        async with supervised(session.files, port=port, host=session.settings.host):
            yield


def _announce(session: CliSession, *, http: int | None, chosen: Sequence[int | None]) -> None:
    url = server_url(session.settings)
    root = session.files.root
    gateway = None if chosen[-1] == 0 else running_gateway(session.files)
    document = {
        "url": url,
        "data_dir": str(root),
        "http": f"http://{LOOPBACK}:{http}" if http else None,
        "gateway": gateway,
    }

    def banner(console: Console) -> None:
        own = None if session.settings.nats_url else url
        usual = {DEFAULT_PORT: own, _HTTP_PORT: document["http"], GatewaySettings().port: gateway}
        for (port, where), wanted in zip(usual.items(), chosen, strict=True):
            if port and where and wanted is None and not where.endswith(f":{port}"):
                console.print(f"[yellow]port {port} is taken, so it is {where}[/]")
        console.print("[bold]memstream runs.[/] Ctrl-C stops it.", end="\n\n")
        rows = {"server": url, "data": document["data_dir"], "health": document["http"] and f"{document['http']}/ready"}
        rows |= {"api": gateway and f"{gateway}/v1/memory", "a page": gateway and command("link", root)}
        for name, value in {**rows, "a bot": command("bot show", root), "try": command('remember "I like tea"', root)}.items():
            if value:
                console.print(f"  [dim]{name:8}[/]{value}", soft_wrap=True)

    session.show(document, banner)


def import_all(names: Iterable[str] = SERVICES) -> None:
    """Import these services, which takes most of the time of a start."""
    for name in names:
        import_module(_module(name))


def build(name: str, settings: RuntimeSettings, *, in_up: bool = False, gateway_port: int | None = None) -> Service:
    """Compose a service: one of all that run in this process, or the only one."""
    module = import_module(_module(name))
    if name == GATEWAY:
        return cast("Service", module.build(settings, port=gateway_port, may_move=in_up, version=version()))
    if name not in OF_SEVERAL_PROCESSES:
        return cast("Service", module.build(settings))
    return cast("Service", module.build_in_up(settings) if in_up else module.build_alone(settings))


def _module(name: str) -> str:
    return f"{SERVICES[name]}.{'group' if name in OF_SEVERAL_PROCESSES else 'app'}"
