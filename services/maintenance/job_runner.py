"""Runs a job once, within its limits, and tells ingest how it went."""

import time
from collections.abc import Sequence
from typing import Any

from services.maintenance.job_measures import JobMeasures
from services.maintenance.jobs.job import Budget, Job, Limits, Previewed
from shared.contracts.errors import MemstreamError, NotFound, Rejected, Unavailable
from shared.contracts.ids import MessageId
from shared.contracts.jobs import FinishJob, JobEnd
from shared.runtime.clock import Clock
from shared.runtime.connection import Client
from shared.runtime.job_queue import DueJob
from shared.runtime.logs import log
from shared.runtime.sending import tell_of_installation

_MILLISECONDS = 1_000


class JobRunner:
    """The jobs of this process."""

    def __init__(self, client: Client, jobs: Sequence[Job], clock: Clock, limits: Limits, measures: JobMeasures) -> None:
        self._client = client
        self._clock = clock
        self._limits = limits
        self._measures = measures
        self.jobs = {job.name: job for job in jobs}

    async def run(self, due: DueJob, *, may_come_again: bool = False) -> FinishJob:
        """Do a run, and tell ingest how it went; then return what was told. However often a run is told, it counts once.

        With `may_come_again` it raises Unavailable where a service did not answer, and nothing is told.
        """
        began_at, began = self._clock.now(), time.monotonic()
        budget, code, counts = Budget(self._limits), None, {}
        try:
            counts = dict(await self._job(due.job).run(budget))
        except MemstreamError as error:
            if may_come_again and isinstance(error, Unavailable):
                raise
            code = error.code
        except Exception as error:  # noqa: BLE001 - the edge of a job: the others go on
            log.error("job.failed", job=due.job, exc_info=error)
            code = MemstreamError.code
        took_ms = round((time.monotonic() - began) * _MILLISECONDS)
        ended: JobEnd = "failed" if code else "limit" if budget.was_refused else "done"
        return await self._tell(due, began_at=began_at, duration_ms=took_ms, ended=ended, code=code, counts=counts)

    async def give_up(self, due: DueJob) -> FinishJob:
        """Tell ingest that a run ended its process again and again."""
        now = self._clock.now()
        return await self._tell(due, began_at=now, duration_ms=0, ended="failed", code="interrupted", counts={})

    async def preview(self, name: str) -> list[dict[str, Any]]:
        """What a job would do. Raises NotFound, and Rejected for one that cannot say."""
        job = self._job(name)
        if not isinstance(job, Previewed):
            raise Rejected(f"the job {name} cannot say what it would do")
        return await job.preview(Budget(self._limits))

    def _job(self, name: str) -> Job:
        if name not in self.jobs:
            raise NotFound(f"there is no job {name} here; there are {', '.join(self.jobs)}")
        return self.jobs[name]

    async def _tell(self, due: DueJob, **how: Any) -> FinishJob:  # noqa: ANN401 - the fields of a run
        said: dict[str, Any] = {"run": due.run, "job": due.job, "asked_by": due.asked_by, "due_at": due.due_at}
        finished = FinishJob(message_id=MessageId(due.run), **said, **how)
        await tell_of_installation(self._client, finished)
        self._measures.ended(finished)
        log.info("job.finished", job=due.job, ended=finished.ended, code=finished.code, counts=dict(finished.counts))
        return finished
