"""One thread does the work of a process, and others help where it is busy for long with one piece.

Python computes in one thread at a time. Several that have work take turns at its lock, and each turn wakes one that sleeps.
Source: docs/adr/0079-one-thread-leads.md.
"""

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_LONG_S = 0.03
"""Longer than nearly all pieces take: a question of somebody who has a hundred thousand memories takes 25 ms."""


class _Piece(Generic[T]):
    """Work that lies before several threads, for the one that takes it."""

    def __init__(self, work: Callable[[], T]) -> None:
        self._loop = asyncio.get_running_loop()
        self.result: asyncio.Future[T] = self._loop.create_future()  # `wrap_future` took a tenth of the time of the loop
        self._work = work

    def do(self) -> Callable[[], None] | None:
        """Do the work; what tells the loop of it. None if nobody waits for it any more."""
        if self.result.cancelled():
            return None
        try:
            done = self._work()
        except BaseException as error:  # noqa: BLE001 - whoever waits for the result raises it
            return partial(self._tell, self.result.set_exception, error)
        return partial(self._tell, self.result.set_result, done)

    def _tell(self, settle: Callable[[Any], None], outcome: object) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(self._settle, settle, outcome)

    def _settle(self, settle: Callable[[Any], None], outcome: object) -> None:
        if not self.result.cancelled():
            settle(outcome)


class LeadThread:
    """A thread for all work, and `helpers` for what waits behind a piece that takes long. For one event loop.

    What must wait for something should leave the thread meanwhile.
    """

    def __init__(self, name: str, *, helpers: int) -> None:
        self._lead = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._helpers = ThreadPoolExecutor(helpers, thread_name_prefix=f"{name}-beside")
        self._lock = threading.Lock()  # of the next two
        self._pieces = deque[_Piece[Any]]()  # that no thread has come to
        self._is_busy = False  # the lead
        self._since: float | None = None  # when the lead began with what it does
        self._is_to_look = False
        self._is_closed = False

    def begin(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Have work done; its result. Not begun yet when cancelled, it is not done. Raises RuntimeError after `close`."""
        if self._is_closed:
            raise RuntimeError("these threads take no more work")
        piece = _Piece(work)
        with self._lock:
            self._pieces.append(piece)
            was_busy, self._is_busy = self._is_busy, True
        if not was_busy:
            self._lead.submit(self._do_all)
        elif self._is_long_at_one:
            self._helpers.submit(self._help)
        elif not self._is_to_look:
            self._look_later()
        return piece.result

    def close(self) -> None:
        """Take no more work; what was begun ends, in the lead."""
        self._is_closed = True
        self._lead.shutdown(wait=False)
        self._helpers.shutdown(wait=False)

    def _do_all(self) -> None:
        """Do what lies before the lead, until nothing does: the thread is woken only for the first of several pieces."""
        piece = self._next()
        while piece:
            self._since = time.monotonic()
            tell = piece.do()
            self._since = None
            piece = self._next()  # first, so that who is told does not find a thread busy that has nothing to do
            if tell:
                tell()

    def _next(self) -> _Piece[Any] | None:
        """The lead's next piece; without one it is at rest."""
        with self._lock:
            self._is_busy = bool(self._pieces)
            return self._pieces.popleft() if self._pieces else None

    def _help(self) -> None:
        """Do one piece, if another thread has not taken it meanwhile."""
        with self._lock:
            piece = self._pieces.popleft() if self._pieces else None
        if piece and (tell := piece.do()):
            tell()

    @property
    def _is_long_at_one(self) -> bool:
        since = self._since
        return since is not None and time.monotonic() - since >= _LONG_S

    def _look_later(self) -> None:
        self._is_to_look = True
        asyncio.get_running_loop().call_later(_LONG_S, self._look_after)

    def _look_after(self) -> None:
        """Have the helpers do what waits, if the lead is busy for long."""
        self._is_to_look = False
        waiting = len(self._pieces)
        if self._is_closed or not waiting:
            return
        if self._is_long_at_one:
            for _ in range(waiting):
                self._helpers.submit(self._help)
        else:
            self._look_later()
