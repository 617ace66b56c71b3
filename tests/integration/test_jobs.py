"""Jobs: run by hand, told of by an event, and listed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from nats.aio.client import Client

from services.feed.app import build as build_feed
from services.ingest.app import build as build_ingest
from services.maintenance.app import build as build_maintenance
from services.retriever.app import build as build_retriever
from shared.contracts.ids import Space, User
from shared.runtime.job_queue import ask_for_run
from shared.runtime.metrics import SESSIONS_SWEPT
from tests.support.installations import Bot, Installation, serving, until

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def nights(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Installation]:
    """All services but the consolidator in this process, without an embedder."""
    installation = await Installation.create(tmp_path_factory.mktemp("memstream"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("MEMSTREAM_EMBEDDER_KIND", "none")
        builders = (build_ingest, build_retriever, build_maintenance, build_feed)
        services = [build(installation.settings) for build in builders]
    async with serving(*services):
        yield installation
    await installation.server.stop()


async def _told(client: Client, what: str, **request: object) -> dict[str, Any]:
    payload = json.dumps(request).encode() if request else b""
    answer: dict[str, Any] = json.loads((await client.request(f"admin.maintenance.{what}", payload, timeout=20)).data)
    return answer


async def test_silent_sessions_that_are_swept_by_hand_are_counted(nights: Installation) -> None:
    swept = SESSIONS_SWEPT.labels("swept")._value.get()
    async with nights.connected("bot") as bot, nights.connected("operator") as operator:
        await Bot(bot, "home").said("anna", "I like tea.")

        async def is_swept() -> bool:
            return bool((await _told(operator, "sweep", idle_minutes=0)).get("sessions"))

        await until(is_swept, what="the session is swept")
    assert SESSIONS_SWEPT.labels("swept")._value.get() == swept + 1


async def test_a_job_that_is_asked_for_is_run_and_told_of_once(nights: Installation) -> None:
    async with nights.connected("operator") as operator:
        await ask_for_run(operator, "consolidation", "consolidation/by-hand")

        async def is_over() -> bool:
            return bool((await _told(operator, "job_runs", run="consolidation/by-hand"))["runs"])

        await until(is_over, what="the run is over")
        past = (await _told(operator, "job_runs", run="consolidation/by-hand"))["runs"]
        (process,) = (await _told(operator, "measured"))["processes"]
        jobs = (await _told(operator, "jobs"))["jobs"]

    assert [(run["job"], run["ended"], run["asked_by"], run["counts"]) for run in past] == [
        ("consolidation", "done", "hand", {"sessions": 0, "tried_again": 0})
    ]
    assert next(job["last"]["run"] for job in jobs if job["job"] == "consolidation") == "consolidation/by-hand"
    assert process["samples"]["memstream_job_runs_total{ended=done,job=consolidation}"] >= 1
    assert process["samples"]["memstream_job_due_timestamp_seconds{job=consolidation}"] > past[0]["duration_ms"]


async def test_what_jobs_tell_of_the_installation_itself_is_held_by_everybody_as_the_log_says(nights: Installation) -> None:
    own = nights.keys.scope_of(Space(""), User(""))
    async with nights.connected("operator") as operator:
        await ask_for_run(operator, "decay", "decay/by-hand")

        async def is_over() -> bool:
            return bool((await _told(operator, "job_runs", run="decay/by-hand"))["runs"])

        await until(is_over, what="the run is over")
        request = json.dumps({"scopes": [own]}).encode()
        for service in ("ingest", "retriever", "maintenance"):

            async def is_compared(service: str = service) -> bool:
                reply = json.loads((await operator.request(f"admin.{service}.compare", request, timeout=20)).data)
                assert reply["differing"] == [], service
                return bool(reply["compared"])

            await until(is_compared, what=f"{service} has read what the job told")
