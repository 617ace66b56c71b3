"""A clock that is moved by hand, for everything that runs in this process.

    with moved_clock(datetime(2026, 1, 5, 8, 0, tzinfo=UTC)) as clock:
        ...                                  # services, built and run within, tell this time; it goes on as time does
        clock.to(clock.now() + timedelta(days=30))

The server's own clock cannot be moved: messages that it stored get the time that this one told then, also when they are read
again later. What sleeps, sleeps for real; `LoopTime` moves that, too, where a test is about how long something waits.
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from shared.domain.moments import microseconds, moment
from shared.runtime.clock import SystemClock
from shared.runtime.eventlog import pull

_NANOSECONDS = 1_000


class MovedClock:
    """A clock that tells another time, and goes on from there; `is_still`: it stands until it is moved again."""

    def __init__(self, start: datetime, *, is_still: bool = False) -> None:
        self._is_still = is_still
        self._moves: list[tuple[int, int]] = [(0, microseconds(start))]  # when, and to what, in microseconds
        self.to(start)

    def now(self) -> datetime:
        """The time that it tells."""
        return self.at(_real())

    def at(self, real: int) -> datetime:
        """The time that it told at a real moment, in microseconds since 1970."""
        began, told = self._moves[bisect_right(self._moves, (real, 1 << 62)) - 1]
        return moment(told if self._is_still or not began else told + max(0, real - began))

    def to(self, told: datetime) -> None:
        """Tell this time from now on."""
        self._moves.append((_real(), microseconds(told.astimezone(UTC))))

    def by(self, **span: float) -> None:
        """Tell a later time from now on: `by(days=2)`."""
        self.to(self.now() + timedelta(**span))


class LoopTime:
    """The time of the running event loop: it stands still until a test moves it, so no timer is early on a busy machine."""

    def __init__(self, patched: pytest.MonkeyPatch) -> None:
        loop = asyncio.get_running_loop()
        self._now_s = loop.time()
        patched.setattr(loop, "time", lambda: self._now_s)

    async def passes(self, seconds: float) -> None:
        """Move it, and let the loop do all that is due then."""
        self._now_s += seconds
        for _ in range(10):
            await asyncio.sleep(0)


@contextmanager
def moved_clock(start: datetime, *, is_still: bool = False) -> Iterator[MovedClock]:
    """Everything in this process tells this clock's time, until the end."""
    clock = MovedClock(start, is_still=is_still)
    delivered = pull._Requests._delivery

    def told(self: pull._Requests, message: Any) -> pull.Delivery:  # noqa: ANN401 - nats-py's own
        found = delivered(self, message)
        at = microseconds(clock.at(found.timestamp_ns // _NANOSECONDS))
        return found._replace(timestamp_ns=at * _NANOSECONDS)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(SystemClock, "now", lambda _: clock.now())
        patched.setattr(pull._Requests, "_delivery", told)
        yield clock


def _real() -> int:
    return time.time_ns() // _NANOSECONDS
