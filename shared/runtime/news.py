"""Tells those who wait that there is something new for them, so that nobody looks again and again."""

import asyncio
import threading
from collections.abc import Callable


class News:
    """A count of what is new. It is told in any thread, and waited for in any event loop."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._waiting: set[Callable[[], object]] = set()

    @property
    def count(self) -> int:
        """How much was told so far. Read it before looking: what comes meanwhile is then not missed."""
        return self._count

    def tell(self, more: int = 1) -> None:
        """Count so much more, and wake everyone who waits."""
        if not more:
            return
        with self._lock:
            self._count += more
            for wake in self._waiting:
                wake()

    async def beyond(self, seen: int) -> None:
        """Return when more was told than what was seen."""
        loop, thread, told = asyncio.get_running_loop(), threading.get_ident(), asyncio.Event()

        def wake() -> None:
            if threading.get_ident() == thread:  # without waking the loop by a byte in its pipe
                told.set()
            else:
                loop.call_soon_threadsafe(told.set)

        with self._lock:
            if self._count > seen:
                return
            self._waiting.add(wake)
        try:
            await told.wait()
        finally:
            with self._lock:
                self._waiting.discard(wake)

    async def within(self, seconds: float, seen: int) -> None:
        """Return when more was told than what was seen, or after so many seconds."""
        try:
            async with asyncio.timeout(seconds):
                await self.beyond(seen)
        except TimeoutError:
            return
