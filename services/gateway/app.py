"""The composition root of the gateway."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from socket import socket
from typing import TYPE_CHECKING

import uvicorn
from pydantic_core import to_json

from memstream.client import MemoryClient
from services.gateway.access.doorkeeper import Doorkeeper
from services.gateway.access.rates import Rates
from services.gateway.changes import ChangeStreams
from services.gateway.late_app import LateApp
from services.gateway.people import People
from services.gateway.reports import OperatorReports
from services.gateway.sampling import Sampler
from services.gateway.settings import GatewaySettings
from shared.runtime.broker import QueryBroker, make_broker
from shared.runtime.clock import SystemClock
from shared.runtime.connection import server_url
from shared.runtime.credentials import load_credentials
from shared.runtime.datadir import write_private
from shared.runtime.listening import in_url, listening
from shared.runtime.logs import log
from shared.runtime.passes import GATEWAY_USER
from shared.runtime.ports import LOOPBACK, free_port, is_free
from shared.runtime.quiet_server import QuietServer
from shared.runtime.retries import retry_while_unavailable
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import in_thread, keep_at

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_LEAVING_S = 1
"""Seconds after which answers are cut that go on for ever."""
_EVERYWHERE = {"0.0.0.0", "::"}  # noqa: S104 - to be recognised


class Gateway:
    """The service: HTTP on one side, a bot's connection on the other."""

    name = GATEWAY_USER

    def __init__(self, runtime: RuntimeSettings, settings: GatewaySettings, *, version: str) -> None:
        self._runtime = runtime
        self._settings = settings
        self._version = version
        self._doorkeeper = Doorkeeper(runtime.files, settings, SystemClock())
        self.broker: QueryBroker = make_broker(runtime, self.name, "The memory over HTTP.")
        self._reports = OperatorReports(lambda: self.broker.connection)
        self._sampler = Sampler(self._reports, SystemClock(), every_s=settings.sample_s)
        self._late: LateApp | None = None
        self.url: str | None = None
        """Where it listens, from when it does."""

    @property
    def is_ready(self) -> bool:
        """True from when it listens."""
        return self.url is not None

    async def warm(self) -> None:
        """Load nothing yet: beside a bot's first turn it would take half of the time."""

    async def warm_later(self) -> None:
        """Make the application, and compile the templates of the page, so that whoever comes first does not wait for them."""
        if self._late is not None:
            await in_thread(self._late.made)
            await in_thread(_compile_templates)

    async def run(self) -> None:
        """Serve until cancelled. Raises Misconfigured where nobody can listen at its address."""
        client = MemoryClient(
            url=server_url(self._runtime),
            name=self.name,
            password=load_credentials(self._runtime.files.credentials).of_service(self.name),
        )
        await retry_while_unavailable(client.__aenter__)
        try:
            with listening(self._settings.host, self._settings.port) as listener:
                here = _url(*listener.getsockname()[:2])
                self._late = LateApp(partial(self._app, client, here))
                async with self._serving(self._late, listener, here):
                    await keep_at(self._sampler.run, what="sampling")
        finally:
            await client.close()

    def _app(self, client: MemoryClient, here: str) -> "ASGIApp":
        from services.gateway.rooms import Rooms  # noqa: PLC0415 - here and below: what no start waits for
        from services.gateway.web import make_app  # noqa: PLC0415

        settings = self._settings
        rooms = Rooms(
            settings=settings,
            clock=SystemClock(),
            doorkeeper=self._doorkeeper,
            people=People(client, self._doorkeeper.stamp),
            rates=Rates(settings.requests_per_minute),
            failures=Rates(settings.failures_per_minute),
            changes=ChangeStreams(lambda: self.broker.connection, most=settings.streams),
            reports=self._reports,
            sampler=self._sampler,
            base_url=(settings.url or here).rstrip("/"),
        )
        return make_app(rooms, version=self._version)

    @asynccontextmanager
    async def _serving(self, app: LateApp, listener: socket, here: str) -> AsyncIterator[None]:
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="off",
            ws="none",
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=_LEAVING_S,
        )
        server = QuietServer(config)
        task = asyncio.create_task(server.serve(sockets=[listener]))
        write_private(self._runtime.files.gateway_running, to_json({"url": here}))
        self.url = here
        log.info("gateway.listens", url=here)
        try:
            yield
        finally:
            self.url = None
            self._runtime.files.gateway_running.unlink(missing_ok=True)
            server.stop()
            await task


def _compile_templates() -> None:
    from services.gateway.page.templating import compile_all  # noqa: PLC0415 - see above

    compile_all()


def _url(host: str, port: int) -> str:
    return f"http://{LOOPBACK if host in _EVERYWHERE else in_url(host)}:{port}"


def build(runtime: RuntimeSettings, *, port: int | None = None, may_move: bool = False, version: str = "1") -> Gateway:
    """The gateway with its settings from the environment; a port that is given comes before theirs.

    `may_move`: where none is given and the settings' is taken, it listens at a free one.
    """
    settings = GatewaySettings()
    if port is None and may_move and not is_free(settings.port):
        port = free_port()
    return Gateway(runtime, settings if port is None else settings.model_copy(update={"port": port}), version=version)
