"""The embedded server under supervision, and the rules for its port."""

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from memstream.cli.known_settings import unknown_settings
from memstream.cli.locks import SERVER, hold, is_held
from memstream.cli.session import CliSession
from shared.contracts.errors import DiskFull, MemstreamError, Misconfigured
from shared.runtime.datadir import DataDir
from shared.runtime.embedded.server import DEFAULT_PORT, EmbeddedServer
from shared.runtime.embedded.settings import ALONE, ServerSettings
from shared.runtime.full_disk import tell_full
from shared.runtime.logs import configure_logs, log
from shared.runtime.ports import LOOPBACK, free_port, is_free
from shared.runtime.settings import RuntimeSettings
from shared.runtime.tasks import end

_LOOK_S = 5.0
"""So often a server is asked whether it can write."""
_FIRST_PAUSE_S = 0.2
_LONGEST_PAUSE_S = 5.0


@asynccontextmanager
async def supervised(
    files: DataDir, *, port: int | None, host: str = LOOPBACK, server: ServerSettings = ALONE
) -> AsyncIterator[EmbeddedServer]:
    """A running server that is started again, on the same port, whenever it dies or cannot write. Stopped at the end.

    Without a port it takes the usual one, or a free one where that is taken.
    """
    started = await _started(files, port, host, server)
    keeper = asyncio.create_task(keep_running(started), name="server-keeper")
    try:
        yield started
    finally:
        await end([keeper])
        await started.stop()


@asynccontextmanager
async def any_server(settings: RuntimeSettings) -> AsyncIterator[None]:
    """The server that runs already, or one for the meantime."""
    if settings.nats_url or is_held(settings.files, SERVER):
        yield
        return
    with hold(settings.files, [SERVER]):
        async with supervised(settings.files, port=0):
            yield


async def until_stopped() -> None:
    """Return at Ctrl-C or SIGTERM."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    numbers = (signal.SIGINT, signal.SIGTERM)
    for number in numbers:
        loop.add_signal_handler(number, stop.set)
    try:
        await stop.wait()
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)


def log_to_stderr(session: CliSession, *, is_running: bool = False) -> None:
    """Send log lines to standard error: errors, and as much as the settings say from what runs until it is stopped."""
    settings = session.settings
    usual = settings.log_level if is_running else "error"
    configure_logs(level="debug" if session.is_verbose else usual, as_json=settings.log_json)
    for told in unknown_settings() if is_running else ():
        log.warning("setting.unknown", reason=told)


def http_port(wanted: int | None, *, usual: int) -> int | None:
    """The port for health and metrics, None for none. Raises Misconfigured if the wanted one is taken."""
    if wanted == 0:
        return None
    if is_free(wanted or usual):
        return wanted or usual
    if wanted is None:
        return free_port()
    raise Misconfigured(f"port {wanted} is taken by another program; choose another with --http-port, or 0 for none")


def require_free(port: int | None) -> None:
    """Raises Misconfigured if a port was chosen and is taken."""
    if port and not is_free(port):
        raise Misconfigured(f"port {port} is taken by another program; choose another with --port")


async def _started(files: DataDir, port: int | None, host: str, settings: ServerSettings) -> EmbeddedServer:
    server = EmbeddedServer(files, port=DEFAULT_PORT if port is None else port, host=host, server=settings)
    try:
        await server.start()
    except Misconfigured:
        if port is not None or is_free(DEFAULT_PORT):
            raise
        server = EmbeddedServer(files, port=0, host=host, server=settings)
        await server.start()
    return server


async def keep_running(server: EmbeddedServer) -> None:
    """Start a server again for ever: when it dies, and when there is room again after its disk was full."""
    while True:
        died, full = asyncio.ensure_future(server.wait()), asyncio.ensure_future(_until_to_be_restarted(server))
        try:
            await asyncio.wait([died, full], return_when=asyncio.FIRST_COMPLETED)
            if died.done():
                log.error("server.died", exit_code=died.result())
        finally:
            await end([died, full])
        await server.stop()
        await _restart(server)


async def _until_to_be_restarted(server: EmbeddedServer) -> None:
    """Return when the server cannot write any more, but there is room again."""
    while True:
        await asyncio.sleep(_LOOK_S)
        with suppress(MemstreamError, OSError):  # it may be well: nobody is restarted for what a look at it stumbles over
            if reason := await server.write_error():
                tell_full(DiskFull(reason), what="server", do="make room; it is then started again by itself")
                if server.has_room:
                    return


async def _restart(server: EmbeddedServer) -> None:
    pause_s = _FIRST_PAUSE_S
    while True:
        try:
            return await server.start()
        except (MemstreamError, OSError) as error:
            log.error("server.not_restarted", reason=str(error), pause_s=pause_s)
        await asyncio.sleep(pause_s)
        pause_s = min(pause_s * 2, _LONGEST_PAUSE_S)
