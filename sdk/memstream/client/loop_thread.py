"""An event loop in a thread of its own, for whoever has none."""

import asyncio
import os
import threading
import weakref
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from memstream._contracts import NotConnected

_CLOSING_S = 5.0

_Result = TypeVar("_Result")


class LoopThread:
    """Runs coroutines one beside the other in one event loop, for callers in any thread, with or without a loop of their own.

    The thread starts with the first of them, and is a daemon: it keeps no process from ending. `at_end` is awaited when it is
    closed, or when nobody holds it any more.
    """

    def __init__(self, at_end: Callable[[], Awaitable[None]]) -> None:
        self._at_end = at_end
        self._starting = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._process = os.getpid()
        self._is_closed = False

    def run(self, work: Callable[[], Coroutine[Any, Any, _Result]]) -> _Result:
        """The result of a coroutine, which is cancelled if the wait is interrupted. Raises NotConnected with what to do."""
        loop = self._running()
        future = asyncio.run_coroutine_threadsafe(work(), loop)
        try:
            return future.result()
        finally:
            future.cancel()

    def close(self) -> None:
        """Await `at_end`, and end the thread."""
        if self._process != os.getpid() or self._is_closed:
            return
        self._is_closed = True
        if self._loop and self._thread and self._thread is not threading.current_thread():
            _stop(self._loop, self._at_end, self._process)
            self._thread.join(_CLOSING_S)

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._process = os.getpid()  # made before a fork, and first used after it
        if self._process != os.getpid():
            raise NotConnected(
                "the client was used before this process was forked; make one in each process, or use it first after the fork,"
                " such as in gunicorn's post_fork or Celery's worker_process_init"
            )
        if self._is_closed:
            raise NotConnected("the client is closed; make another one")
        if self._thread is threading.current_thread():
            raise NotConnected("this is the client's own thread, which must not wait for itself; use MemoryClient here")
        with self._starting:
            return self._loop or self._start()

    def _start(self) -> asyncio.AbstractEventLoop:
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=_run, args=(loop,), name="memstream", daemon=True)
        thread.start()
        weakref.finalize(self, _stop, loop, self._at_end, self._process)
        self._loop, self._thread = loop, thread
        return loop


def _run(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
    finally:
        loop.close()


def _stop(loop: asyncio.AbstractEventLoop, at_end: Callable[[], Awaitable[None]], process: int) -> None:
    """Have the loop end by itself, without waiting for it. Of another process it is left alone."""

    async def end() -> None:
        try:
            await asyncio.wait_for(at_end(), _CLOSING_S)
        finally:
            loop.stop()

    if process == os.getpid() and not loop.is_closed():
        asyncio.run_coroutine_threadsafe(end(), loop)
