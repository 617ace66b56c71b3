"""A circuit breaker: what failed a few times in a row is left alone until a probe in the background has found it well again.

Source: M. Nygard, "Release It!", chapter "Stability Patterns".
"""

import asyncio
from collections.abc import Awaitable, Callable
from itertools import count

from shared.runtime.retries import pause_after
from shared.runtime.tasks import end

_MOST_FAILURES = 3
_FIRST_S = 0.5
_LONGEST_S = 30.0


class CircuitBreaker:
    """Opens after three failures in a row. While it is open, `probe` is awaited again and again, after 0.5 to 30 seconds.

    `probe` says whether what failed works again; then the breaker closes. To be used within one event loop.
    """

    def __init__(
        self, probe: Callable[[], Awaitable[bool]], *, first_s: float = _FIRST_S, longest_s: float = _LONGEST_S
    ) -> None:
        self._probe = probe
        self._first_s = first_s
        self._longest_s = longest_s
        self._failures = 0
        self._probing: asyncio.Task[None] | None = None

    @property
    def is_open(self) -> bool:
        """True while what failed is to be left alone."""
        return self._probing is not None and not self._probing.done()

    def failed(self) -> None:
        """Count a failure, and open after the third in a row."""
        self._failures += 1
        if self._failures >= _MOST_FAILURES and not self.is_open:
            self._probing = asyncio.create_task(self._until_well())

    def succeeded(self) -> None:
        """Begin to count anew."""
        self._failures = 0

    async def stop(self) -> None:
        """End the probing."""
        await end([self._probing] if self._probing else [])

    async def _until_well(self) -> None:
        for failures in count():
            await asyncio.sleep(pause_after(failures, first_s=self._first_s, longest_s=self._longest_s))
            if await self._probe():
                self._failures = 0
                return
