"""A wire between a service and the server, which can be cut."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from shared.runtime.ports import LOOPBACK

_CHUNK = 65_536


class Wire:
    """Passes bytes on, on a port of its own. Cut, it swallows them as a broken cable does; mended, it drops connections."""

    def __init__(self, server_port: int) -> None:
        self._server_port = server_port
        self._listening: asyncio.Server | None = None
        self._is_cut = False
        self._writers: set[asyncio.StreamWriter] = set()
        self._ends: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Begin to listen."""
        self._listening = await asyncio.start_server(self._connected, LOOPBACK, 0)

    @property
    def url(self) -> str:
        """Where it listens."""
        assert self._listening is not None
        return f"nats://{LOOPBACK}:{self._listening.sockets[0].getsockname()[1]}"

    def cut(self) -> None:
        """From now on nothing arrives, and nobody is told."""
        self._is_cut = True

    def mend(self) -> None:
        """Both ends learn that the connection is gone; new ones are good."""
        self._is_cut = False
        for writer in self._writers:
            writer.transport.abort()

    async def close(self) -> None:
        """End all connections, and listen no more."""
        if self._listening is not None:
            self._listening.close()
        self.mend()
        for task in list(self._ends):
            task.cancel()
        await asyncio.gather(*self._ends, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._is_cut:
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection(LOOPBACK, self._server_port)
        except OSError:
            writer.transport.abort()
            return
        for source, target in ((reader, far_writer), (far_reader, writer)):
            task = asyncio.create_task(self._pass_on(source, target))
            self._ends.add(task)
            task.add_done_callback(self._ends.discard)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            with suppress(OSError):
                while data := await reader.read(_CHUNK):
                    if not self._is_cut:
                        writer.write(data)
                        await writer.drain()
        finally:
            self._writers.discard(writer)
            writer.transport.abort()
