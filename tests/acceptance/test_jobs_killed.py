"""Killed while a job runs, maintenance begins the run anew, and the end is the same as if nothing had happened."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from shared.contracts.events import decode
from shared.contracts.privacy import ForgettingCompleted
from shared.runtime.connection import operator_connection
from shared.runtime.datadir import DataDir
from shared.runtime.eventlog.read import LogReader
from shared.runtime.job_queue import ask_for_run
from tests.acceptance.die_at import Step
from tests.acceptance.processes import Installation, Process, forked
from tests.acceptance.settling import rebuilt_digests, stopped_at_rest
from tests.support.installations import until

_SKIES = ("falls", "soaks", "drips", "pours", "drums", "whispers")
_FACTS = ("Anna sails with Ben.", "Anna moved to Oslo.", "Anna plays the violin.", "Anna is learning Portuguese.")
_AT_ONCE = {
    "MEMSTREAM_MAINTENANCE_CLOCK": "off",
    "MEMSTREAM_MAINTENANCE_JOB_ACK_S": "1",
    "MEMSTREAM_MAINTENANCE_AGEING_DAYS": "0.000001",
    "MEMSTREAM_MAINTENANCE_RETENTION_DAYS": "0.000001",
    "MEMSTREAM_MAINTENANCE_DECAY_BELOW": "0.9999",
    "MEMSTREAM_INGEST_DECAY_RATE": "100",
}
"""What takes months elsewhere takes a moment."""

_SENDS = {
    "reflection": "services.maintenance.reflecting:send_work",
    "decay": "services.maintenance.jobs.decay:send_work",
    "ageing": "services.maintenance.jobs.ageing:send_work",
    "retention": "services.maintenance.jobs.retention:send_work",
}
_NIGHT = ("enrichment", "consolidation", "reflection", "ageing", "retention", "decay")
_ENDS = "services.maintenance.job_runner:tell_of_installation"


def _steps() -> Iterator[object]:
    for job, sends in _SENDS.items():
        steps = (Step("maintenance", sends, "after"), Step("maintenance", sends, "before"), Step("maintenance", _ENDS, "after"))
        for index, step in enumerate(steps):
            yield pytest.param(
                job, step, id=f"{job}: {step}", marks=() if (job, index) == ("decay", 0) else pytest.mark.nightly
            )


@pytest.fixture(scope="module")
def unharmed() -> dict[str, Counter[str]]:
    """The events of each job where nothing is killed, by job."""
    return {}


@pytest.mark.timeout(180)
@pytest.mark.parametrize(("job", "step"), list(_steps()))
async def test_a_job_that_is_killed_there_ends_as_if_it_had_not_been(
    job: str, step: Step, tmp_path: Path, unharmed: dict[str, Counter[str]]
) -> None:
    if job not in unharmed:
        unharmed[job] = await _lived(tmp_path / "unharmed", job)
    assert unharmed[job]["job_finished"] == (2 if job == "retention" else 1)
    assert await _lived(tmp_path / "killed", job, step) == unharmed[job]


@pytest.mark.nightly
@pytest.mark.timeout(600)
async def test_two_maintenances_do_every_job_once_as_one_does(tmp_path: Path) -> None:
    one, two = [await _night(tmp_path / name, processes=count) for name, count in (("one", 1), ("two", 2))]
    assert one["job_finished"] == 2 * len(_NIGHT)
    assert two == one


async def _night(root: Path, *, processes: int) -> Counter[str]:
    """The events of a life in which every job runs twice, with so many maintenances."""
    installation = Installation(root / "first", environment=_AT_ONCE)
    await installation.start()
    replicas = [await _replica(installation, root / f"replica-{number}") for number in range(1, processes)]
    try:
        await _remember(installation)
        for job in _NIGHT:
            await _run(installation, job)
            await _run(installation, job, run=f"{job}/2")
        assert [replica.returncode for replica in replicas] == [None] * len(replicas)
        return await _events(installation)
    finally:
        for replica in replicas:
            replica.terminate()
            await replica.wait()
        await installation.stop()


async def _replica(installation: Installation, folder: Path) -> Process:
    """Another maintenance, with a folder of its own, on the same server."""
    files = DataDir(folder)
    files.create()
    for ours, theirs in ((installation.files.keys, files.keys), (installation.files.credentials, files.credentials)):
        theirs.write_bytes(ours.read_bytes())
    named = {"MEMSTREAM_DATA_DIR": str(folder), "MEMSTREAM_NATS_URL": installation.server.url}
    environment = {**os.environ, "MEMSTREAM_EMBEDDER_KIND": "hashing", **_AT_ONCE, **named}
    return await forked(("services.maintenance",), environment, folder / "maintenance.log")


async def _lived(root: Path, job: str, step: Step | None = None) -> Counter[str]:
    """The events of a life in which the job ran once: how many of each type. The digests are those of a rebuild."""
    installation = Installation(root, environment=_AT_ONCE)
    await installation.start()
    try:
        await _remember(installation)
        if job == "retention":
            await _run(installation, "ageing")
        if step is not None:
            await _restarted_to_die(installation, step)
        await _run(installation, job, step)
        await installation.at_rest()
        events = await _events(installation)
        live = await stopped_at_rest(installation)
        assert live == await rebuilt_digests(installation)
        return events
    finally:
        await installation.stop()


async def _remember(installation: Installation) -> None:
    async with installation.bot() as bot:
        for index, sky in enumerate(_SKIES):
            turn = {"session_id": "s1", "text": f"The rain in the rainy garden {sky} today", "message_id": f"m{index}"}
            await bot.send("send.home.anna.user_message", turn)
        for index, text in enumerate(_FACTS):
            await bot.send("send.home.anna.remember_fact", {"text": text, "message_id": f"f{index}"})
        await bot.send("send.home.anna.end_session", {"session_id": "s1"})
    await installation.at_rest()


async def _restarted_to_die(installation: Installation, step: Step) -> None:
    """Maintenance is started again as one that kills itself at this step."""
    process = installation._processes["maintenance"]
    process.terminate()
    await process.wait()
    await installation.start_service("maintenance", step.arguments())


async def _run(installation: Installation, job: str, step: Step | None = None, *, run: str = "") -> None:
    run = run or f"{job}/1"
    async with operator_connection(installation.settings) as client:
        await installation.admin("admin.maintenance.jobs")  # it is there, and has read the log to its end
        await ask_for_run(client, job, run)
    if step is not None:
        await installation.until_dead("maintenance")

    async def is_over() -> bool:
        return bool((await installation.admin("admin.maintenance.job_runs", {"run": run}))["runs"])

    await until(is_over, what=f"the run {run} is over")
    await installation.at_rest()


async def _events(installation: Installation) -> Counter[str]:
    """How many events of each type the log holds, without the receipts of erasures, which come in their own time."""
    async with operator_connection(installation.settings) as client:
        events = [decode(record.data) async for batch in LogReader(client).to_end() for record in batch]
    return Counter(event.type for event in events if not isinstance(event.data, ForgettingCompleted))
