"""Whether an import is decided in this process: what follows from it, and nobody waits for, comes when it is in the log."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from shared.runtime.attention import Attention
from shared.runtime.background import BACKGROUND

_STILL_S = 1.0
"""So long after a message of an import the next one is likely to come; after one that somebody sends live, likewise."""

_RESTS, _LONGEST_REST_S = 6, 6.0
"""So many times as long as it took, all work rests that can wait for an import: a seventh of the time is left to it."""

_RESTS_ALONE, _LONGEST_REST_ALONE_S = 60, 30.0
"""Likewise while nobody is beside the import: nobody waits for what follows from it."""

_LOOK_AGAIN_S = 0.05


class ImportWatch:
    """Noted by whoever decides imports, and looked at by those who learn from them, embed them, or follow the log late.

    They share one seventh of the time, and hardly any while the import is alone: each rests for what the others did, too.
    `attention`: who asks in this process.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, attention: Attention = BACKGROUND.attention) -> None:
        self._clock = clock
        self._attention = attention
        self._noted_s = self._live_s = float("-inf")
        self._rests_until_s = self._rests_alone_until_s = float("-inf")
        self._look: Callable[[], Awaitable[None]] | None = None

    def look_by(self, look: Callable[[], Awaitable[None]]) -> None:
        """Before and within rests, have this look whether another process decides an import, and note it."""
        self._look = look

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

    @property
    def is_under_way(self) -> bool:
        """True while an import is decided, and a moment longer."""
        return self._clock() - self._noted_s < _STILL_S

    @property
    def is_alone(self) -> bool:
        """True while an import is decided, and nobody says or asks anything beside it."""
        is_asked = self._attention.is_asked or self._attention.is_answering
        return self.is_under_way and not is_asked and self._clock() - self._live_s >= _STILL_S

    def rest_after(self, worked_s: float) -> "Rest":
        """The rest of work that took so long: none where no import is under way."""
        now = self._clock()
        if not self.is_under_way:
            return Rest(self, now, now)
        self._rests_until_s = _later(self._rests_until_s, now, _RESTS * worked_s, _LONGEST_REST_S)
        self._rests_alone_until_s = _later(self._rests_alone_until_s, now, _RESTS_ALONE * worked_s, _LONGEST_REST_ALONE_S)
        return Rest(self, self._rests_until_s, self._rests_alone_until_s)

    def left_s(self, until_s: float, alone_until_s: float) -> float:
        """Seconds until a moment by this watch's clock, or until another one while the import is alone; 0 without an import."""
        if not self.is_under_way:
            return 0.0
        return max(0.0, (alone_until_s if self.is_alone else until_s) - self._clock())

    async def rest(self, worked_s: float) -> None:
        """Rest after work that took so long, while an import is under way."""
        await self.look()
        rest = self.rest_after(worked_s)
        while left_s := rest.left_s:
            await asyncio.sleep(min(left_s, _LOOK_AGAIN_S))
            await self.look()


class Rest(NamedTuple):
    """A rest, which is shorter from the moment on when somebody says or asks something beside the import."""

    imports: ImportWatch
    until_s: float
    alone_until_s: float

    @property
    def left_s(self) -> float:
        """How long it lasts still, in seconds."""
        return self.imports.left_s(self.until_s, self.alone_until_s)


def _later(until_s: float, now: float, rest_s: float, longest_s: float) -> float:
    return min(max(now, until_s) + rest_s, now + longest_s)


IMPORTS = ImportWatch()
"""That of this process."""
