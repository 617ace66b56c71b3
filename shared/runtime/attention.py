"""Who asks in this process: when somebody did last, and whether somebody is being answered at this moment."""

import asyncio
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager

from shared.runtime.news import News
from shared.runtime.switch_interval import SWITCHES

_STILL_ASKING_S = 0.5
"""Whoever asked so short a time ago is likely to ask again."""

_MOST_KNOWN = 64
"""Those who asked; when there are more, those are forgotten that do no longer."""


class Attention:
    """Noted by those who answer, and looked at by those who give way, in any thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._asked = float("-inf")
        self._asked_by: dict[tuple[Hashable, Hashable], float] = {}
        self._answering = 0
        self._changed = threading.Condition()
        self._ended = News()

    def note_question(self, space: Hashable = None, user: Hashable = None) -> None:
        """Note that this user of this space asks something."""
        self._asked = self._clock()
        SWITCHES.note_awaited()
        if len(self._asked_by) > _MOST_KNOWN:
            self._asked_by = {each: asked for each, asked in self._asked_by.items() if self._asked - asked < _STILL_ASKING_S}
        self._asked_by[space, user] = self._asked

    def is_asked_beside(self, space: Hashable) -> bool:
        """True while somebody asks of another space than this, and a moment longer."""
        return self._is_asked(lambda each, _: each != space)

    def is_asked_beside_user(self, space: Hashable, user: Hashable) -> bool:
        """True while somebody asks who is not this user of this space, and a moment longer."""
        return self._is_asked(lambda *each: each != (space, user))

    def _is_asked(self, counts: Callable[[Hashable, Hashable], bool]) -> bool:
        since = self._clock() - _STILL_ASKING_S
        return any(asked > since and counts(*each) for each, asked in tuple(self._asked_by.items()))

    @property
    def is_asked(self) -> bool:
        """True while somebody asks, and a moment longer."""
        return self._clock() - self._asked < _STILL_ASKING_S

    @property
    def is_answering(self) -> bool:
        """True while somebody is being answered."""
        return self._answering > 0

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Somebody is being answered while the block lasts."""
        with self._changed:
            self._answering += 1
        try:
            yield
        finally:
            with self._changed:
                self._answering -= 1
                self._changed.notify_all()
            self._ended.tell()

    def wait(self, longest_s: float) -> float:
        """Wait in this thread until nobody is being answered, so long at most; return how long it was, in seconds."""
        if not self._answering:
            return 0.0
        began = self._clock()
        with self._changed:
            self._changed.wait_for(lambda: not self._answering, longest_s)
        return self._clock() - began

    async def within(self, longest_s: float) -> None:
        """Wait in the event loop until nobody is being answered, so long at most."""
        until = asyncio.get_running_loop().time() + longest_s
        seen = self._ended.count
        while self._answering and (left_s := until - asyncio.get_running_loop().time()) > 0:
            await self._ended.within(left_s, seen)
            seen = self._ended.count
