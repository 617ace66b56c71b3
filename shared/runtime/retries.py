"""Trying again: pauses that grow with each failure in a row, and waiting for a server that does not answer yet."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import TypeVar

from tenacity import (
    AsyncRetrying,
    RetryCallState,
    retry_if_exception_type,
    stop_after_delay,
    wait_random,
    wait_random_exponential,
)

from shared.contracts.errors import DiskFull, MemstreamError, Unavailable
from shared.runtime.clock import Clock
from shared.runtime.full_disk import tell_full

T = TypeVar("T")
_WAIT = wait_random_exponential(multiplier=0.05, max=2.0)
_MOST_DOUBLINGS = 32
_TRIPS_AFTER = 3
"""After so many failures in a row nothing but a small try goes to a server that fails, until one succeeds."""


def pause_after(failures: int, *, first_s: float, longest_s: float) -> float:
    """Seconds to pause after so many earlier failures: `first_s`, doubled for each of them, `longest_s` at most.

    >>> [pause_after(failures, first_s=5, longest_s=30) for failures in range(4)]
    [5.0, 10.0, 20.0, 30]
    """
    return min(first_s * 2.0 ** min(failures, _MOST_DOUBLINGS), longest_s)


class Backoff:
    """Counts failures in a row, and says how long to pause after each.

    Keeps only the code of the last error: unlike its message, it says nothing of anyone's words.
    """

    def __init__(self, *, first_s: float, longest_s: float) -> None:
        self._first_s = first_s
        self._longest_s = longest_s
        self.failures = 0
        self.last_error: str | None = None

    def failed(self, error: Exception) -> float:
        """Count a failure; return the seconds to pause, as `pause_after` does."""
        pause_s = pause_after(self.failures, first_s=self._first_s, longest_s=self._longest_s)
        self.failures += 1
        self.last_error = error.code if isinstance(error, MemstreamError) else type(error).__name__
        return pause_s

    def succeeded(self) -> None:
        """Reset the count of failures."""
        self.failures, self.last_error = 0, None


def spread(pause_s: float) -> float:
    """A pause between half of this and all of it: whoever failed together does not come back together."""
    return wait_random(pause_s / 2, pause_s)(RetryCallState(AsyncRetrying(), None, (), {}))


class Breaker(Backoff):
    """Says when a server that failed may be asked again, and whether a small try comes first.

    Each pause is between half of what `pause_after` says and all of it. A clock that is set back ends a pause.
    """

    def __init__(self, clock: Clock, *, first_s: float, longest_s: float, jitter: Callable[[float], float] = spread) -> None:
        super().__init__(first_s=first_s, longest_s=longest_s)
        self._clock = clock
        self._jitter = jitter
        self._failed_at: datetime | None = None
        self._pause = timedelta()

    @property
    def is_open(self) -> bool:
        """True after several failures in a row: try something small before all that waits."""
        return self.failures >= _TRIPS_AFTER

    @property
    def wait_s(self) -> float:
        """Seconds until it may be tried again; 0: now."""
        if self._failed_at is None or (now := self._clock.now()) < self._failed_at:
            return 0.0
        return max(0.0, (self._failed_at + self._pause - now).total_seconds())

    def failed(self, error: Exception) -> float:
        """Count a failure; return the seconds to pause."""
        pause_s = self._jitter(super().failed(error))
        self._failed_at, self._pause = self._clock.now(), timedelta(seconds=pause_s)
        return pause_s

    def succeeded(self) -> None:
        """Reset the count of failures; nothing has to wait any more."""
        super().succeeded()
        self._failed_at = None


async def retry_while_unavailable(attempt: Callable[[], Awaitable[T]]) -> T:
    """The result of the first attempt that does not raise Unavailable; pauses grow to 2 s, with jitter.

    So a service that starts before its server, or while it restarts, waits for it.
    """
    async for each in AsyncRetrying(retry=retry_if_exception_type(Unavailable), wait=_WAIT, before_sleep=_tell_full):
        with each:
            return await attempt()
    raise AssertionError  # it tries for ever


def _tell_full(state: RetryCallState) -> None:
    """A full disk is the one thing that no other process mends."""
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, DiskFull):
        tell_full(error)


async def within(seconds: float, attempt: Callable[[], Awaitable[T]]) -> T:
    """The result of the first attempt that does not raise Unavailable; raises it when it was tried for so long."""
    async for each in AsyncRetrying(
        retry=retry_if_exception_type(Unavailable), wait=_WAIT, stop=stop_after_delay(seconds), reraise=True
    ):
        with each:
            return await attempt()
    raise AssertionError  # it returns or raises
