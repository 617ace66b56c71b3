"""Records how the jobs of maintenance went."""

from services.ingest.domain.ruling import Ruling
from shared.contracts.jobs import FinishJob, JobFinished, JobRun


def finish_job(command: FinishJob, ruling: Ruling) -> None:
    """Record the end of a run."""
    ruling.add(JobFinished(**{name: getattr(command, name) for name in JobRun.model_fields}))
