"""An HTTP server that sleeps while nobody asks it anything."""

import asyncio
import contextlib

import uvicorn


class QuietServer(uvicorn.Server):
    """Sleeps until it is asked something, or stopped: uvicorn's own looks ten times a second for what a signal has told it."""

    def __init__(self, config: uvicorn.Config) -> None:
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
