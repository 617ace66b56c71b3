"""Whether an import is decided in this process: what follows from it, and nobody waits for, comes when it is in the log."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from shared.runtime.attention import Attention
from shared.runtime.background import BACKGROUND
from shared.runtime.switch_interval import SWITCHES

_STILL_S = 1.0
"""So long after a message of an import the next one is likely to come; after one that somebody sends live, likewise."""

_RESTS, _LONGEST_REST_S = 6, 6.0
"""So many times as long as it took, all work rests that can wait for an import: a seventh of the time is left to it."""

_LOOK_AGAIN_S = 0.05


class ImportWatch:
    """Noted by whoever decides imports, and looked at by those who learn from them, embed them, or follow the log late.

    They share one seventh of the time: each of them rests for what the others did, too. `attention`: who asks in this process.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, attention: Attention = BACKGROUND.attention) -> None:
        self._clock = clock
        self._attention = attention
        self._noted_s = self._live_s = self._rests_until_s = float("-inf")
        self._look: Callable[[], Awaitable[None]] | None = None

    @contextmanager
    def look_by(self, look: Callable[[], Awaitable[None]]) -> Iterator[None]:
        """Before and within rests in the block, have this look whether another process decides an import, and note it."""
        self._look = look
        try:
            yield
        finally:
            self._look = None

    async def look(self) -> None:
        """Look, where imports are decided by another process."""
        if self._look is not None:
            await self._look()

    def note(self) -> None:
        """Note that a part of an import is decided."""
        self._noted_s = self._clock()

    def note_live(self) -> None:
        """Note that something is decided that somebody says now."""
        self._live_s = self._clock()
        SWITCHES.note_awaited()

    @property
    def is_under_way(self) -> bool:
        """True while an import is decided, and a moment longer."""
        return self._clock() - self._noted_s < _STILL_S

    @property
    def is_alone(self) -> bool:
        """True while an import is decided, and nobody says or asks anything beside it."""
        is_asked = self._attention.is_asked or self._attention.is_answering
        return self.is_under_way and not is_asked and self._clock() - self._live_s >= _STILL_S

    def rest_s(self, worked_s: float) -> float:
        """How long work rests that took so long, in seconds: 0 where no import is under way."""
        if not self.is_under_way:
            return 0.0
        now = self._clock()
        self._rests_until_s = min(max(now, self._rests_until_s) + _RESTS * worked_s, now + _LONGEST_REST_S)
        return self._rests_until_s - now

    async def rest(self, worked_s: float) -> None:
        """Rest after work that took so long, while an import is under way."""
        await self.look()
        until = self._clock() + self.rest_s(worked_s)
        while (left_s := until - self._clock()) > 0 and self.is_under_way:
            await asyncio.sleep(min(left_s, _LOOK_AGAIN_S))
            await self.look()


IMPORTS = ImportWatch()
"""That of this process."""
