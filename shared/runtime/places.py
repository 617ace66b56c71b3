"""Bounds the questions that are worked on: a person who asks much, or whose questions wait long, keeps only itself waiting."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Hashable
from contextlib import asynccontextmanager
from contextvars import ContextVar

from shared.contracts.errors import NotCaughtUp, TooMany

_MOST_OF_PERSON = 128
_MOST_OF_SPACE = 2_064

_arrived: ContextVar[float] = ContextVar("arrived")  # when the question came that the current task answers


def note_arrival() -> None:
    """Note that the question of this task comes now: its time counts from here."""
    _arrived.set(asyncio.get_running_loop().time())


def left_s(timeout_s: float) -> float:
    """Return the seconds that are left of a question's time, counted from its arrival. Raises NotCaughtUp if none are."""
    now = asyncio.get_running_loop().time()
    left = _arrived.get(now) + timeout_s - now
    if left <= 0:
        raise NotCaughtUp(f"the question did not come to its turn within {timeout_s:g} s; ask again, and fewer at once")
    return left


class Places:
    """Places for the questions of one kind and person. More than `most` at once wait for those of the same person.

    Raises TooMany where more than `most_of_person` or, of all people of a space, more than `most_of_space` are there.
    """

    def __init__(self, most: int, *, most_of_person: int = _MOST_OF_PERSON, most_of_space: int = _MOST_OF_SPACE) -> None:
        self._most = most
        self._most_of_person = most_of_person
        self._most_of_space = most_of_space
        self._places: dict[Hashable, asyncio.Semaphore] = {}
        self._there: Counter[Hashable] = Counter()

    @asynccontextmanager
    async def of(self, space: Hashable, kind: str, person: Hashable) -> AsyncIterator[None]:
        """Hold a place for a question of this kind that a person of this space asks. Raises TooMany."""
        of_space, of_person = groups = (space, kind), (space, kind, person)
        if self._there[of_space] >= self._most_of_space or self._there[of_person] >= self._most_of_person:
            whose = "space" if self._there[of_space] >= self._most_of_space else "person"
            raise TooMany(f"too many questions of this {whose} wait for their answer; ask again later, and fewer at once")
        self._there.update(groups)
        try:
            async with self._places.setdefault(of_person, asyncio.Semaphore(self._most)):
                yield
        finally:
            for group in groups:
                self._there[group] -= 1
                if not self._there[group]:
                    del self._there[group]
                    self._places.pop(group, None)
