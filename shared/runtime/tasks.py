"""Runs several tasks as one and ends them reliably, and runs work in threads that are always waited for.

Not `asyncio.TaskGroup`: it cancels each task once, and nats-py waits with `asyncio.wait_for`, which before Python 3.12 forgets
a cancellation that comes together with a reply. A service would then never stop.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from contextvars import copy_context
from functools import partial
from typing import Any, ParamSpec, TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from shared.contracts.errors import ENDING, Unavailable
from shared.runtime.lead_thread import LeadThread
from shared.runtime.logs import log, trace_of
from shared.runtime.metrics import WORK_FAILURES

P = ParamSpec("P")
T = TypeVar("T")
Work: TypeAlias = Coroutine[Any, Any, None]
_AGAIN_S = 0.5
_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 60.0
_HELPERS = 5
_OF_LOOPS = WeakKeyDictionary[asyncio.AbstractEventLoop, LeadThread]()


async def run_until_one_ends(*works: Work) -> None:
    """Run all coroutines until the first ends or fails; then end the others, and raise what it raised."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        await end(tasks)


async def keep_at(work: Callable[[], Work], *, what: str) -> None:
    """Run work until it returns; after an error that nobody foresaw, begin it again, with an alarm and growing pauses.

    Raises errors of memstream's own that say that a person must look, as a damaged file.
    """
    failures = 0
    while True:
        try:
            return await work()
        except (*ENDING, Unavailable):
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, one item is to blame, and must not end a service
            failures += 1
            note_failure(error, what=what)
            await asyncio.sleep(min(_PAUSE_S * failures, _LONGEST_PAUSE_S))


def note_failure(error: Exception, *, what: str, **about: object) -> None:
    """Count and log an error that nobody foresaw, after which the others are served. `about`: ids and codes, no text."""
    WORK_FAILURES.labels(what).inc()
    log.error("work.failed", what=what, trace=trace_of(error), **about)


async def end(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Cancel the tasks again and again until they are done. A cancellation of the caller waits for that."""
    cancelled = False
    while waiting := [task for task in tasks if not task.done()]:
        for task in waiting:
            task.cancel()
        try:
            await asyncio.wait(waiting, timeout=_AGAIN_S)
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run work in a thread and return its result. If the caller is cancelled, it first waits for the thread.

    Not `asyncio.to_thread`: it leaves its thread behind when it is cancelled, and what the thread works with is then closed
    under its hands. SQLite crashes the process where a connection is closed while a statement runs on it.
    """
    return await finished(_threads().begin(partial(copy_context().run, work, *args, **kwargs)))


def _threads() -> LeadThread:
    """The threads of the running loop."""
    loop = asyncio.get_running_loop()
    threads = _OF_LOOPS.get(loop)
    if threads is None:
        threads = _OF_LOOPS[loop] = LeadThread("work", helpers=_HELPERS)
    return threads


async def finished(work: asyncio.Future[T]) -> T:
    """Await work and return its result. If the caller is cancelled, even repeatedly, it first waits for the work."""
    cancelled = False
    while not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        raise asyncio.CancelledError from (None if work.cancelled() else work.exception())
    return work.result()


def honour_cancellation() -> None:
    """Raise CancelledError if this task was cancelled: `wait_for`, as nats-py uses it, can lose that before Python 3.12."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError
