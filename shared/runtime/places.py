"""Places for questions: a space that asks much, or whose questions wait long, keeps only itself waiting."""

import asyncio
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager

from shared.contracts.errors import TooMany

_MOST_WAITING = 2_000


class Places:
    """So many places for each group; who finds none waits for those of the own group."""

    def __init__(self, most: int, *, most_waiting: int = _MOST_WAITING) -> None:
        self._most = most
        self._most_there = most + most_waiting
        self._groups: dict[Hashable, asyncio.Semaphore] = {}
        self._there: dict[Hashable, int] = {}

    @asynccontextmanager
    async def of(self, group: Hashable) -> AsyncIterator[None]:
        """A place of this group. Raises TooMany where too many of it wait already."""
        there = self._there.get(group, 0)
        if there >= self._most_there:
            raise TooMany("too many questions of this space wait for their answer; ask again later, and more slowly")
        self._there[group] = there + 1
        try:
            async with self._groups.setdefault(group, asyncio.Semaphore(self._most)):
                yield
        finally:
            self._leave(group)

    def _leave(self, group: Hashable) -> None:
        self._there[group] -= 1
        if not self._there[group]:
            del self._there[group], self._groups[group]
