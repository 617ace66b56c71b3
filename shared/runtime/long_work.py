"""Tells in the log how far long work on a projection has come, and how long the rest will take."""

import time
from collections.abc import Callable

from shared.runtime.logs import log

_TELL_EACH_S = 5.0


class LongWork:
    """Tells it every five seconds, and nothing of what is done sooner."""

    def __init__(self, event: str, projection: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._event = event
        self._projection = projection
        self._clock = clock
        self._began = self._told = clock()

    def __call__(self, applied: int, left: int) -> None:
        """So many events are applied by now, and so many are left."""
        now = self._clock()
        if applied and now - self._told >= _TELL_EACH_S:
            self._told = now
            left_s = round((now - self._began) * left / applied)
            log.info(self._event, projection=self._projection, applied=applied, left=left, left_s=left_s)
