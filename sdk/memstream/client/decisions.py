"""Where in the log lies what a connection has lately seen decided: whatever is asked over it knows that."""

import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_LATELY_S = 60.0
"""So long after a decision all services know it. Where a log was put back, nobody waits longer for what is gone."""

_MOST = 10_000
K = TypeVar("K", bound=Hashable)


class LatePositions(Generic[K]):
    """The newest positions of the last minute, 10,000 at most, of whatever the keys name. `clock` in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._seen: dict[K, tuple[int, float]] = {}  # those seen last come last

    def note(self, key: K, position: int) -> None:
        """Note where something lies in the log."""
        position = max(position, self.newest(key))
        self._seen.pop(key, None)
        self._seen[key] = position, self._clock()
        while len(self._seen) > _MOST or self._clock() - next(iter(self._seen.values()))[1] >= _LATELY_S:
            del self._seen[next(iter(self._seen))]

    def newest(self, key: K) -> int:
        """The newest position of the last minute; 0 where there is none."""
        position, seen_s = self._seen.get(key, (0, 0.0))
        return position if self._clock() - seen_s < _LATELY_S else 0
