"""`jobs`: what maintenance does at its times, and what became of it."""

import asyncio
import json
from typing import Annotated, Any

import typer
from rich.console import Console

from memstream.cli.admin import ask_service
from memstream.cli.session import CliSession, run, session_of
from shared.contracts.errors import NotFound, Unavailable
from shared.runtime.connection import Client, operator_connection
from shared.runtime.ids import new_token

_TIMEOUT_S = 60.0
_POLL_S = 0.1

JobName = Annotated[str, typer.Argument(help="The job, as `jobs list` names it.")]


def list_(ctx: typer.Context) -> None:
    """The jobs of maintenance: when each runs, and how its last run went."""
    session = session_of(ctx)
    document = run(_asked(session, "jobs"))
    session.show(document, lambda console: _print_jobs(console, document["jobs"]))


def run_(
    ctx: typer.Context,
    job: JobName,
    *,
    timeout: Annotated[float, typer.Option("--timeout", min=0, help="Wait so many seconds for its end.")] = 1_200.0,
) -> None:
    """Run a job now, and wait for its end. One that runs already is run again after it."""
    session = session_of(ctx)
    past = run(_run(session, job, timeout))
    session.show(past, lambda console: _print_run(console, past))


def preview(ctx: typer.Context, job: JobName) -> None:
    """What a job would do within a week. Nothing is changed."""
    session = session_of(ctx)
    document = run(_asked(session, "preview", {"job": job}))
    session.show(document, lambda console: _print_items(console, document["items"]))


def history(
    ctx: typer.Context,
    job: Annotated[str | None, typer.Argument(help="Only runs of this job.")] = None,
    *,
    limit: Annotated[int, typer.Option("--limit", min=1, max=500, help="At most so many.")] = 20,
) -> None:
    """The last runs of the jobs, the newest first."""
    session = session_of(ctx)
    document = run(_asked(session, "job_runs", {"job": job, "limit": limit}))

    def show(console: Console) -> None:
        for past in document["runs"]:
            _print_run(console, past)

    session.show(document, show)


async def _asked(session: CliSession, what: str, request: dict[str, Any] | None = None) -> dict[str, Any]:
    async with operator_connection(session.settings) as client:
        return await _ask(client, what, request)


async def _ask(client: Client, what: str, request: dict[str, Any] | None = None) -> dict[str, Any]:
    payload = b"" if request is None else json.dumps(request).encode()
    return await ask_service(client, "maintenance", what, payload, timeout_s=_TIMEOUT_S)


async def _run(session: CliSession, job: str, timeout_s: float) -> dict[str, Any]:
    async with operator_connection(session.settings) as client:
        known = [each["job"] for each in (await _ask(client, "jobs"))["jobs"]]
        if job not in known:
            raise NotFound(f"there is no job {job}; there are {', '.join(known)}")
        wanted = f"{job}/{new_token()}"
        from shared.runtime.job_queue import ask_for_run  # noqa: PLC0415 - listing the jobs needs none of it

        await ask_for_run(client, job, wanted)
        deadline = asyncio.get_running_loop().time() + timeout_s
        while asyncio.get_running_loop().time() < deadline:
            if found := (await _ask(client, "job_runs", {"run": wanted}))["runs"]:
                past: dict[str, Any] = found[0]
                return past
            await asyncio.sleep(_POLL_S)
    raise Unavailable(f"{job} did not end in time; it goes on, and `memstream jobs history` tells of its end")


def _print_jobs(console: Console, jobs: list[dict[str, Any]]) -> None:
    for job in jobs:
        last = job["last"]
        when = f"{last['ended']} at {last['began_at'][:16]}" if last else "never ran"
        console.print(f"{job['job']:14} {job['schedule']:14} {when:30} {job['about']}")


def _print_run(console: Console, past: dict[str, Any]) -> None:
    counts = ", ".join(f"{count} {name}" for name, count in past["counts"].items()) or "nothing to do"
    code = f" ({past['code']})" if past["code"] else ""
    console.print(f"{past['began_at'][:19]} {past['job']:14} {past['ended']}{code} in {past['duration_ms']} ms: {counts}")


def _print_items(console: Console, items: list[dict[str, Any]]) -> None:
    for item in items:
        console.print("  ".join(f"{name}: {value}" for name, value in item.items()))
    if not items:
        console.print("nothing")
