"""A cluster of three NATS servers on this machine, which are killed and started again: for the demo, tests and benchmarks."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress

from memstream.cli.installation import make_streams, prepare
from shared.contracts.errors import Unavailable
from shared.runtime.connection import operator_connection
from shared.runtime.datadir import DataDir
from shared.runtime.embedded.server import EmbeddedServer
from shared.runtime.embedded.settings import ServerSettings
from shared.runtime.ports import LOOPBACK, free_port
from shared.runtime.retries import within
from shared.runtime.settings import RuntimeSettings
from shared.runtime.topology import MEMORY, STREAMS, Kept, replicas_of

_NAMES = ("n1", "n2", "n3")
_ELECTION_S = 60.0


class LocalCluster:
    """Three servers of one data folder; each stream lies on all of them."""

    def __init__(self, files: DataDir) -> None:
        """Ports are chosen now: each server must know where the others listen."""
        routes = {name: f"{LOOPBACK}:{free_port()}" for name in _NAMES}
        self._files = files
        self._servers = {
            name: EmbeddedServer(
                files,
                port=free_port(),
                server=ServerSettings(name=name, routes=",".join(routes.values()), cluster_listen=routes[name]),
            )
            for name in _NAMES
        }

    @property
    def url(self) -> str:
        """The addresses of all servers, as MEMSTREAM_NATS_URL takes them."""
        return ",".join(server.url for server in self._servers.values())

    @property
    def names(self) -> Sequence[str]:
        """The names of the servers."""
        return _NAMES

    @property
    def settings(self) -> RuntimeSettings:
        """The settings of whoever uses it."""
        return RuntimeSettings(data_dir=self._files.root, nats_url=self.url, log_level="warning")

    async def start(self) -> None:
        """Start what does not run. Whoever leads is elected after that."""
        await asyncio.gather(*(server.start() for server in self._servers.values() if server.pid is None))

    async def stop(self) -> None:
        """Stop all servers."""
        await asyncio.gather(*(server.stop() for server in self._servers.values()))

    async def kill(self, *names: str) -> None:
        """End these servers with SIGKILL, as a power cut would; return when they are gone."""
        for name in names:
            if (pid := self._servers[name].pid) is not None:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        await asyncio.gather(*(self._servers[name].wait() for name in names))

    async def leader(self, stream: str = MEMORY) -> str:
        """Who leads a stream now; waits for an election."""

        async def ask() -> str:
            async with operator_connection(self.settings) as client:
                return (await replicas_of(client, stream)).names[0]

        return await within(_ELECTION_S, ask)

    async def until_whole(self) -> None:
        """Return when each server is there for every stream, and somebody leads it. Raises Unavailable."""

        async def look() -> None:
            async with operator_connection(self.settings) as client:
                for where in [await replicas_of(client, stream) for stream in STREAMS]:
                    if where.away or len(where.names) < len(_NAMES):
                        raise Unavailable(f"the servers {', '.join(where.away)} are away")

        await within(_ELECTION_S, look)


@asynccontextmanager
async def local_cluster(files: DataDir) -> AsyncIterator[LocalCluster]:
    """A running cluster on an empty data folder, with the streams of a new installation."""
    prepare(files)
    cluster = LocalCluster(files)
    try:
        await cluster.start()
        await within(_ELECTION_S, lambda: make_streams(cluster.settings, Kept(replicas=len(_NAMES))))
        yield cluster
    finally:
        await cluster.stop()
