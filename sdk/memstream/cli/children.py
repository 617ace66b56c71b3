"""memstream's own processes as children, and a data folder that goes away with them."""

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from memstream.cli.session import CliSession
from memstream.client import MemoryClient
from shared.contracts.errors import MemstreamError, Misconfigured, Unavailable
from shared.runtime.connection import operator_connection
from shared.runtime.ending_with_parent import end_with_parent
from shared.runtime.settings import RuntimeSettings, child_environment

_START_S = 30.0
_STOP_S = 15.0
_ENDS_S = 1.0
_POLL_S = 0.05

_T = TypeVar("_T")


class Child:
    """One `memstream ...` process, whose log lies in the data folder."""

    def __init__(
        self,
        session: CliSession,
        *arguments: str,
        environment: Mapping[str, str] | None = None,
        ends_with_parent: bool = False,
    ) -> None:
        """`ends_with_parent`: the kernel stops it when this process ends, however it does (Linux)."""
        self._root = session.files.root
        self._arguments = arguments
        self._environment = {"MEMSTREAM_NATS_URL": "", "MEMSTREAM_LOG_LEVEL": "warning", **(environment or {})}
        part = self._environment.get("MEMSTREAM_INGEST_PART", "").partition("/")[0]
        self._log = self._root / f"{'-'.join([*arguments[:2], *([part] if part else [])])}.log"
        self._process: asyncio.subprocess.Process | None = None
        self._ends_with_parent = ends_with_parent and sys.platform == "linux"

    async def start(self) -> None:
        """Start the process, which then needs some time to be ready."""
        command = [sys.executable, "-P", "-m", "memstream", "--data-dir", str(self._root), *self._arguments]
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL,
                stderr=log,
                env=child_environment(self._environment),
                start_new_session=True,  # a Ctrl-C in the terminal is for this process, which stops its children in order
                preexec_fn=end_with_parent if self._ends_with_parent else None,
            )

    def require_alive(self) -> None:
        """Raise Misconfigured with the last line of its log if the process has ended."""
        if self._process is not None and self._process.returncode is not None:
            lines = self._log.read_text(encoding="utf-8", errors="replace").splitlines()
            raise Misconfigured(f"`memstream {' '.join(self._arguments)}` ended: {lines[-1] if lines else 'no reason given'}")

    async def require_staying(self) -> None:
        """Raise Misconfigured if the process ends within a second: of what it was asked, only the connection's end is known."""
        if self._process is not None:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._process.wait(), _ENDS_S)
        self.require_alive()

    async def kill(self) -> None:
        """End the process with SIGKILL."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()

    async def stop(self) -> None:
        """End the process with SIGTERM; after 15 s with SIGKILL."""
        if self._process is None or self._process.returncode is not None:
            return
        with suppress(ProcessLookupError):
            self._process.terminate()
        try:
            await asyncio.wait_for(self._process.wait(), _STOP_S)
        except TimeoutError:
            await self.kill()


@asynccontextmanager
async def running(*children: Child) -> AsyncIterator[None]:
    """Start these processes in order; stop them in the opposite order at the end."""
    async with AsyncExitStack() as started:
        for child in children:
            await child.start()
            started.push_async_callback(child.stop)
        yield


@contextmanager
def temporary_session(session: CliSession) -> Iterator[CliSession]:
    """A session on an empty data folder with a server of its own; the folder is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="memstream-") as folder:
        settings = RuntimeSettings(data_dir=Path(folder) / "data", nats_url=None, log_level="warning")
        settings.files.create()
        yield CliSession(settings, as_json=session.as_json, is_verbose=session.is_verbose)


@asynccontextmanager
async def connected(session: CliSession, *children: Child, space: str) -> AsyncIterator[MemoryClient]:
    """A client, once the children answer. Raises Unavailable if they don't in time, Misconfigured if one ends."""

    async def connect() -> MemoryClient:
        return await replace(session, space=space, user="nobody").client().__aenter__()

    client = await once_answered(children, connect)
    try:
        try:
            await client.stats(timeout_s=_START_S)
        except Unavailable:
            for child in children:
                await child.require_staying()
            raise
        yield client
    finally:
        await client.close()


async def once_answered(children: Sequence[Child], attempt: Callable[[], Awaitable[_T]]) -> _T:
    """The result of the first attempt that succeeds. Raises Unavailable after 30 s, Misconfigured if a child ends."""
    clock = asyncio.get_running_loop().time
    deadline = clock() + _START_S
    while True:
        for child in children:
            child.require_alive()
        try:
            return await attempt()
        except (MemstreamError, OSError) as error:
            if clock() > deadline:
                raise Unavailable(f"memstream did not start within {_START_S:.0f} s") from error
        await asyncio.sleep(_POLL_S)


async def serving(session: CliSession, child: Child) -> None:
    """Wait until the server of this data folder answers. Raises Unavailable, or Misconfigured if the child ends."""

    async def dial() -> None:
        async with operator_connection(session.settings):
            pass

    await once_answered([child], dial)


@asynccontextmanager
async def memstream_up(session: CliSession, *, space: str, **environment: str) -> AsyncIterator[MemoryClient]:
    """A client of `memstream up` on this data folder, which is a process of its own and ends with this."""
    ports = ("--port", "0", "--http-port", "0", "--gateway-port", "0")
    child = Child(session, "up", *ports, environment=environment, ends_with_parent=True)
    async with running(child), connected(session, child, space=space) as client:
        yield client
