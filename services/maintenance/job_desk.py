"""What an operator is told of the jobs."""

from typing import Any

from services.maintenance.job_runner import JobRunner
from services.maintenance.store import MaintenanceStore, PastRun
from shared.contracts.errors import Unavailable
from shared.domain.moments import moment


class JobDesk:
    """Lists jobs and what became of them. Its runner comes with the connection."""

    def __init__(self, store: MaintenanceStore) -> None:
        self._store = store
        self._runner: JobRunner | None = None

    def open(self, runner: JobRunner) -> None:
        """Answer of these jobs from now on."""
        self._runner = runner

    @property
    def runner(self) -> JobRunner:
        """The jobs of this process. Raises Unavailable as long as it starts."""
        if self._runner is None:
            raise Unavailable("maintenance is starting; ask again")
        return self._runner

    def jobs(self) -> list[dict[str, Any]]:
        """Every job with its schedule and its last run."""
        last = self._store.last_job_runs()
        return [
            {"job": job.name, "about": job.about, "schedule": job.schedule, "last": _shown(last.get(job.name))}
            for job in self.runner.jobs.values()
        ]

    def runs(self, *, limit: int, job: str | None, run: str | None) -> list[dict[str, Any] | None]:
        """The last runs, the newest first."""
        return [_shown(past) for past in self._store.job_runs(limit=limit, job=job, run=run)]


def _shown(past: PastRun | None) -> dict[str, Any] | None:
    if past is None:
        return None
    moments = {name: moment(getattr(past, name)).isoformat() for name in ("due_at", "began_at")}
    return past._asdict() | moments
