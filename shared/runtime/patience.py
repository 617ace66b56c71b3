"""Tries again while the server does not answer: a service that starts before its server, or during its restart, waits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from tenacity import AsyncRetrying, retry_if_exception_type, wait_random_exponential

from shared.contracts.errors import Unavailable

T = TypeVar("T")
_SHORTEST_S = 0.05
_LONGEST_S = 2.0


async def patiently(attempt: Callable[[], Awaitable[T]]) -> T:
    """The result of the first attempt that does not raise Unavailable; pauses grow to 2 s, with jitter."""
    retrying = AsyncRetrying(
        retry=retry_if_exception_type(Unavailable),
        wait=wait_random_exponential(multiplier=_SHORTEST_S, max=_LONGEST_S),
    )

    async def once() -> T:  # tenacity awaits only what it can see to be a coroutine function: not a lambda or a partial
        return await attempt()

    return await retrying(once)
