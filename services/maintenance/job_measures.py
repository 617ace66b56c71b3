"""Measures how the jobs run, so that one that fails or does not run is noticed."""

from collections.abc import Mapping
from datetime import datetime, timedelta

from services.maintenance.domain.timetable import Timetable
from shared.contracts.jobs import JobRun
from shared.domain.moments import moment
from shared.runtime.metrics import JOB_DUE_TIME, JOB_RUNS, JOB_SECONDS, JOB_SUCCESS_TIME


class JobMeasures:
    """What metrics tell of the jobs of this process."""

    def __init__(self, timetable: Timetable) -> None:
        self._timetable = timetable

    def begin(self, last_successes: Mapping[str, int], *, now: datetime) -> None:
        """Tell what the log knows: when each job last ended well, in microseconds since 1970.

        A job that never ran is due at its next time.
        """
        for job in self._timetable.crons:
            if job in last_successes:
                self._succeeded(job, moment(last_successes[job]))
            else:
                self._is_due_after(job, now)

    def ended(self, run: JobRun) -> None:
        """Tell of a run that is over."""
        JOB_RUNS.labels(run.job, run.ended).inc()
        JOB_SECONDS.labels(run.job).set(run.duration_ms / 1_000)
        if run.ended != "failed":
            self._succeeded(run.job, run.began_at + timedelta(milliseconds=run.duration_ms))

    def _succeeded(self, job: str, at: datetime) -> None:
        JOB_SUCCESS_TIME.labels(job).set(at.timestamp())
        self._is_due_after(job, at)

    def _is_due_after(self, job: str, at: datetime) -> None:
        if following := self._timetable.next(job, at):
            JOB_DUE_TIME.labels(job).set(following.timestamp())
