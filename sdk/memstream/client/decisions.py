"""What a connection has lately seen decided, so that whatever is asked over it knows that."""

import time
from collections.abc import Callable

_LATELY_S = 60.0
"""So long after a decision all services know it. Where a log was put back, nobody waits longer for what is gone."""


class LateDecisions:
    """The positions of the newest decisions about people (space and user). `clock` in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[tuple[str, str], tuple[int, float]] = {}  # those seen last come last

    def note(self, space: str, user: str, position: int) -> None:
        """Note where a decision lies in the log."""
        self._forget_old()
        position = max(position, self.newest(space, user))
        self._seen.pop((space, user), None)
        self._seen[space, user] = position, self._clock()

    def newest(self, space: str, user: str) -> int:
        """The position of a person's newest decision of the last minute; 0 where there is none."""
        position, seen_s = self._seen.get((space, user), (0, 0.0))
        return position if self._clock() - seen_s < _LATELY_S else 0

    def _forget_old(self) -> None:
        while self._seen and self._clock() - next(iter(self._seen.values()))[1] >= _LATELY_S:
            del self._seen[next(iter(self._seen))]
