"""One thread does the work of a process, and others help where it is busy for long with one piece.

Python computes in one thread at a time. Several that have work take turns at its lock, and each turn wakes one that sleeps.
Source: docs/adr/0079-one-thread-leads.md.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_LONG_S = 0.03
"""Longer than nearly all pieces take: a question of somebody who has a hundred thousand memories takes 25 ms."""


class _Piece(Generic[T]):
    """Work that lies before several threads: the first one does it."""

    def __init__(self, work: Callable[[], T]) -> None:
        self.result = Future[T]()
        self._work = work
        self._taken = threading.Lock()  # for good

    @property
    def is_taken(self) -> bool:
        """True once a thread has begun with it."""
        return self._taken.locked()

    def do(self) -> None:
        """Do the work, unless another thread has begun with it, or nobody waits for it any more."""
        if not self._taken.acquire(blocking=False) or not self.result.set_running_or_notify_cancel():
            return
        try:
            done = self._work()
        except BaseException as error:  # noqa: BLE001 - whoever waits for the result raises it
            self.result.set_exception(error)
        else:
            self.result.set_result(done)


class LeadThread:
    """A thread for all work, and `helpers` for what waits behind a piece that takes long. For one event loop.

    What must wait for something should leave the thread meanwhile.
    """

    def __init__(self, name: str, *, helpers: int) -> None:
        self._lead = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._helpers = ThreadPoolExecutor(helpers, thread_name_prefix=f"{name}-beside")
        self._since: float | None = None  # when the lead began with what it does
        self._begun = self._ended = 0  # by the lead, whoever did the work
        self._waiting = deque[_Piece[Any]]()  # and some that were begun since the last look

    def begin(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Have work done; its result. Cancelled before a thread has begun, it is not done."""
        piece = _Piece(work)
        is_idle = self._begun == self._ended
        self._begun += 1
        self._lead.submit(self._led, piece)
        if self._is_long_at_one:
            self._helpers.submit(piece.do)
        elif not is_idle:
            if not self._waiting:  # else a look comes already
                self._look_later()
            self._waiting.append(piece)
        return asyncio.wrap_future(piece.result)

    def close(self) -> None:
        """Take no more work; what was begun ends, in the lead."""
        self._waiting.clear()
        self._lead.shutdown(wait=False)
        self._helpers.shutdown(wait=False)

    def _led(self, piece: _Piece[T]) -> None:
        self._since = time.monotonic()
        try:
            piece.do()
        finally:
            self._since = None
            self._ended += 1

    @property
    def _is_long_at_one(self) -> bool:
        since = self._since
        return since is not None and time.monotonic() - since >= _LONG_S

    def _look_later(self) -> None:
        asyncio.get_running_loop().call_later(_LONG_S, self._look_after)

    def _look_after(self) -> None:
        """Have the helpers do what waits, if the lead is busy for long."""
        while self._waiting and self._waiting[0].is_taken:
            self._waiting.popleft()
        while self._waiting and self._is_long_at_one:
            self._helpers.submit(self._waiting.popleft().do)
        if self._waiting:
            self._look_later()
