"""Reads ahead: the next batch is always asked for while the one before is worked on."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Generic, TypeVar

from shared.runtime.tasks import end

T = TypeVar("T")


class ReadAhead(Generic[T]):
    """The batches of a reader. Close it before the reader."""

    def __init__(self, batches: AsyncGenerator[T]) -> None:
        self._batches = batches
        self._coming = asyncio.ensure_future(self._next())

    @property
    def is_there(self) -> bool:
        """True if the next batch is there, or reading failed."""
        return self._coming.done()

    async def within(self, seconds: float) -> None:
        """Return when the next batch is there, or after so many seconds."""
        await asyncio.wait([self._coming], timeout=seconds)

    async def next(self) -> T:
        """The next batch. Raises what reading raises."""
        found = await self._coming
        self._coming = asyncio.ensure_future(self._next())
        return found

    async def aclose(self) -> None:
        """Stop reading."""
        await end([self._coming])
        if not self._coming.cancelled():
            self._coming.exception()  # whoever asked for no more need not know that reading failed

    async def _next(self) -> T:
        return await anext(self._batches)
