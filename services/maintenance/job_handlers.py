"""Requests of the operator about the jobs."""

# Without `from __future__ import annotations`: FastStream 0.7 resolves the parameters of nested handlers at definition.

from collections.abc import Awaitable, Callable
from typing import Any

from faststream.nats import NatsRouter
from pydantic import Field

from services.maintenance.job_desk import JobDesk
from shared.contracts.contract import Contract
from shared.contracts.errors import MemstreamError
from shared.contracts.queries import ErrorAnswer


class RunsRequest(Contract):
    """Which runs of jobs to tell of."""

    job: str | None = Field(default=None, max_length=64, description="Only those of this job.")
    run: str | None = Field(default=None, max_length=128, description="Only this one.")
    limit: int = Field(default=20, ge=1, le=500, description="At most so many, the newest first.")


class PreviewRequest(Contract):
    """The job that is to tell what it would do."""

    job: str = Field(min_length=1, max_length=64, description="Its name.")


def make_job_router(desk: JobDesk, follow_to_end: Callable[[], Awaitable[None]]) -> NatsRouter:
    """The handlers, bound to the jobs of this process."""
    router = NatsRouter()

    @router.subscriber("admin.maintenance.jobs")
    async def jobs() -> dict[str, Any]:
        """Every job: its schedule, and how its last run went."""
        await follow_to_end()
        try:
            return {"jobs": desk.jobs()}
        except MemstreamError as error:
            return _told(error)

    @router.subscriber("admin.maintenance.job_runs")
    async def job_runs(request: RunsRequest) -> dict[str, Any]:
        """The last runs of jobs."""
        await follow_to_end()
        return {"runs": desk.runs(limit=request.limit, job=request.job, run=request.run)}

    @router.subscriber("admin.maintenance.preview")
    async def preview(request: PreviewRequest) -> dict[str, Any]:
        """The changes that a job would make within the next week."""
        await follow_to_end()
        try:
            return {"items": await desk.runner.preview(request.job)}
        except MemstreamError as error:
            return _told(error)

    return router


def _told(error: MemstreamError) -> dict[str, Any]:
    return ErrorAnswer.of(error).model_dump(mode="json")
