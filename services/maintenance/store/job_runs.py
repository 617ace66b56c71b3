"""The history of the jobs, as the log tells it."""

import json
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, func, select
from sqlalchemy.dialects.sqlite import insert

from services.maintenance.store.schema import JOB_RUN
from shared.contracts.jobs import JobFinished
from shared.domain.moments import microseconds
from shared.runtime.bulk import Batch, rows_of
from shared.runtime.projector import Recorded

_FINISHED = rows_of(JOB_RUN, insert(JOB_RUN).on_conflict_do_nothing())


class PastRun(NamedTuple):
    """A run that is over. Moments are microseconds since 1970."""

    run: str
    job: str
    asked_by: str
    due_at: int
    began_at: int
    duration_ms: int
    ended: str
    code: str | None
    counts: dict[str, int]


def follow_job_runs(db: Batch, recorded: Recorded) -> None:
    """Follow how the runs of jobs end."""
    if isinstance(data := recorded.event.data, JobFinished):
        row = {
            "scope": recorded.scope,
            "position": int(recorded.position),
            "run": data.run,
            "job": data.job,
            "asked_by": data.asked_by,
            "due_at": microseconds(data.due_at),
            "began_at": microseconds(data.began_at),
            "duration_ms": data.duration_ms,
            "ended": data.ended,
            "code": data.code,
            "counts": json.dumps(data.counts, sort_keys=True),
        }
        db.add(_FINISHED, (JOB_RUN.name, recorded.scope, data.run), row)


def job_runs(db: Connection, *, limit: int, job: str | None = None, run: str | None = None) -> list[PastRun]:
    """The last runs, of one job or of all, the newest first; or one run."""
    query = select(*(JOB_RUN.c[name] for name in PastRun._fields)).order_by(JOB_RUN.c.position.desc()).limit(limit)
    if job is not None:
        query = query.where(JOB_RUN.c.job == job)
    if run is not None:
        query = query.where(JOB_RUN.c.run == run)
    return [_past(row) for row in db.execute(query)]


def last_runs(db: Connection) -> dict[str, PastRun]:
    """The last run of each job."""
    newest = select(func.max(JOB_RUN.c.position)).group_by(JOB_RUN.c.job).scalar_subquery()
    query = select(*(JOB_RUN.c[name] for name in PastRun._fields)).where(JOB_RUN.c.position.in_(newest))
    return {row.job: _past(row) for row in db.execute(query)}


def last_successes(db: Connection) -> dict[str, int]:
    """When each job last ended without a failure, in microseconds since 1970; of those that did."""
    ended = func.max(JOB_RUN.c.began_at + 1_000 * JOB_RUN.c.duration_ms)
    query = select(JOB_RUN.c.job, ended).where(JOB_RUN.c.ended != "failed").group_by(JOB_RUN.c.job)
    return {job: int(at) for job, at in db.execute(query)}


def _past(row: Row[Any]) -> PastRun:
    return PastRun(**{**row._asdict(), "counts": json.loads(row.counts)})
