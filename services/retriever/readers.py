"""Threads that read files for those who ask: one does it all, and others help where it is busy for long with one piece."""

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

T = TypeVar("T")
_LONG_S = 0.03
"""Longer than most questions take of those who have a hundred thousand memories."""

_HELPERS = 3


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


class Readers:
    """One thread for all work, as Python computes in one thread at a time: several would only take turns at its lock.

    Measured with four threads: a third of their time went into these turns (docs/adr/0079). What must wait for something,
    such as a vector, leaves the thread meanwhile. Where one piece takes long, others do what waits behind it.
    """

    def __init__(self, name: str) -> None:
        self._first = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._helpers = ThreadPoolExecutor(_HELPERS, thread_name_prefix=f"{name}-beside")
        self._since: float | None = None  # when the first thread began with what it does
        self._waiting: dict[_Piece[object], None] = {}
        self._look: asyncio.TimerHandle | None = None

    async def run(self, work: Callable[[], T]) -> T:
        """The result of work in a thread. If the caller is cancelled, the work is left to itself, or never begun."""
        piece = _Piece(work)
        self._first.submit(self._lead, piece)
        self._waiting[piece] = None  # type: ignore[index] # of whatever result
        if self._look is None:
            self._look_later()
        try:
            return await asyncio.wrap_future(piece.result)
        finally:
            del self._waiting[piece]  # type: ignore[arg-type]

    def close(self) -> None:
        """Take no more work; what was begun ends."""
        self._first.shutdown(wait=False)
        self._helpers.shutdown(wait=False)

    def _lead(self, piece: _Piece[T]) -> None:
        self._since = time.monotonic()
        try:
            piece.do()
        finally:
            self._since = None

    def _look_later(self) -> None:
        self._look = asyncio.get_running_loop().call_later(_LONG_S, self._have_helped)

    def _have_helped(self) -> None:
        """Put what waits before the other threads, too, if the first one is busy for long."""
        self._look = None
        waiting = [piece for piece in self._waiting if not piece.is_taken]
        if not waiting:
            return
        since = self._since
        if since is not None and time.monotonic() - since >= _LONG_S:
            for piece in waiting:
                self._helpers.submit(piece.do)
        self._look_later()
