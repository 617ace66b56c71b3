"""How fast something goes on, and how long what is left will take."""

from collections import deque

_OVER_S = 60.0
_LEAST_S = 1.0


class Pace:
    """What was done in the last minute. Moments are seconds of a clock that does not go back. One thread notes, any may ask."""

    def __init__(self) -> None:
        self._done: deque[tuple[float, int]] = deque()

    def note(self, count: int, now: float) -> None:
        """Note that so many more are done."""
        self._done.append((now, count))
        while self._done[0][0] <= now - _OVER_S:
            self._done.popleft()

    def per_s(self, now: float) -> float:
        """How many are done a second, of late; 0 after a minute in which nothing was.

        >>> pace = Pace()
        >>> pace.note(10, 100.0)
        >>> pace.note(30, 108.0)
        >>> pace.per_s(110.0), pace.per_s(170.0)
        (4.0, 0.0)
        """
        recent = [(at, count) for at, count in self._done.copy() if at > now - _OVER_S]  # no thread comes between a copy
        if not recent:
            return 0.0
        return sum(count for _, count in recent) / max(now - recent[0][0], _LEAST_S)

    def left_s(self, left: int, now: float) -> float | None:
        """Seconds until so many are done; None while nothing goes on.

        >>> pace = Pace()
        >>> pace.note(20, 0.0)
        >>> pace.left_s(100, 10.0), Pace().left_s(100, 10.0)
        (50.0, None)
        """
        if not left:
            return 0.0
        rate = self.per_s(now)
        return left / rate if rate else None
