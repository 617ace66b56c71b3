"""Whether an import is decided in this process: what follows from it, and nobody waits for, comes when it is in the log."""

import asyncio
import time
from collections.abc import Callable

_STILL_S = 1.0
"""So long after a message of an import the next one is likely to come."""

_RESTS = 6
"""So many times as long as it took, work rests that can wait for an import: a seventh of the time is left to it."""

_LONGEST_REST_S = 2.0


class ImportWatch:
    """Noted by whoever decides imports, and looked at by those who learn from them, embed them, or follow the log late."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._noted_s = float("-inf")

    def note(self) -> None:
        """Note that a part of an import is decided."""
        self._noted_s = self._clock()

    @property
    def is_under_way(self) -> bool:
        """True while an import is decided, and a moment longer."""
        return self._clock() - self._noted_s < _STILL_S

    def rest_s(self, worked_s: float) -> float:
        """How long work rests that took so long, in seconds: 0 where no import is under way."""
        return min(_RESTS * worked_s, _LONGEST_REST_S) if self.is_under_way else 0.0

    async def rest(self, worked_s: float) -> None:
        """Rest after work that took so long, while an import is under way."""
        await asyncio.sleep(self.rest_s(worked_s))


IMPORTS = ImportWatch()
"""That of this process."""
