"""The port of a service, and how services run: each in a process, or several in one."""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

import uvicorn
from faststream.asgi import AsgiFastStream, AsgiResponse, get
from faststream.nats import NatsBroker
from faststream.specification import AsyncAPI
from nats.errors import Error as NatsError
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from shared.contracts.errors import MemstreamError, outcome_of
from shared.runtime.added_metrics import WithWorkers, added_up
from shared.runtime.background_service import BackgroundService
from shared.runtime.broker import QueryBroker
from shared.runtime.connection import answering, take_no_more
from shared.runtime.extensions import import_extensions
from shared.runtime.heap import bound_heap, settle_heap
from shared.runtime.import_watch import IMPORTS
from shared.runtime.imports_elsewhere import ImportsElsewhere
from shared.runtime.logs import configure_logs, log
from shared.runtime.metrics import READY, REGISTRY
from shared.runtime.ports import LOOPBACK
from shared.runtime.processes import be_patient
from shared.runtime.quiet_server import QuietServer
from shared.runtime.retries import retry_while_unavailable
from shared.runtime.settings import RuntimeSettings
from shared.runtime.switch_interval import SWITCHES
from shared.runtime.tasks import end, honour_cancellation, in_thread
from shared.runtime.tracing import close_traces

_POLL_S = 0.01


class Service(Protocol):
    """A service, composed and ready to run."""

    @property
    def name(self) -> str:
        """Name of the service, and of its user on the server."""

    @property
    def broker(self) -> NatsBroker:
        """The broker with the connection and handlers of the service."""

    @property
    def is_ready(self) -> bool:
        """True when the service has caught up with the log."""

    async def warm(self) -> None:
        """Load what the first who sends or asks would wait for. Called when all services of the process are ready."""

    async def run(self) -> None:
        """Do the background work, with a connected broker, until cancelled. Returning or raising ends the process."""


@runtime_checkable
class WarmedLater(Protocol):
    """A service that few wait for, which prepares when all that bots wait for is there."""

    async def warm_later(self) -> None:
        """Load what the first who comes would wait for. Called when all services of the process are warm."""


@runtime_checkable
class FollowsImports(Protocol):
    """A service that does what can wait after an import: where another process decides it, too."""

    follows_imports: ClassVar[Literal[True]]


def asgi_app(services: Sequence[Service], version: str) -> AsgiFastStream:
    """Health, readiness, metrics and the AsyncAPI document of these services, and their handlers."""

    @get
    async def live(_: object) -> AsgiResponse:
        connected = all(service.broker.connection.is_connected for service in services)
        return AsgiResponse(b"ok" if connected else b"not connected", 200 if connected else 503)

    @get
    async def ready(_: object) -> AsgiResponse:
        waiting = [service.name for service in services if not service.is_ready]
        body = f"catching up: {', '.join(waiting)}" if waiting else "ready"
        return AsgiResponse(body.encode(), 503 if waiting else 200)

    @get
    async def metrics(_: object) -> AsgiResponse:
        workers = [
            page for service in services if isinstance(service, WithWorkers) for page in await service.metrics_of_workers()
        ]
        own = (await in_thread(generate_latest, REGISTRY)).decode()  # elsewhere: a page takes long where there are many series
        page = added_up([own, *workers]) if workers else own
        return AsgiResponse(page.encode(), 200, {"content-type": CONTENT_TYPE_LATEST})

    for service in services:
        READY.labels(service.name).set_function(partial(_readiness, service))
    app = AsgiFastStream(
        *(service.broker for service in services),
        specification=AsyncAPI(title="memstream", version=version, description="Long-term memory for any chat bot."),
        asgi_routes=[("/health", live), ("/ready", ready), ("/metrics", metrics)],
        logger=None,
    )

    for service in services:
        if isinstance(service.broker, QueryBroker):
            app.schema.add_broker(service.broker.documented)

    @get
    async def asyncapi(_: object) -> AsgiResponse:
        document = app.schema.to_specification().to_json()
        return AsgiResponse(document.encode(), 200, {"content-type": "application/json"})

    app.mount("/asyncapi.json", asyncapi)  # FastStream's own page would load its scripts from a CDN
    return app


def _readiness(service: Service) -> float:
    return float(service.is_ready)


