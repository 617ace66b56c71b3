"""How long a thread may keep Python's lock in a process that answers while it works."""

import sys
import time
from collections.abc import Callable

_SHORT_S = 0.0001
"""While somebody waits: Python's own five milliseconds are longer than the whole way of a message.

SQLite gives the lock back for every row that it steps to: a question of 150 rows waits so often for whoever computes beside it.
Measured, against half a millisecond: a question beside those of a loud neighbour p95 85 to 64 ms; eight clients get 2 % fewer
answers.
"""

_LONG_S = 0.001
"""While nobody does. A switch leads to another core, whose caches know nothing of the work: an import takes a quarter more
processor time where its threads take turns every tenth of a millisecond."""

_STILL_S = 1.0
"""Whoever waited so short a time ago is likely to wait again."""


class SwitchInterval:
    """The time after which a thread gives the lock to one that waits for it: short while a person waits for this process."""

    def __init__(
        self, apply: Callable[[float], None] = sys.setswitchinterval, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._apply = apply
        self._clock = clock
        self._awaited_s = float("-inf")
        self._now_s: float | None = None

    def begin(self) -> None:
        """Let no thread keep the lock for long from now on; before, nothing is changed."""
        self._set(_SHORT_S)

    def note_awaited(self) -> None:
        """Note that somebody asks or says something now."""
        self._awaited_s = self._clock()
        if self._now_s == _LONG_S:
            self._set(_SHORT_S)

    def note_work(self) -> None:
        """Note that a piece of work begins that nobody waits for."""
        if self._now_s == _SHORT_S and self._clock() - self._awaited_s >= _STILL_S:
            self._set(_LONG_S)

    def _set(self, seconds: float) -> None:
        self._now_s = seconds
        self._apply(seconds)


SWITCHES = SwitchInterval()
"""That of this process."""
