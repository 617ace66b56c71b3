"""What an operator sees: jobs and their runs, without anybody's text."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import Field

from services.gateway.answers import json_answer
from services.gateway.rooms import KnownBearer
from shared.contracts.access import Right
from shared.contracts.contract import Contract

router = APIRouter(tags=["operating"])


class JobList(Contract):
    """Every job: its schedule, and how its last run went."""

    jobs: list[dict[str, Any]] = Field(description="As `memstream jobs list --json`.")


class JobRunList(Contract):
    """The last runs of jobs."""

    runs: list[dict[str, Any]] = Field(description="As `memstream jobs history --json`.")


@router.get("/jobs", response_model=JobList)
async def jobs(asked: KnownBearer) -> Response:
    """Every job: its schedule, and how its last run went."""
    asked.require(Right.OPERATE)
    return json_answer(await asked.rooms.reports.ask("admin.maintenance.jobs", {}))


@router.get("/jobs/runs", response_model=JobRunList)
async def job_runs(
    asked: KnownBearer,
    job: Annotated[str | None, Query(max_length=64, description="Only those of this job.")] = None,
    limit: Annotated[int, Query(ge=1, le=500, description="Most runs, the newest first.")] = 20,
) -> Response:
    """The last runs of jobs."""
    asked.require(Right.OPERATE)
    return json_answer(await asked.rooms.reports.ask("admin.maintenance.job_runs", {"job": job, "limit": limit}))