async def run_services(
    services: Sequence[Service],
    *,
    version: str,
    http_port: int | None,
    http_host: str = LOOPBACK,
    announce: Callable[[], None] = lambda: None,
) -> None:
    """Run the services until a signal comes or one of them fails; then stop all in order. Announce it when all are ready."""
    honour_cancellation()
    bound_heap()
    stop = asyncio.Event()
    with _signals(stop):
        async with AsyncExitStack() as stack:
            stopping = asyncio.create_task(stop.wait())
            stack.callback(stopping.cancel)
            stack.push_async_callback(in_thread, close_traces)
            app = asgi_app(services, version)
            for service in services:
                if not await _unless(stopping, retry_while_unavailable(partial(_connect, service.broker))):
                    return
                stack.push_async_callback(_disconnect, service.broker)
            tasks = [asyncio.create_task(service.run(), name=service.name) for service in services]
            stack.push_async_callback(end, tasks)
            for service in services:
                if not await _unless(stopping, service.broker.start()):
                    return
            if http_port is not None:
                await stack.enter_async_context(_http(app, http_host, http_port))
            settle_heap()
            SWITCHES.begin()
            if all(isinstance(service, FollowsImports) for service in services):
                elsewhere = ImportsElsewhere(services[0].broker.connection, IMPORTS)
                stack.enter_context(IMPORTS.look_by(elsewhere.look))
            stack.push_async_callback(end, [asyncio.create_task(_when_ready(services, announce))])
            log.info("services.started", services=[service.name for service in services])
            done, _ = await asyncio.wait([stopping, *tasks], return_when=asyncio.FIRST_COMPLETED)
            for task in done - {stopping}:
                task.result()  # raises what ended it


async def _when_ready(services: Sequence[Service], announce: Callable[[], None]) -> None:
    while not all(service.is_ready for service in services):  # noqa: ASYNC110 - a Service offers no event for it
        await asyncio.sleep(_POLL_S)
    announce()
    await asyncio.gather(*(service.warm() for service in services))
    await asyncio.gather(*(service.warm_later() for service in services if isinstance(service, WarmedLater)))
    settle_heap()  # again, with what was loaded now
    if all(isinstance(service, BackgroundService) for service in services):
        be_patient()


async def _unless(stopping: asyncio.Task[Literal[True]], step: Coroutine[Any, Any, None]) -> bool:
    """Run a step of the start; False if `stopping` ended first: without a server a step may never end."""
    task = asyncio.ensure_future(step)
    try:
        await asyncio.wait([stopping, task], return_when=asyncio.FIRST_COMPLETED)
        is_done = task.done()
    finally:
        await end([task])
    if is_done:
        task.result()
    return is_done


@asynccontextmanager
async def connected(service: Service) -> AsyncIterator[None]:
    """Connect a service that another runs, without answering yet."""
    await retry_while_unavailable(partial(_connect, service.broker))
    try:
        yield
    finally:
        await _disconnect(service.broker)


async def answer_until(service: Service, leave: asyncio.Event) -> None:
    """Run a connected service until it is to leave; what it has been asked by then, it answers. Raises what ends it."""
    work, leaving = asyncio.create_task(service.run()), asyncio.create_task(leave.wait())
    try:
        await service.broker.start()
        await asyncio.wait([work, leaving], return_when=asyncio.FIRST_COMPLETED)
        if work.done():
            work.result()
        else:
            await take_no_more(service.broker.connection)
    finally:
        await end([work, leaving])


async def run_alone(
    build: Callable[[RuntimeSettings], Service], settings: RuntimeSettings, *, version: str, http_port: int | None = None
) -> None:
    """Run one service as this process. Waits for a server that does not run yet, or restarts."""
    import_extensions()

    async def built() -> Service:
        return build(settings)  # needs the server's address, which is known once it runs

    service = await retry_while_unavailable(built)
    await run_services([service], version=version, http_port=http_port, http_host=settings.http_host)


def main(build: Callable[[RuntimeSettings], Service]) -> None:
    """Run one service as a process: settings from the environment, until a signal comes."""
    try:
        settings = RuntimeSettings()
        configure_logs(level=settings.log_level, as_json=settings.log_json)
        asyncio.run(run_alone(build, settings, version="1"))
    except MemstreamError as error:
        log.critical("service.failed", code=error.code, reason=error.message)
        raise SystemExit(outcome_of(error).exit_code) from error


async def _connect(broker: NatsBroker) -> None:
    with answering("the NATS server does not answer"):
        await broker.connect()


async def _disconnect(broker: NatsBroker) -> None:
    """Stop the broker and close its connection. A server that is gone is not told, and what waits for it is given up."""
    client = broker.connection
    try:
        await _unless_gone(broker.stop())
    finally:
        await _unless_gone(client.close())
        if reconnecting := client._reconnection_task:  # noqa: SLF001 - `close` cancels it once, which it may not notice
            await end([reconnecting])


async def _unless_gone(leaving: Awaitable[None]) -> None:
    try:
        await leaving
    except (NatsError, OSError) as error:  # nats-py 2.16 flushes before it closes, into a connection that may be lost
        log.info("connection.not_drained", reason=type(error).__name__)


@asynccontextmanager
async def _http(app: AsgiFastStream, host: str, port: int) -> AsyncIterator[None]:
    server = QuietServer(
        uvicorn.Config(app, host=host, port=port, log_level="warning", lifespan="off", access_log=False, date_header=False)
    )
    task = asyncio.create_task(server.serve())
    try:
        yield
    finally:
        server.stop()
        await task


@contextlib.contextmanager
def _signals(stop: asyncio.Event) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGINT, signal.SIGTERM)
    for number in numbers:
        loop.add_signal_handler(number, stop.set)
    try:
        yield
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
