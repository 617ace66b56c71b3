"""What an operator is told of the jobs."""

from typing import Any

from services.maintenance.domain.timetable import OFF, Timetable
from services.maintenance.job_clock import JobClock
from services.maintenance.job_runner import JobRunner
from services.maintenance.jobs.job import Job, Previewed
from services.maintenance.store import MaintenanceStore, PastRun
from shared.contracts.errors import Unavailable
from shared.domain.moments import moment
from shared.runtime.clock import Clock


class JobDesk:
    """Lists jobs and what became of them. Its runner comes with the connection."""

    def __init__(self, store: MaintenanceStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._runner: JobRunner | None = None
        self._timetable = Timetable({}, "UTC")
        self._job_clock: JobClock | None = None

    def open(self, runner: JobRunner, timetable: Timetable, job_clock: JobClock) -> None:
        """Answer of these jobs from now on."""
        self._runner, self._timetable, self._job_clock = runner, timetable, job_clock

    @property
    def runner(self) -> JobRunner:
        """The jobs of this process. Raises Unavailable as long as it starts."""
        if self._runner is None:
            raise Unavailable("maintenance is starting; ask again")
        return self._runner

    def jobs(self) -> list[dict[str, Any]]:
        """Every job with its schedule and its last run."""
        last = self._store.last_job_runs()
        return [self._about(job) | {"last": _shown(last.get(job.name))} for job in self.runner.jobs.values()]

    def _about(self, job: Job) -> dict[str, Any]:
        following = self._timetable.next(job.name, self._clock.now())
        return {
            "job": job.name,
            "about": job.about,
            "schedule": self._timetable.crons.get(job.name, OFF),
            "time_zone": self._timetable.time_zone,
            "next_at": following and following.isoformat(),
            "told_by": self._job_clock and self._job_clock.teller(job.name),
            "has_preview": isinstance(job, Previewed),
        }

    def runs(self, *, limit: int, job: str | None, run: str | None) -> list[dict[str, Any] | None]:
        """The last runs, the newest first."""
        return [_shown(past) for past in self._store.job_runs(limit=limit, job=job, run=run)]


def _shown(past: PastRun | None) -> dict[str, Any] | None:
    if past is None:
        return None
    moments = {name: moment(getattr(past, name)).isoformat() for name in ("due_at", "began_at")}
    return past._asdict() | moments
