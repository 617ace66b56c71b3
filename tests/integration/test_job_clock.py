"""Who says when a job is due: the server's schedules, or maintenance where it cannot. Each run is done once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import ClassVar

import pytest
from nats.aio.client import Client

from services.ingest.app import build as build_ingest
from services.maintenance import job_clock, registry
from services.maintenance.app import Maintenance
from services.maintenance.app import build as build_maintenance
from services.maintenance.jobs.job import Budget, Counts, Job
from shared.contracts.events import decode
from shared.contracts.jobs import JobFinished
from shared.runtime.eventlog.read import LogReader
from shared.runtime.job_queue import JobQueue, Schedules, ask_for_run, tell_due
from shared.runtime.settings import RuntimeSettings
from shared.runtime.topology import SCHEDULES, limit_streams, stream_configs
from tests.support.installations import Installation, serving, until


class Counting:
    """A job that waits until it may end."""

    name: ClassVar = "counting"
    schedule: ClassVar = "0 4 * * *"
    about: ClassVar = "Counts its runs."
    begun: ClassVar[list[str]] = []
    may_end: ClassVar[asyncio.Event]

    async def run(self, budget: Budget) -> Counts:
        self.begun.append("run")
        await self.may_end.wait()
        budget.spend()
        return {"counted": 1}


@pytest.fixture(autouse=True)
def counting(monkeypatch: pytest.MonkeyPatch) -> type[Counting]:
    """The only job; it may end at once, unless a test clears `may_end`."""

    def jobs(_: registry.JobParts) -> Sequence[Job]:
        return [Counting()]

    Counting.begun, Counting.may_end = [], asyncio.Event()
    Counting.may_end.set()
    monkeypatch.setattr("services.maintenance.app.make_jobs", jobs)
    monkeypatch.setattr(job_clock, "_LOOK_S", 0.02)
    for name, value in {"EMBEDDER_KIND": "none", "MAINTENANCE_JOB_ACK_S": "0.5"}.items():
        monkeypatch.setenv(f"MEMSTREAM_{name}", value)
    return Counting


async def told(client: Client) -> list[JobFinished]:
    """How the runs ended, by the log."""
    events = [decode(record.data) async for batch in LogReader(client).to_end() for record in batch]
    return [event.data for event in events if isinstance(event.data, JobFinished)]


@asynccontextmanager
async def maintained(*settings: RuntimeSettings, server: Installation) -> AsyncIterator[list[Maintenance]]:
    """ingest, and maintenance in each of these folders."""
    maintenances = [build_maintenance(each) for each in settings]
    async with serving(build_ingest(server.settings), *maintenances):
        yield maintenances


async def until_told(client: Client, count: int) -> list[JobFinished]:
    async def are_told() -> bool:
        return len(await told(client)) >= count

    await until(are_told, what=f"{count} runs are told of")
    return await told(client)


async def test_the_server_follows_the_schedules_and_those_that_are_off_no_more(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with own_server.connected("operator") as operator:
        js = operator.jetstream()
        for wanted in ("counting=30 5 * * 0", "counting=off"):
            monkeypatch.setenv("MEMSTREAM_MAINTENANCE_SCHEDULES", wanted)
            monkeypatch.setenv("MEMSTREAM_MAINTENANCE_TIME_ZONE", "Europe/Vienna")
            async with maintained(own_server.settings, server=own_server) as (maintenance,):
                clock = maintenance.desk._job_clock
                assert clock is not None
                await until(clock.is_placed, what="they are placed")
                if wanted.endswith("off"):
                    assert not (await js.stream_info(SCHEDULES, subjects_filter=">")).state.subjects
                else:
                    placed = await js.get_last_msg(SCHEDULES, "schedule.counting", direct=True)
                    headers = placed.headers or {}
                    assert headers["Nats-Schedule"] == "0 30 5 * * 0"
                    assert headers["Nats-Schedule-Time-Zone"] == "Europe/Vienna"
                    assert maintenance.desk.jobs()[0]["told_by"] == "server"


async def test_a_time_that_passed_while_the_server_was_down_is_made_up_for_once(own_server: Installation) -> None:
    async with own_server.connected("maintenance") as client:
        soon = (datetime.now(UTC) + timedelta(seconds=1)).strftime("@at %Y-%m-%dT%H:%M:%SZ")
        headers = {"Nats-Schedule": soon, "Nats-Schedule-Target": "job.counting"}
        await client.jetstream().publish("schedule.counting", b"", headers=headers)
    await own_server.server.stop()
    await asyncio.sleep(1.2)  # the server's own clock cannot be moved
    await own_server.server.start()
    settings = RuntimeSettings(data_dir=own_server.settings.data_dir, nats_url=own_server.server.url)
    own_server = replace(own_server, settings=settings)
    async with own_server.connected("operator") as operator:

        async def is_made_up_for() -> bool:
            return bool((await operator.jetstream().stream_info(SCHEDULES, subjects_filter="job.counting")).state.subjects)

        await until(is_made_up_for, what="the server has told of it")  # before maintenance places its own

    async with maintained(settings, server=own_server), own_server.connected("operator") as operator:
        runs = await until_told(operator, 1)

    assert [(run.job, run.asked_by, run.ended, run.counts) for run in runs] == [
        ("counting", "schedule", "done", {"counted": 1})
    ]


async def test_two_maintenances_do_each_run_once(own_server: Installation, tmp_path: Path, counting: type[Counting]) -> None:
    second = own_server.elsewhere(tmp_path / "second")
    async with (
        maintained(own_server.settings, second, server=own_server),
        own_server.connected("operator") as operator,
        own_server.connected("maintenance") as client,
    ):
        for number in range(4):
            await ask_for_run(operator, "counting", f"counting/{number}")
            await until_told(operator, number + 1)
        due_at = datetime(2026, 5, 3, 4, tzinfo=UTC)
        await asyncio.gather(*(tell_due(client, "counting", due_at) for _ in range(2)))  # two timers at once
        runs = await until_told(operator, 5)

    assert len(counting.begun) == len(runs) == 5
    assert len({run.run for run in runs}) == 5


async def test_a_run_whose_process_died_goes_on_in_another_and_counts_once(
    own_server: Installation, counting: type[Counting]
) -> None:
    async with own_server.connected("maintenance") as dead, own_server.connected("operator") as operator:
        queue = JobQueue(dead, ack_wait_s=0.5)
        await queue.open()
        await ask_for_run(operator, "counting", "counting/1")
        assert (await queue.next()) is not None  # and nothing more is heard of it
        async with maintained(own_server.settings, server=own_server):
            runs = await until_told(operator, 1)

    assert [run.run for run in runs] == ["counting/1"]
    assert len(counting.begun) == 1


async def test_a_run_that_takes_long_is_not_handed_out_again(
    own_server: Installation, tmp_path: Path, counting: type[Counting]
) -> None:
    counting.may_end.clear()
    second = own_server.elsewhere(tmp_path / "second")
    async with (
        maintained(own_server.settings, second, server=own_server),
        own_server.connected("operator") as operator,
    ):
        await ask_for_run(operator, "counting", "counting/1")
        await until(lambda: bool(counting.begun), what="it has begun")
        await asyncio.sleep(0.8)  # longer than a process may be silent
        counting.may_end.set()
        await until_told(operator, 1)

    assert len(counting.begun) == 1


async def test_on_a_server_that_follows_no_schedules_maintenance_tells_of_the_times(
    own_server: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with own_server.connected("operator") as operator:
        js = operator.jetstream()
        await js.delete_stream(SCHEDULES)
        config = next(each for each in stream_configs() if each.name == SCHEDULES)
        await js.add_stream(replace(config, allow_msg_schedules=None))
        assert not await Schedules(operator).can_be_followed()
        monkeypatch.setenv("MEMSTREAM_MAINTENANCE_SCHEDULES", "counting=* * * * *")
        async with maintained(own_server.settings, server=own_server) as (maintenance,):
            clock = maintenance.desk._job_clock
            assert clock is not None
            await until(clock.is_placed, what="it knows who tells")
            clock._began = datetime.now(UTC) - timedelta(minutes=3)  # as if it had run for so long
            runs = await until_told(operator, 1)
            teller = maintenance.desk.jobs()[0]["told_by"]
        async with maintained(own_server.settings, server=own_server) as (again,):
            clock = again.desk._job_clock
            assert clock is not None
            await until(lambda: clock.followed is not None, what="it knows who tells")

    assert teller == "maintenance"
    assert len(runs) == 1  # of the three minutes that passed the last
    assert runs[0].asked_by == "schedule"
    assert runs[0].due_at.second == 0


async def test_an_earlier_installation_gets_the_stream_of_schedules(own_server: Installation) -> None:
    async with own_server.connected("operator") as operator:
        await operator.jetstream().delete_stream(SCHEDULES)
        assert await limit_streams(operator, own_server.keys) == [SCHEDULES]
        assert await limit_streams(operator, own_server.keys) == []
        assert await Schedules(operator).can_be_followed()
