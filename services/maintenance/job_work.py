"""Takes the jobs that are due from the queue, one after the other, for ever."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TypeVar

from services.maintenance.job_runner import JobRunner
from shared.contracts.errors import NotInitialised, Unavailable
from shared.runtime.job_queue import DueJob, JobQueue
from shared.runtime.logs import log
from shared.runtime.tasks import end

T = TypeVar("T")
_MOST_TRIES = 4
"""So often a run is tried where a service does not answer, or its process dies; then it has failed."""

_AGAIN_S = (5.0, 60.0, 300.0)
_PAUSE_S = 5.0


class JobWork:
    """The worker of this process."""

    def __init__(self, queue: JobQueue, runner: JobRunner) -> None:
        self._queue = queue
        self._runner = runner

    async def run(self) -> None:
        """Do what is due, for ever."""
        await _patiently(self._queue.open)
        while True:
            if due := await _patiently(self._queue.next):
                with suppress(Unavailable):  # the server is gone; when it is back, it hands the run out again
                    await self._do(due)

    async def _do(self, due: DueJob) -> None:
        """Do a run, and say to the queue that it is over, or is to come again."""
        if due.deliveries > _MOST_TRIES:
            await self._runner.give_up(due)
            await self._queue.done(due)
            return
        keeping = asyncio.create_task(self._queue.keep_for_ever(due))
        try:
            await self._runner.run(due, may_come_again=due.deliveries < _MOST_TRIES)
        except Unavailable as error:
            log.warning("job.postponed", job=due.job, reason=error.message)
            await self._queue.again(due, _AGAIN_S[min(due.deliveries, len(_AGAIN_S)) - 1])
        else:
            await self._queue.done(due)
        finally:
            await end([keeping])


async def _patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """The answer of the queue, however long it takes."""
    while True:
        try:
            return await ask()
        except (Unavailable, NotInitialised) as error:
            log.info("jobs.waiting", reason=error.message)
            await asyncio.sleep(_PAUSE_S)
