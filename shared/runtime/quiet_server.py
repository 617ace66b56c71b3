"""An HTTP server that sleeps while nobody asks it anything, and keeps no connection on which nobody asks."""

import asyncio
import contextlib

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from shared.runtime.open_file_limit import allow_open_files

_HEADERS_S = 10.0
"""So long the headers of a request may take."""
_SILENT_S = 30.0
"""So long nothing may come of a body that is not whole."""
_LOOKS_S = 5.0
_MOST = 1_000
"""Connections at a time, and at most a quarter of the files that may be open; of one address half of them."""


class _Connection(H11Protocol):
    """A connection that is closed where there are too many, or where a request does not come to its end."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn has it
        super().connection_made(transport)
        self._since_s: float | None = self.loop.time()  # from when headers are waited for
        self._heard_s = self.loop.time()
        most = min(_MOST, allow_open_files() // 4)
        here = sum(isinstance(each, H11Protocol) and _host(each) == _host(self) for each in self.connections)
        if len(self.connections) > most or here > most // 2:
            transport.abort()
        else:
            self.loop.call_later(_LOOKS_S, self._look)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._heard_s = self.loop.time()
        if self.conn.their_state is not h11.IDLE:
            self._since_s = None
        elif self._since_s is None:
            self._since_s = self._heard_s

    def _look(self) -> None:
        if self.transport.is_closing():
            return
        now_s, state = self.loop.time(), self.conn.their_state
        is_late = state is h11.IDLE and self._since_s is not None and now_s - self._since_s > _HEADERS_S
        if is_late or (state is h11.SEND_BODY and now_s - self._heard_s > _SILENT_S):
            self.transport.abort()
        else:
            self.loop.call_later(_LOOKS_S, self._look)


def _host(connection: H11Protocol) -> str | None:
    return connection.client[0] if connection.client else None


class QuietServer(uvicorn.Server):
    """Sleeps until it is asked something, or stopped: uvicorn's own looks ten times a second for what a signal has told it."""

    def __init__(self, config: uvicorn.Config) -> None:
        config.http = _Connection
        super().__init__(config)
        self._stopping = asyncio.Event()
        self.capture_signals = contextlib.nullcontext  # type: ignore[method-assign,assignment] # the launcher handles them

    def stop(self) -> None:
        """Have it answer what it was asked, and end."""
        self.should_exit = True
        self._stopping.set()

    async def main_loop(self) -> None:
        """Wait for `stop`."""
        await self.on_tick(0)  # makes the headers of all answers
        await self._stopping.wait()
