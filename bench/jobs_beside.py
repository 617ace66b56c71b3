"""How long ten people wait for their contexts, alone and while the jobs of the night run."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench._installation import SPACE, Installation
from bench._options import Findings, Options, run
from bench._result import amount, latencies, percentile
from bench._text import Writer
from memstream.cli.admin import ask_service
from memstream.client import Memories, MemoryClient
from shared.runtime.connection import Client, operator_connection
from shared.runtime.ids import new_token
from shared.runtime.job_queue import ask_for_run

_JOBS = ("enrichment", "consolidation", "reflection", "decay", "ageing", "retention")
_PEOPLE = 10
_SESSION = 30
_THINKS_S = 0.2
_PATIENCE_S = 300.0
_MOST = 1.3
"""So many times the time without a job, the p95 beside them may be."""

_BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
_SOON = {"MEMSTREAM_MAINTENANCE_AGEING_DAYS": "0.0001", "MEMSTREAM_MAINTENANCE_DECAY_BELOW": "0.5"}
"""So that the jobs find something to do."""


async def measure(options: Options) -> Findings:
    """Measure with everything in one process, as `memstream up` runs it; jobs are run by hand, one after the other."""
    alone: list[list[float]] = []
    beside: list[list[float]] = []
    turns = options.size(6_000, 300)
    os.environ.update(_SOON)
    with tempfile.TemporaryDirectory(prefix="memstream-bench-") as folder:
        installation = Installation(Path(folder) / "data", options.embedder)
        installation.root.mkdir()
        file = Path(folder) / "turns.jsonl"
        file.write_text("\n".join(map(json.dumps, _turns(turns))), encoding="utf-8")
        await installation.create()
        async with installation.running():
            await installation.command("import", str(file), "--space", SPACE, "--wait")
            await installation.until_at_rest()
            async with installation.bot() as bot:
                await _asked(bot, options.size(5, 1))  # until the model is loaded
                for _ in range(options.runs):
                    alone.append(await _asked(bot, options.size(100, 5)))
                    beside.append(await _asked_beside(bot, installation))
    ratios = [percentile(busy, 95) / percentile(idle, 95) for busy, idle in zip(beside, alone, strict=True)]
    return Findings(
        rows=[
            latencies("context, while nothing else is done", alone),
            latencies("context, while the jobs run", beside),
            amount("the p95 beside the jobs, in times of the p95 without", "x", ratios, at_most=_MOST),
        ],
        notes=[
            f"{_PEOPLE} people of {turns // _PEOPLE:,} turns each ask for a context and pause for {_THINKS_S} s.",
            f"The jobs are {', '.join(_JOBS)}, one after the other.",
        ],
    )


async def _asked(bot: MemoryClient, times: int) -> list[float]:
    """The seconds that everybody waited for each of so many contexts."""
    over = asyncio.Event()
    waits = await asyncio.gather(*(_ask(bot.for_user(f"p-{who}", space=SPACE), who, over, times) for who in range(_PEOPLE)))
    return [each for one in waits for each in one]


async def _asked_beside(bot: MemoryClient, installation: Installation) -> list[float]:
    """The seconds that everybody waited for contexts until each job ran once."""
    over = asyncio.Event()
    people = (_ask(bot.for_user(f"p-{who}", space=SPACE), who, over) for who in range(_PEOPLE))
    asking = asyncio.gather(*people)
    try:
        async with operator_connection(installation.settings) as client:
            for job in _JOBS:
                await _run(client, job)
    finally:
        over.set()
    return [each for one in await asking for each in one]


async def _run(client: Client, job: str) -> None:
    """Have a job run, and wait for its end."""
    run_id = f"{job}/{new_token()}"
    await ask_for_run(client, job, run_id)
    async with asyncio.timeout(_PATIENCE_S):
        while not await _has_ended(client, run_id):  # noqa: ASYNC110 - another process ends it
            await asyncio.sleep(_THINKS_S)


async def _has_ended(client: Client, run_id: str) -> bool:
    asked = json.dumps({"run": run_id}).encode()
    return bool((await ask_service(client, "maintenance", "job_runs", asked, timeout_s=_PATIENCE_S))["runs"])


async def _ask(memory: Memories, who: int, over: asyncio.Event, times: int | None = None) -> list[float]:
    write, waits = Writer(f"asks {who}"), list[float]()
    await asyncio.sleep(_THINKS_S * who / _PEOPLE)
    while not over.is_set() and len(waits) != times:
        began = time.perf_counter()
        await memory.context(write.turn(), record=False, timeout_s=30)
        waits.append(time.perf_counter() - began)
        await asyncio.sleep(_THINKS_S)
    return waits


def _turns(count: int) -> Iterator[dict[str, str]]:
    for who in range(_PEOPLE):
        write = Writer(f"said {who}")
        for index in range(count // _PEOPLE):
            session, turn = divmod(index, _SESSION)
            yield {
                "user": f"p-{who}",
                "session_id": f"session-{session}",
                "role": ("user", "assistant")[turn % 2],
                "text": write.turn(),
                "occurred_at": (_BEGIN + timedelta(days=session, minutes=turn)).isoformat(),
            }


def main(arguments: Sequence[str] = ()) -> None:
    """Measure and keep the result."""
    run("jobs_beside", "How long do people wait for contexts while the jobs of the night run?", measure, arguments)
