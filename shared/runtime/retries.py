"""Trying again: pauses that grow with each failure in a row, and waiting for a server that does not answer yet."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenacity import AsyncRetrying, retry_if_exception_type, wait_random_exponential

from shared.contracts.errors import MemstreamError, Unavailable

T = TypeVar("T")
_WAIT = wait_random_exponential(multiplier=0.05, max=2.0)
_MOST_DOUBLINGS = 32


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


async def retry_while_unavailable(attempt: Callable[[], Awaitable[T]]) -> T:
    """The result of the first attempt that does not raise Unavailable; pauses grow to 2 s, with jitter.

    So a service that starts before its server, or while it restarts, waits for it.
    """
    async for each in AsyncRetrying(retry=retry_if_exception_type(Unavailable), wait=_WAIT):
        with each:
            return await attempt()
    raise AssertionError  # it tries for ever
